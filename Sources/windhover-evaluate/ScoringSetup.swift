import CommandLineOptions
import Windhover

/// What all commands that score results begin and end with: truth and rule, outputs, and the report.
struct ScoringSetup {
  let executor: ParallelExecutor
  let choices: EvaluationChoices
  let output: ReportOutput
  private let gallery: Int

  /// - Parameter results: where the results are kept, too.
  /// - Throws: `UsageError` for options that make no sense together; `InputError` where an output cannot be written.
  init(_ options: ParsedOptions, results: String? = nil) throws {
    executor = try options.executor()
    choices = try EvaluationChoices(options)
    output = try ReportOutput(options, results: results)
    gallery = try options.integer("--gallery", in: 0...1000) ?? 0
  }

  /// The truth, once it is sure that no output takes the place of anything that is read.
  ///
  /// - Parameters:
  ///   - what: what else is read, for errors ("the model").
  ///   - paths: its files.
  func truth(beside what: String, _ paths: [String], _ context: CommandContext) throws -> Dataset {
    try output.check(what, paths, choices)
    let truth = try choices.loadTruth(context.progress)
    try output.check(truth)
    return truth
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
