import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation
import Geometry
import ModelFiles

/// Carries out an experiment: trains, evaluates, writes the model, the results and the report into one folder.
///
/// The folder gets `model.safetensors` and `training.json` (where a detector was trained), `<evaluation>.jsonl` and
/// `<evaluation>.html` for each evaluation by boxes, `<evaluation>.scores.json` and `<evaluation>.svg` (the curve) for each
/// by windows, `<evaluation>.json` with the figures of each, `result.json` and `report.md`. A training that was interrupted
/// goes on from `checkpoint.safetensors`.
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

    let detector = try trainedOrGiven(&result, &report)
    for evaluation in configuration.boxes { try evaluate(evaluation, detector, &result, &report) }
    for evaluation in configuration.windows { try evaluate(evaluation, detector, &result, &report) }

    let text = report.markdown(result)
    try AtomicFile.write(StrictJSON.text(result), to: path("result.json"))
    try AtomicFile.write(text, to: path("report.md"))
    return (result, text)
  }

  private func path(_ name: String) -> String { "\(output)/\(name)" }

  private func trainedOrGiven(
    _ result: inout ExperimentResult, _ report: inout ExperimentReport
  ) throws -> any ObjectDetector {
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
      try? FileManager.default.removeItem(atPath: checkpoint)
    }
    model = try ModelCatalog.path(of: model)
    let detector = try ModelCatalog.detector(model)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: model)))
    result.modelBytes = bytes.count
    result.modelChecksum = SHA256.hexDigest(of: bytes)
    return detector
  }

  private func evaluate(
    _ evaluation: BoxEvaluation, _ detector: any ObjectDetector, _ result: inout ExperimentResult,
    _ report: inout ExperimentReport
  ) throws {
    guard let dataset = try AnnotatedSource.load(evaluation.data) else {
      throw InputError(source: configuration.title, field: "\(evaluation.name).data", problem: "names no data set")
    }
    let detections = try DetectionRun.detect(
      detector, in: dataset, options: try detector.scanOptions(with: evaluation.scan), executor: executor,
      progress: progress, cancellation: cancellation)
    let file = path("\(evaluation.name).jsonl")
    try ResultsFile.write(detections, to: file)
    let evaluator = Evaluator(
      matcher: Matcher(options: evaluation.matching ?? MatchingOptions()),
      boxFit: evaluation.fitsBoxes == true ? BoxFit.Options() : nil)
    let scored = try evaluator.evaluate(
      ResultsFile.read(file, executor: executor), name: configuration.title, truth: dataset.images, executor: executor)
    let page = EvaluationReport(
      title: "\(configuration.title): \(evaluation.name)", results: [scored],
      truth: try evaluation.data.map { source in
        EvaluationReport.TruthSource(
          name: source.data.description, checksum: try source.load().contentChecksum(executor: executor))
      },
      targets: evaluation.data.compactMap(\.targets).first, evaluator: evaluator, command: record.command,
      executor: executor)
    try AtomicFile.write(page.html(gallery: DatasetPictures(dataset)), to: path("\(evaluation.name).html"))
    try AtomicFile.write(page.json(), to: path("\(evaluation.name).json"))
    report.tables.append((evaluation.name, page.text()))

    let figures: [(String, DetectionMeasure, Double, Bool)] = [
      ("averagePrecision", .averagePrecision(.allPoints), 0.01, true),
      ("logAverageMissRate", .logAverageMissRate, 0.02, false),
    ]
    for (name, measure, tolerance, larger) in figures {
      result.figures.append(
        .init(
          name: "\(evaluation.name).\(name)", value: scored.rawFigures.value(measure), tolerance: tolerance,
          isBetterWhenLarger: larger))
      guard let fitted = scored.fittedFigures else { continue }
      result.figures.append(
        .init(
          name: "\(evaluation.name).\(name).fitted", value: fitted.value(measure), tolerance: tolerance,
          isBetterWhenLarger: larger))
    }
  }

  private func evaluate(
    _ evaluation: WindowEvaluation, _ detector: any ObjectDetector, _ result: inout ExperimentResult,
    _ report: inout ExperimentReport
  ) throws {
    guard let scorer = detector as? any WindowScorer else {
      throw InputError(
        source: configuration.title, field: evaluation.name,
        problem: "the detector's windows cannot be scored one by one",
        hint: "evaluate it by boxes")
    }
    guard let positives = try AnnotatedSource.load(evaluation.positives),
      let negatives = try AnnotatedSource.load(evaluation.negatives)
    else {
      throw InputError(
        source: configuration.title, field: evaluation.name, problem: "needs positives and negatives")
    }
    let scores = try WindowRun.score(
      scorer, positives: positives, negatives: negatives, options: try scorer.scanOptions(with: evaluation.scan),
      executor: executor, progress: progress, cancellation: cancellation)
    let rates = evaluation.rates ?? [1e-5, 1e-4, 1e-3]
    let page = WindowReport(
      title: "\(configuration.title): \(evaluation.name)", results: [(configuration.title, scores)], rates: rates,
      command: record.command)
    try AtomicFile.write(StrictJSON.text(scores), to: path("\(evaluation.name).scores.json"))
    try AtomicFile.write(page.json(), to: path("\(evaluation.name).json"))
    try AtomicFile.write(page.svg(), to: path("\(evaluation.name).svg"))
    report.tables.append((evaluation.name, page.text()))
    for rate in rates {
      result.figures.append(
        .init(
          name: "\(evaluation.name).missRate@\(rate)", value: scores.missRate(falsePositivesPerWindow: rate),
          tolerance: 0.02, isBetterWhenLarger: false))
    }
  }
}
