import CommandLineOptions
import Windhover

/// What all commands that score results begin and end with: truth and rule, outputs, and the report.
struct ScoringSetup {
  let executor: ParallelExecutor
  let choices: EvaluationChoices
  let output: ReportOutput
  private let gallery: Int

  /// - Throws: `UsageError` for options that make no sense together.
  init(_ options: ParsedOptions) throws {
    executor = try options.executor()
    choices = try EvaluationChoices(options)
    output = ReportOutput(options)
    gallery = try options.integer("--gallery", in: 0...1000) ?? 0
  }

  /// Writes the report of one or more detectors, wherever it was asked for.
  func report(_ scored: [ScoredResults], title: String, truth: Dataset, _ context: CommandContext) throws {
    try context.cancellation.check()
    let report = EvaluationReport(
      title: output.title ?? title, results: scored, truth: choices.truthSources, targets: choices.targetText,
      evaluator: choices.evaluator, command: context.recordedCommandLine, executor: executor)
    try output.write(report, pictures: DatasetPictures(truth), gallery: gallery, executor: executor)
  }
}
