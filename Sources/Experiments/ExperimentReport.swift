import Detection
import Foundation

/// The text of an experiment's `report.md`.
struct ExperimentReport {
  let configuration: ExperimentConfiguration
  var training: HOGTrainingReport?
  /// A heading and preformatted text for each evaluation.
  var tables: [(name: String, text: String)] = []

  init(configuration: ExperimentConfiguration) {
    self.configuration = configuration
  }

  func markdown(_ result: ExperimentResult) -> String {
    var text = "# \(configuration.title)\n\n\(configuration.purpose)\n\n"
    text += "Made by `\(result.command)`"
    if let machine = result.machine { text += " on \(machine)" }
    if let date = result.date { text += ", \(date)" }
    text += ".\n\n## Figures\n\n| figure | value |\n|---|---|\n"
    for figure in result.figures { text += "| \(figure.name) | \(ExperimentResult.text(figure.value)) |\n" }
    if let seconds = result.trainingSeconds { text += "| training, seconds | \(Int(seconds.rounded())) |\n" }
    if let bytes = result.modelBytes { text += "| model, bytes | \(bytes) |\n" }
    if let checksum = result.modelChecksum { text += "\nModel: SHA-256 `\(checksum)`.\n" }
    if let training { text += rounds(training) }
    for table in tables { text += "\n## Evaluation: \(table.name)\n\n```\n\(table.text)```\n" }
    return text
  }

  private func rounds(_ training: HOGTrainingReport) -> String {
    var text = "\n## Training\n\n"
    text += "| round | component | positives | negatives | new | windows scanned | false positives a window | error |\n"
    text += "|---|---|---|---|---|---|---|---|\n"
    for round in training.rounds {
      let rate = round.falsePositivesPerWindow.map { String(format: "%.2e", $0) } ?? "-"
      text += "| \(round.round) | \(round.component) | \(round.positives) | \(round.negatives) | \(round.newNegatives) "
      text += "| \(round.scannedWindows) | \(rate) | \(String(format: "%.4f", round.trainingError)) |\n"
    }
    if !training.unreachable.isEmpty {
      text += "\n\(training.unreachable.count) annotated objects no window can reach: "
      let counts = Dictionary(grouping: training.unreachable, by: \.reason.rawValue).mapValues(\.count)
      text += counts.sorted { $0.key < $1.key }.map { "\($0.value) by \($0.key)" }.joined(separator: ", ") + ".\n"
    }
    if let calibration = training.calibration {
      text +=
        "\nConfidences are fitted to \(calibration.matched) right and \(calibration.unmatched) wrong detections in "
        + "\(calibration.photos) photos.\n"
    }
    return text
  }
}
