import Foundation

extension ExperimentResult {
  /// The figures as Markdown: those on lines of their own with training time and model size, then a table for each kind that
  /// has one, in the order of its first figure.
  ///
  /// - Parameter tellsDirection: whether lines say what is better.
  func figureTables(tellsDirection: Bool) -> String {
    var lines: [(String, String)] = figures.filter { $0.cell == nil }.map { figure in
      let direction = figure.isBetterWhenLarger ? " (higher is better)" : " (lower is better)"
      return (figure.name + (tellsDirection ? direction : ""), ExperimentResult.text(figure.value))
    }
    if let seconds = trainingSeconds { lines.append(("training, seconds", "\(Int(seconds.rounded()))")) }
    if let bytes = modelBytes { lines.append(("model, bytes", "\(bytes)")) }
    var text = ""
    if !lines.isEmpty {
      text += "| figure | value |\n|---|---|\n" + lines.map { "| \($0.0) | \($0.1) |\n" }.joined()
    }
    for table in ExperimentResult.distinct(figures.compactMap { $0.cell?.table }) {
      let part = figures.filter { $0.cell?.table == table }
      let columns = ExperimentResult.distinct(part.compactMap { $0.cell?.column })
      text += (text.isEmpty ? "" : "\n") + "| \(table) | \(columns.joined(separator: " | ")) |\n"
      text += "|" + String(repeating: "---|", count: columns.count + 1) + "\n"
      for row in ExperimentResult.distinct(part.compactMap { $0.cell?.row }) {
        let cells = columns.map { column -> String in
          guard let figure = part.first(where: { $0.cell?.row == row && $0.cell?.column == column }) else { return "" }
          guard let value = figure.value else { return "-" }
          return figure.cell?.isPercent == true ? String(format: "%.2f", 100 * value) : ExperimentResult.text(value)
        }
        text += "| \(row) | \(cells.joined(separator: " | ")) |\n"
      }
    }
    return text
  }

  /// Each text once, where it comes first.
  private static func distinct(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }
}
