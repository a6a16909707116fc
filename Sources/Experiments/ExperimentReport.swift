import Foundation

/// The text of an experiment's `report.md`.
struct ExperimentReport {
  let configuration: ExperimentConfiguration
  var training: (any TrainingReport)?
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
    text += ".\n\n## Figures\n\n" + result.figureTables(tellsDirection: false)
    if let checksum = result.modelChecksum { text += "\nModel: SHA-256 `\(checksum)`.\n" }
    if let training { text += "\n## Training\n\n" + training.markdown }
    for table in tables { text += "\n## Evaluation: \(table.name)\n\n```\n\(table.text)```\n" }
    return text
  }
}
