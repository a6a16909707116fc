import CommandLineOptions
import Foundation
import Windhover

/// What the trainings of detectors have in common on the command line: a lock, and a checkpoint that goes when the model
/// is written.
struct DetectorTraining {
  let options: ParsedOptions
  let context: CommandContext
  let output: String

  init(_ options: ParsedOptions, _ context: CommandContext) {
    self.options = options
    self.context = context
    output = options.requiredText("--output")
  }

  /// The options that come last of every family.
  static let options: [OptionSpecification] = [
    .value("--seed", "N", help: "Seed of everything random. Default: 1."),
    .flag(
      "--leave-out-faults",
      help: "Train without what the data sets name and what is missing or cannot be read; it is refused otherwise."),
    .value("--report", "FILE", help: "Also write what the training did, as JSON.").written(),
    .flag("--restart", help: "Begin anew, even where a checkpoint is there.").unrecorded(),
    .threads,
  ]

  /// The training that --config names, or else `plain`.
  func job<Job: TrainingJob>(else plain: () -> Job) throws -> Job {
    guard let path = options.text("--config") else { return plain() }
    if options.isGiven("--preset") { throw UsageError("--preset and --config contradict: the file has all options") }
    return try TrainingChoice.read(Job.self, path: path)
  }

  /// The data sets that an option names; `nil` where it is not given.
  func sources(_ name: String, targets: String? = nil) throws -> [AnnotatedSource]? {
    guard options.isGiven(name) else { return nil }
    return try options.list(name).map { AnnotatedSource(data: try .parse($0), targets: targets) }
  }

  /// Trains; `body` writes the model to `output` and gives the report.
  func run(
    _ job: some TrainingJob, _ body: (_ checkpoint: String?, _ executor: ParallelExecutor) throws -> any TrainingReport
  ) throws {
    let checkpoint = context.outputs.checkpoint
    let lock = try FileLock.beside(output)
    defer { lock?.release() }
    if options.flag("--restart"), let checkpoint { try AtomicFile.remove(checkpoint) }
    let trained = try body(checkpoint, try options.executor())
    if let report = options.text("--report") { try AtomicFile.write(StrictJSON.text(trained), to: report) }
    if let validation = (trained as? CascadeTrainingReport)?.validation {
      context.progress.receive(.note(validation.markdown(isHeldOut: true)))
    }
    if let checkpoint { try AtomicFile.remove(checkpoint) }
    context.progress.receive(.note("Written: \(output)"))
  }

  /// Trains and writes a model of ours.
  func run(_ job: some TrainingJob) throws {
    try run(job) { checkpoint, executor in
      let trained = try job.run(
        record: RunRecord.now(command: context.recordedCommandLine), checkpoint: checkpoint, executor: executor,
        progress: context.progress, cancellation: context.cancellation)
      try trained.model.write(to: output)
      return trained.report
    }
  }
}
