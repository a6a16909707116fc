import CommandLineOptions
import Foundation
import Windhover

/// `windhover-experiment run`: trains and evaluates as a folder's `config.json` says.
enum RunCommand {
  static let command = Command(
    CommandSpecification(
      name: "run", summary: "Train and evaluate as an experiment's config.json says.",
      discussion: """
        DIR holds config.json and, once recorded, expected.json and report.md. The output folder gets the model, the
        results of each evaluation (JSON lines, JSON, an HTML page), result.json and report.md. An interrupted training
        goes on where it stopped when the same command is given again. Where expected.json is there, figures that differ
        by more than their tolerance are listed and the exit status is 1.
        """,
      operands: .one("DIR"),
      options: [
        .value(
          "--output", "DIR", short: "-o", help: "Where to write. Default: out/experiments/ and DIR's last two names."
        ).unrecorded(),
        .flag("--record", help: "Also write expected.json and report.md into DIR, in place of those that are there."),
        .value("--train-only", "FILE", help: "Train, write the model to FILE, and evaluate nothing.")
          .written(.training),
        .threads,
      ],
      examples: [
        ("windhover-experiment run Experiments/persons/hog", "Train the person detector and evaluate it."),
        ("windhover-experiment run Experiments/faces/hog --record", "Record its figures as those to be expected."),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let folder = options.operands[0]
    if folder.isEmpty { throw UsageError("DIR is empty") }
    let configuration = try StrictJSON.read(ExperimentConfiguration.self, path: "\(folder)/config.json")
    let executor = try options.executor()
    if let file = options.text("--train-only") {
      guard let job = configuration.train?.job else {
        throw UsageError("--train-only: \(folder)/config.json trains nothing")
      }
      let checkpoint = context.outputs.checkpoint
      let lock = try FileLock.beside(file)
      defer { lock?.release() }
      let record = RunRecord.now(command: context.recordedCommandLine)
      let trained = try job.run(
        record: record, checkpoint: checkpoint, executor: executor, progress: context.progress,
        cancellation: context.cancellation)
      try trained.model.write(to: file)
      if let checkpoint { try AtomicFile.remove(checkpoint) }
      return
    }
    let last = (folder as NSString).pathComponents.filter { $0 != "/" && $0 != "." }.suffix(2).joined(separator: "/")
    let output = options.text("--output") ?? "out/experiments/\(last)"
    var outputs = context.outputs
    try outputs.folder("--output", output)
    for name in configuration.files { try outputs.file("--output", "\(output)/\(name)") }
    let recorded = ["expected.json", "report.md"].map { "\(folder)/\($0)" }
    if options.flag("--record") {
      for path in recorded { try outputs.file("--record", path) }
    } else {
      try FileUse.ofProgram.willRead(recorded)
    }
    // What figures are to be compared with is read before anything takes time.
    let isCompared = !options.flag("--record") && FileManager.default.fileExists(atPath: "\(folder)/expected.json")
    let expected = isCompared ? try StrictJSON.read(ExperimentResult.self, path: "\(folder)/expected.json") : nil
    let lock = try FileLock.beside(output)
    defer { lock?.release() }
    let (result, report) = try ExperimentRunner(
      configuration: configuration, output: output, record: RunRecord.now(command: context.recordedCommandLine),
      executor: executor, progress: context.progress, cancellation: context.cancellation
    ).run()
    try StandardOutput.write(report)
    context.progress.receive(.note("Written: \(output)/report.md, the model and the pages beside it"))
    if options.flag("--record") {
      try AtomicFile.write(StrictJSON.text(result), to: "\(folder)/expected.json")
      try AtomicFile.write(report, to: "\(folder)/report.md")
    } else if let expected {
      let differences = result.differences(from: expected)
      if !differences.isEmpty { throw FiguresDiffer(folder: folder, differences: differences) }
      context.progress.receive(.note("All figures agree with \(folder)/expected.json"))
    }
  }
}

/// The end of an experiment whose figures are not those recorded.
struct FiguresDiffer: Error, CustomStringConvertible {
  let folder: String
  let differences: [String]
  var description: String { "figures differ from \(folder)/expected.json:\n  " + differences.joined(separator: "\n  ") }
}
