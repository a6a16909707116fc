/// A table of aligned columns: the first to the left, the others to the right.
struct TextTable {
  var header: [String]
  var rows: [[String]] = []

  init(_ header: [String]) {
    self.header = header
  }

  mutating func add(_ row: [String]) {
    precondition(row.count == header.count, "a row has as many cells as the header")
    rows.append(row)
  }

  /// Lines, each with a newline; widths count characters.
  var text: String {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for row in all {
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += column == 0 ? cell + padding : "  " + padding + cell
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}
