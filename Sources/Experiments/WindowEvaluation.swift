import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation

/// A detector over normalised windows and photos without objects: miss rate against false positives a window.
public struct WindowEvaluation: ExperimentEvaluation {
  public var name: String
  /// Sets whose every target is one positive window.
  public var positives: [AnnotatedSource]
  /// Sets without objects, scanned whole.
  public var negatives: [AnnotatedSource]
  /// Scan options that take the place of the model's own.
  public var scan: JSONTree?
  /// False-positive rates a window that are told.
  public var rates: [Double]?

  public init(
    name: String, positives: [AnnotatedSource], negatives: [AnnotatedSource], scan: JSONTree? = nil,
    rates: [Double]? = nil
  ) {
    self.name = name
    self.positives = positives
    self.negatives = negatives
    self.scan = scan
    self.rates = rates
  }

  /// `NAME.scores.json`, `NAME.json` and `NAME.svg` (the curve).
  public var files: [String] { ["scores.json", "json", "svg"].map { "\(name).\($0)" } }

  /// Writes its `files`.
  public func run(_ model: StoredModel, in context: EvaluationContext) throws -> EvaluationOutcome {
    let detector = try model.detector(source: context.modelPath)
    var figures: [ExperimentResult.Figure] = []
    guard let scorer = detector as? any WindowScorer else {
      throw InputError(
        source: context.title, field: name,
        problem: "the detector's windows cannot be scored one by one",
        hint: "evaluate it by boxes")
    }
    guard let positiveSet = try AnnotatedSource.load(positives),
      let negativeSet = try AnnotatedSource.load(negatives)
    else {
      throw InputError(
        source: context.title, field: name, problem: "needs positives and negatives")
    }
    let scores = try WindowRun.score(
      scorer, positives: positiveSet, negatives: negativeSet, options: try scorer.scanOptions(with: scan),
      executor: context.executor, progress: context.progress, cancellation: context.cancellation)
    let told = rates ?? [1e-5, 1e-4, 1e-3]
    let page = WindowReport(
      title: "\(context.title): \(name)", results: [(context.title, scores)], rates: told,
      command: context.command)
    try AtomicFile.write(StrictJSON.text(scores), to: context.path("\(name).scores.json"))
    try AtomicFile.write(page.json(), to: context.path("\(name).json"))
    try AtomicFile.write(page.svg(), to: context.path("\(name).svg"))
    for rate in told {
      figures.append(
        .init(
          name: "\(name).missRate@\(rate)", value: scores.missRate(falsePositivesPerWindow: rate),
          tolerance: 0.02, isBetterWhenLarger: false))
    }
    return EvaluationOutcome(figures: figures, text: page.text())
  }
}
