import Detection
import Foundation

extension HOGTrainingReport: TrainingReport {
  /// A table of the rounds, the objects that no window can reach, and what confidences were fitted to.
  public var markdown: String {
    var text =
      "| round | component | positives | negatives | new | windows scanned | false positives a window | error |\n"
    text += "|---|---|---|---|---|---|---|---|\n"
    for round in rounds {
      let rate = round.falsePositivesPerWindow.map { String(format: "%.2e", $0) } ?? "-"
      text += "| \(round.round) | \(round.component) | \(round.positives) | \(round.negatives) | \(round.newNegatives) "
      text += "| \(round.scannedWindows) | \(rate) | \(String(format: "%.4f", round.trainingError)) |\n"
    }
    if !unreachable.isEmpty {
      text += "\n\(unreachable.count) annotated objects no window can reach: "
      let counts = Dictionary(grouping: unreachable, by: \.reason.rawValue).mapValues(\.count)
      text += counts.sorted { $0.key < $1.key }.map { "\($0.value) by \($0.key)" }.joined(separator: ", ") + ".\n"
    }
    if let calibration { text += "\n\(calibration.summary)\n" }
    return text
  }
}
