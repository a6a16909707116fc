import Execution
import Geometry

/// Scores results against truth under one protocol: what `windhover-evaluate` and experiments call.
///
///     let truth = ...                                   // [AnnotatedImage] of a data set
///     let file = try ResultsFile.read("results.jsonl")
///     let scored = try Evaluator().evaluate(file, name: "HOG", truth: truth)
///     print(scored.figures.value(.averagePrecision(.allPoints)) ?? "undefined")
public struct Evaluator: Sendable {
  public var matcher: Matcher
  public var bootstrap: BootstrapOptions
  public var bands: SizeBands
  /// `nil` scores the boxes as they are.
  public var boxFit: BoxFit.Options?
  /// False positives an image at which the miss rate and a threshold are told.
  public var rates: [Double]
  /// Precisions and recalls for which a threshold is told, in 0...1.
  public var precisions: [Double]
  public var recalls: [Double]

  public init(
    matcher: Matcher = Matcher(), bootstrap: BootstrapOptions = BootstrapOptions(), bands: SizeBands = SizeBands(),
    boxFit: BoxFit.Options? = nil, rates: [Double] = [0.01, 0.1, 1], precisions: [Double] = [0.9, 0.99],
    recalls: [Double] = [0.5, 0.9]
  ) {
    self.matcher = matcher
    self.bootstrap = bootstrap
    self.bands = bands
    self.boxFit = boxFit
    self.rates = rates
    self.precisions = precisions
    self.recalls = recalls
  }

  /// The measures of every figure set, in the order of reports.
  public var measures: [DetectionMeasure] {
    [
      .averagePrecision(.allPoints), .averagePrecision(.elevenPoints), .averagePrecision(.hundredAndOnePoints),
      .logAverageMissRate,
    ] + rates.map { .missRate(falsePositivesPerImage: $0) }
  }

  /// Scores one results file.
  ///
  /// - Parameters:
  ///   - name: What reports call the detector.
  ///   - fit: A box fit made elsewhere; it is applied as it is, and `boxFit` is not asked.
  /// - Throws: as `Matcher.match`; `InputError` where results and truth have no label in common though both have some, or
  ///   a box fit is wanted and nothing meets.
  public func evaluate(
    _ results: ResultsFile, name: String, truth: [AnnotatedImage], fit: BoxFit? = nil,
    executor: ParallelExecutor = .init()
  ) throws -> ScoredResults {
    try evaluate(
      results.images, name: name, source: results.source, checksum: results.checksum, truth: truth, fit: fit,
      executor: executor)
  }

  /// As above, for results that are in memory. `source` and `checksum` are for errors and reports.
  public func evaluate(
    _ results: [ImageDetections], name: String, source: String = "results", checksum: String? = nil,
    truth: [AnnotatedImage], fit: BoxFit? = nil, executor: ParallelExecutor = .init()
  ) throws -> ScoredResults {
    let raw = try matcher.match(results: results, source: source, truth: truth, executor: executor)
    try checkLabels(raw, source)
    var used = fit
    if used == nil, let options = boxFit {
      used = try BoxFit.fit(
        results: results, source: source, truth: truth, matcher: matcher, options: options, executor: executor)
      if used == nil {
        throw InputError(
          source: source, problem: "no box fit can be made",
          found: "no detection that overlaps a target by \(options.overlapThreshold) or more",
          hint: "check that results and truth use the same pixels")
      }
    }
    let rawFigures = figures(raw, label: nil, executor: executor)
    var fitted: (Matching, FigureSet)?
    if let used {
      let matching = try matcher.match(
        results: used.apply(results), source: source, truth: truth, executor: executor)
      fitted = (matching, figures(matching, label: nil, executor: executor))
    }
    let matching = fitted?.0 ?? raw
    let labelled = Set(matching.targets.joined().map(\.label)).sorted()
    var perLabel: [FigureSet] = []
    if matching.labels.count > 1 {
      perLabel = labelled.map { figures(matching, label: $0, executor: executor) }
    }
    return ScoredResults(
      name: name, source: source, checksum: checksum, fit: used, rawFigures: rawFigures, fittedFigures: fitted?.1,
      labelFigures: perLabel, matching: matching)
  }

  private func checkLabels(_ matching: Matching, _ source: String) throws {
    guard matching.options.comparesLabels else { return }
    let wanted = Set(matching.images.flatMap { $0.annotations.map(\.label) })
    let found = Set(matching.results.flatMap { $0.detections.map(\.label) })
    guard !wanted.isEmpty, !found.isEmpty, wanted.isDisjoint(with: found), !wanted.contains("") else { return }
    throw InputError(
      source: source, field: "label", problem: "results and truth have no label in common",
      found: found.sorted().prefix(5).joined(separator: ", "),
      expected: wanted.sorted().prefix(5).joined(separator: ", "),
      hint: "let labels count as one (--any-label), or rename them")
  }

  private func figures(_ matching: Matching, label: Int?, executor: ParallelExecutor) -> FigureSet {
    let ranked = RankedOutcomes(matching, label: label)
    let curve = DetectionCurve(ranked)
    let measures = self.measures
    let intervals = Bootstrap.intervals(of: measures, for: ranked, options: bootstrap, executor: executor)
    var counts: [MatchedDetection.Outcome: Int] = [:]
    for detection in matching.detections where label == nil || detection.label == label {
      counts[detection.outcome, default: 0] += 1
    }
    var points: [FigureSet.Threshold] = rates.map {
      .init(goal: .falsePositivesPerImage($0), point: curve.point(falsePositivesPerImage: $0))
    }
    points += precisions.map { .init(goal: .precision($0), point: curve.point(precision: $0)) }
    points += recalls.map { .init(goal: .recall($0), point: curve.point(recall: $0)) }
    return FigureSet(
      label: label.map { matching.labels[$0] }, imageCount: matching.imageCount, targetCount: ranked.targetCount,
      counts: counts,
      measures: zip(measures, intervals).map { .init(measure: $0, value: ranked.value(of: $0), interval: $1) },
      bands: bands.recall(matching, label: label), thresholds: points, curve: curve, ranked: ranked)
  }
}

/// The figures of one matching, of all labels together or of one.
public struct FigureSet: Sendable {
  public struct Measured: Hashable, Sendable {
    public let measure: DetectionMeasure
    /// `nil` where there is nothing to measure.
    public let value: Double?
    /// `nil` where there is no value, or images or resamples are too few.
    public let interval: ConfidenceInterval?
  }

  /// What a threshold is chosen for.
  public enum Goal: Hashable, Sendable {
    /// The lowest threshold with at most this many.
    case falsePositivesPerImage(Double)
    /// The lowest threshold with at least this precision.
    case precision(Double)
    /// The highest threshold with at least this recall.
    case recall(Double)
  }

  public struct Threshold: Hashable, Sendable {
    public let goal: Goal
    /// `nil` where no threshold reaches the goal.
    public let point: OperatingPoint?
  }

  /// `nil`: all labels.
  public let label: String?
  public let imageCount: Int
  public let targetCount: Int
  let counts: [MatchedDetection.Outcome: Int]
  public let measures: [Measured]
  public let bands: [SizeBands.Recall]
  public let thresholds: [Threshold]
  public let curve: DetectionCurve
  /// For `PairedComparison`.
  public let ranked: RankedOutcomes

  public func count(_ outcome: MatchedDetection.Outcome) -> Int { counts[outcome] ?? 0 }
  public var detectionCount: Int { counts.values.reduce(0, +) }

  /// The value of one of `measures`; `nil` where it is undefined or not among them.
  public func value(_ measure: DetectionMeasure) -> Double? {
    measures.first { $0.measure == measure }?.value
  }
}

/// One detector's results, scored.
public struct ScoredResults: Sendable {
  public let name: String
  public let source: String
  /// SHA-256 of the results file, where there is one.
  public let checksum: String?
  /// The offset and scale of the fitted figures.
  public let fit: BoxFit?
  /// Figures of the boxes as they are.
  public let rawFigures: FigureSet
  /// Figures after the box fit, where one was asked for.
  public let fittedFigures: FigureSet?
  /// One a label that has targets, where there are several labels; after the fit, if any.
  public let labelFigures: [FigureSet]
  /// What the figures rest on: the fitted matching where there is one.
  public let matching: Matching

  /// The fitted figures where there are some, else the raw ones: what comparisons use.
  public var figures: FigureSet { fittedFigures ?? rawFigures }

  /// Mean over labels of a measure, `nil` where there is one label only or a label has no value.
  public func mean(_ measure: DetectionMeasure) -> Double? {
    guard !labelFigures.isEmpty else { return nil }
    let values = labelFigures.compactMap { $0.value(measure) }
    return values.count == labelFigures.count ? values.reduce(0, +) / Double(values.count) : nil
  }
}
