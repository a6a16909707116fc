import CommandLineOptions
import Windhover

/// `windhover-experiment table`: one table of all recorded figures.
enum TableCommand {
  static let command = Command(
    CommandSpecification(
      name: "table", summary: "Gather the recorded figures of all experiments into one table.",
      operands: .one("DIR"),
      options: [.value("--output", "FILE", short: "-o", help: "Write there instead of to standard output.").written()],
      examples: [("windhover-experiment table Experiments", "The table of Experiments/RESULTS.md.")])
  ) { options, _ in
    let text = try ExperimentTable.markdown(folder: options.operands[0])
    guard let output = options.text("--output") else { return try StandardOutput.write(text) }
    try AtomicFile.write(text, to: output)
  }
}
