import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation

/// A detector over annotated photos: average precision, miss rate against false positives an image.
public struct BoxEvaluation: ExperimentEvaluation {
  /// Short name of the figures, for example "cmu-mit".
  public var name: String
  public var data: [AnnotatedSource]
  /// Scan options that take the place of the model's own, for example `{"threshold": -1}`.
  public var scan: JSONTree?
  /// When a detection is right; `nil` takes the defaults (intersection over union >= 0.5).
  public var matching: MatchingOptions?
  /// Also scores the boxes after one offset and scale that are fitted to this very set: for sets that draw the object
  /// otherwise than the training sets do. Both figures are told.
  public var fitsBoxes: Bool?

  public init(
    name: String, data: [AnnotatedSource], scan: JSONTree? = nil, matching: MatchingOptions? = nil,
    fitsBoxes: Bool? = nil
  ) {
    self.name = name
    self.data = data
    self.scan = scan
    self.matching = matching
    self.fitsBoxes = fitsBoxes
  }

  /// `NAME.jsonl` (the detections), `NAME.html` and `NAME.json`.
  public var files: [String] { ["jsonl", "html", "json"].map { "\(name).\($0)" } }

  /// Writes its `files`.
  public func run(_ model: StoredModel, in context: EvaluationContext) throws -> EvaluationOutcome {
    let detector = try model.detector(source: context.modelPath)
    var figures: [ExperimentResult.Figure] = []
    guard let dataset = try AnnotatedSource.load(data) else {
      throw InputError(source: context.title, field: "\(name).data", problem: "names no data set")
    }
    let detections = try DetectionRun.detect(
      detector, in: dataset, options: try detector.scanOptions(with: scan), executor: context.executor,
      progress: context.progress, cancellation: context.cancellation)
    let file = context.path("\(name).jsonl")
    try ResultsFile.write(detections, to: file)
    let evaluator = Evaluator(
      matcher: Matcher(options: matching ?? MatchingOptions()),
      boxFit: fitsBoxes == true ? BoxFit.Options() : nil)
    let scored = try evaluator.evaluate(
      ResultsFile.read(file, executor: context.executor), name: context.title, truth: dataset.images,
      executor: context.executor)
    let page = EvaluationReport(
      title: context.title(of: name, on: dataset), results: [scored],
      truth: try data.map { source in
        EvaluationReport.TruthSource(
          name: source.data.description, checksum: try source.load().contentChecksum(executor: context.executor))
      },
      targets: data.compactMap(\.targets).first, evaluator: evaluator, command: context.command,
      executor: context.executor)
    try AtomicFile.write(page.html(gallery: DatasetPictures(dataset)), to: context.path("\(name).html"))
    try AtomicFile.write(page.json(), to: context.path("\(name).json"))
    let measures: [(String, DetectionMeasure, Double, Bool)] = [
      ("averagePrecision", .averagePrecision(.allPoints), 0.01, true),
      ("logAverageMissRate", .logAverageMissRate, 0.02, false),
    ]
    for (measureName, measure, tolerance, larger) in measures {
      figures.append(
        .init(
          name: "\(name).\(measureName)", value: scored.rawFigures.value(measure), tolerance: tolerance,
          isBetterWhenLarger: larger))
      guard let fitted = scored.fittedFigures else { continue }
      figures.append(
        .init(
          name: "\(name).\(measureName).fitted", value: fitted.value(measure), tolerance: tolerance,
          isBetterWhenLarger: larger))
    }
    return EvaluationOutcome(figures: figures, text: page.text())
  }
}
