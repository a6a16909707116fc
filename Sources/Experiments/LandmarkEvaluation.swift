import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation
import Landmarks

/// A landmark fitter on labelled faces: errors by normalisation, by group and point, against moved boxes, and what its
/// confidence is worth.
///
/// `windhover-evaluate landmarks` measures by one too.
public struct LandmarkEvaluation: ExperimentEvaluation {
  public var name: String
  public var data: [AnnotatedSource]
  /// Face boxes: a results file, or a detector by name or path; neither takes the labelled ones.
  public var boxes: String?
  public var detector: String?
  /// Starts a face, whose median is taken; `nil`: 1.
  public var starts: Int?
  /// Shares of a box's side by which boxes are moved, each above 0 and below 1.
  public var perturb: [Double]?
  /// Draws of each moved box; `nil`: 10.
  public var draws: Int?
  /// `nil`: 1.
  public var seed: UInt64?
  /// Errors above it are failures, and the curve's area ends there; `nil`: 0.08.
  public var failure: Double?
  /// Photos without faces, for wrong boxes.
  public var withoutFaces: [AnnotatedSource]?
  /// With a detector: its false alarms are boxes up to this far below its threshold; `nil`: 0.
  public var alarms: Double?

  public init(name: String, data: [AnnotatedSource]) {
    self.name = name
    self.data = data
  }

  /// The data of an evaluation, loaded once for all models that are measured.
  public struct Setup: Sendable {
    public let faces: LoadedSources
    public let dataset: Dataset
    public let boxes: LandmarkFaceSet.Boxes
    public let wrong: LandmarkRun.WrongBoxes
  }

  /// - Throws: `InputError` for values out of range, and as the readers of data sets, boxes and detectors.
  public func setup(executor: ParallelExecutor, progress: any ProgressSink) throws -> Setup {
    try validate()
    let faces = try LoadedSources(data)
    guard let dataset = faces.dataset else {
      throw InputError(source: name, field: "data", problem: "names no data set", expected: "labelled faces")
    }
    dataset.tellProblems(to: progress)
    let boxes = try LandmarkFaceSet.Boxes(results: boxes, detector: detector, executor: executor)
    var wrong = LandmarkRun.WrongBoxes()
    wrong.photos = try AnnotatedSource.load(withoutFaces ?? [])
    if let detector, wrong.photos != nil {
      let found = try ModelCatalog.detector(detector)
      var scan = found.scanOptions
      scan.threshold -= alarms ?? 0
      try found.validate(scan, source: "alarms")
      wrong.alarms = { [scan] in found.detect(in: $0, options: scan, executor: .serial) }
    }
    return Setup(faces: faces, dataset: dataset, boxes: boxes, wrong: wrong)
  }

  private func validate() throws {
    func check(_ field: String, _ isRight: Bool, _ found: Any?, _ expected: String) throws {
      if isRight { return }
      throw InputError(
        source: name, field: field, problem: "out of range", found: found.map { "\($0)" }, expected: expected)
    }
    try check("starts", (1...64).contains(starts ?? 1), starts, "1 to 64")
    try check("draws", (1...10_000).contains(draws ?? 1), draws, "1 to 10000")
    try check("failure", (1e-6...10).contains(failure ?? 0.08), failure, "0.000001 to 10")
    try check("alarms", (0...1000).contains(alarms ?? 0), alarms, "0 to 1000")
    let odd = perturb?.first { !($0 > 0 && $0 < 1) }
    try check("perturb", odd == nil, odd, "shares above 0 and below 1")
  }

  /// The report of one model.
  public func report(
    _ model: LandmarkModel, _ setup: Setup, executor: ParallelExecutor, cancellation: Cancellation?
  ) throws -> LandmarkReport {
    try LandmarkRun(model: model, starts: starts ?? 1, executor: executor).report(
      setup.dataset, boxes: setup.boxes,
      perturbations: .init(sizes: perturb ?? [], draws: draws ?? 10, seed: seed ?? 1),
      failureThreshold: failure ?? 0.08, wrong: setup.wrong, cancellation: cancellation)
  }

  /// How faces are measured, in words.
  var optionLines: [(name: String, value: String)] {
    var lines = [("boxes", boxes ?? detector.map { "of the detector \($0)" } ?? "labelled")]
    lines.append(("starts a face", "\(starts ?? 1)"))
    lines.append(("failures", "errors above \(failure ?? 0.08)"))
    if let perturb, !perturb.isEmpty {
      lines.append(
        (
          "moved boxes",
          "by up to \(perturb.map { "\($0)" }.joined(separator: ", ")) of their side; \(draws ?? 10) draws, seed \(seed ?? 1)"
        ))
    }
    if let withoutFaces, !withoutFaces.isEmpty {
      lines.append(("photos without faces", withoutFaces.map(\.data.description).joined(separator: ", ")))
      if detector != nil { lines.append(("false alarms", "up to \(alarms ?? 0) below the detector's threshold")) }
    }
    return lines
  }

  /// One page of one model or several, with checksums of the data.
  public func page(
    _ reports: [LandmarkReport], _ setup: Setup, title: String, command: String?, executor: ParallelExecutor,
    cancellation: Cancellation
  ) throws -> LandmarkPage {
    let sums = try setup.faces.provenance(role: "", executor: executor, cancellation: cancellation)
    return LandmarkPage(
      title: title, reports: reports, data: sums.map { .init(name: $0.name, checksum: $0.checksum) },
      options: optionLines, command: command)
  }

  /// `NAME.html` and `NAME.json`.
  public var files: [String] { ["html", "json"].map { "\(name).\($0)" } }

  /// Writes its `files`.
  public func run(_ model: StoredModel, in context: EvaluationContext) throws -> EvaluationOutcome {
    let fitter = try model.landmarks(source: context.modelPath)
    let setup = try setup(executor: context.executor, progress: context.progress)
    var report = try report(fitter, setup, executor: context.executor, cancellation: context.cancellation)
    report.title = context.title(of: name, on: setup.dataset)
    report.name = context.title
    report.modelChecksum = context.modelChecksum
    for note in report.notes { context.progress.receive(.warning(note)) }
    let page = try page(
      [report], setup, title: report.title, command: context.command, executor: context.executor,
      cancellation: context.cancellation)
    try AtomicFile.write(
      page.html(
        gallery: DatasetPictures(setup.dataset), options: GalleryOptions(limit: 12), executor: context.executor),
      to: context.path("\(name).html"))
    try AtomicFile.write(report.json + "\n", to: context.path("\(name).json"))
    return EvaluationOutcome(figures: figures(report), text: report.text)
  }

  private func figures(_ report: LandmarkReport) -> [ExperimentResult.Figure] {
    var figures: [ExperimentResult.Figure] = []
    func add(
      _ table: String, _ row: String, _ column: String, _ value: Double?, _ tolerance: Double, larger: Bool = false,
      percent: Bool = true
    ) {
      figures.append(
        .init(
          name: "\(name).\(row).\(column)", value: value, tolerance: tolerance, isBetterWhenLarger: larger,
          cell: .init(table: "\(name): \(table)", row: row, column: column, isPercent: percent)))
    }
    for (length, measure) in report.measures {
      let table = "errors normalised by"
      add(table, length, "mean %", measure.mean, 0.001)
      add(table, length, "median %", measure.median, 0.001)
      add(
        table, length, "area to \(measure.failureThreshold)", measure.areaUnderCurve, 0.01, larger: true, percent: false
      )
      add(table, length, "failed %", measure.failureRate, 0.02)
    }
    for one in report.perturbations {
      let table = "boxes moved by up to"
      let growth = one.growth(over: report.still)
      let row = "\(one.kind.rawValue) \(one.size)"
      add(table, row, "mean %", one.mean, 0.002)
      add(table, row, "growth %", growth.mean, 0.05)
      add(table, row, "deviation of single draws, %", growth.deviation, 0.05)
    }
    for (kind, measure) in report.confidence {
      let table = "confidence, right boxes against"
      add(table, kind, "area under ROC", measure.areaUnderCurve, 0.005, larger: true, percent: false)
      add(table, kind, "right kept at 1 % of wrong", measure.rightShare(atWrongShare: 0.01), 0.02, larger: true)
    }
    return figures
  }
}
