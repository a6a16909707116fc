import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation
import Geometry
import ModelFiles

/// Carries out an experiment: trains, evaluates, writes the model, the results and the report into one folder.
///
/// The folder gets `model.safetensors` and `training.json` (where a model was trained), the files of each evaluation
/// (`<evaluation>.html`, `<evaluation>.json` and what its kind adds), `result.json` and `report.md`. A training that was
/// interrupted goes on from `checkpoint.safetensors`.
public struct ExperimentRunner: Sendable {
  public let configuration: ExperimentConfiguration
  public let output: String
  let record: RunRecord
  let executor: ParallelExecutor
  let progress: any ProgressSink
  let cancellation: Cancellation

  public init(
    configuration: ExperimentConfiguration, output: String, record: RunRecord,
    executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) {
    self.configuration = configuration
    self.output = output
    self.record = record
    self.executor = executor
    self.progress = progress
    self.cancellation = cancellation
  }

  /// - Returns: the figures, and the report as Markdown text; both are in the output folder too.
  public func run() throws -> (result: ExperimentResult, report: String) {
    var result = ExperimentResult(title: configuration.title, command: record.command)
    result.commit = record.commit
    result.date = record.date
    result.machine = record.machine
    var report = ExperimentReport(configuration: configuration)

    let (model, modelPath) = try trainedOrGiven(&result, &report)
    let context = EvaluationContext(
      title: configuration.title, command: record.command, modelPath: modelPath, modelChecksum: result.modelChecksum,
      output: output, executor: executor, progress: progress, cancellation: cancellation)
    for evaluation in configuration.evaluations {
      let outcome = try evaluation.run(model, in: context)
      result.figures += outcome.figures
      report.tables.append((evaluation.name, outcome.text))
    }

    let text = report.markdown(result)
    try AtomicFile.write(StrictJSON.text(result), to: path("result.json"))
    try AtomicFile.write(text, to: path("report.md"))
    return (result, text)
  }

  private func path(_ name: String) -> String { "\(output)/\(name)" }

  private func trainedOrGiven(
    _ result: inout ExperimentResult, _ report: inout ExperimentReport
  ) throws -> (model: StoredModel, path: String) {
    var model = configuration.model ?? ""
    if let choice = configuration.train {
      let checkpoint = path("checkpoint.safetensors")
      let isResumed = FileManager.default.fileExists(atPath: checkpoint)
      let start = ContinuousClock.now
      let trained = try choice.job.run(
        record: record, checkpoint: checkpoint, executor: executor, progress: progress, cancellation: cancellation)
      // The rest of a training is not what a training takes.
      if !isResumed { result.trainingSeconds = (ContinuousClock.now - start) / .seconds(1) }
      report.training = trained.report
      model = path("model.safetensors")
      try trained.model.write(to: model)
      try AtomicFile.write(StrictJSON.text(trained.report), to: path("training.json"))
      try AtomicFile.remove(checkpoint)
    }
    model = try ModelCatalog.path(of: model)
    let stored = try ModelFormats.read(model)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: model)))
    result.modelBytes = bytes.count
    result.modelChecksum = SHA256.hexDigest(of: bytes)
    return (stored, model)
  }
}
