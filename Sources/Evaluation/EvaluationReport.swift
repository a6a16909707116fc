import Execution

/// Results of one detector or several over one truth, with all that a reader needs to trust and repeat the figures.
///
/// `text()`, `json()` and `html(gallery:)` show it.
public struct EvaluationReport: Sendable {
  /// A data set of the truth.
  public struct TruthSource: Hashable, Sendable {
    public var name: String
    /// SHA-256 of the annotations, where they are in a file.
    public var checksum: String?

    public init(name: String, checksum: String? = nil) {
      self.name = name
      self.checksum = checksum
    }
  }

  public let title: String
  public let results: [ScoredResults]
  public let truth: [TruthSource]
  /// The rule by which annotations were chosen as targets, in words; `nil`: those that the data set names.
  public let targets: String?
  public let evaluator: Evaluator
  /// Every pair of `results`, measure by measure.
  public let pairs: [PairedComparison.Pair]
  /// The command that made it.
  public let command: String?
  /// SHA-256 of the truth as it was scored: names, boxes, labels and what is ignored, whatever the files' format and order.
  public let truthChecksum: String
  /// Things a reader should know: images counted as empty, left out, targets without an area or outside their image.
  public let notes: [String]

  /// - Precondition: there is at least one result, and all are over the same truth under the same evaluator.
  public init(
    title: String, results: [ScoredResults], truth: [TruthSource], targets: String? = nil, evaluator: Evaluator,
    command: String? = nil, executor: ParallelExecutor = .init()
  ) {
    precondition(!results.isEmpty, "a report needs at least one result")
    self.title = title
    self.results = results
    self.truth = truth
    self.targets = targets
    self.evaluator = evaluator
    self.command = command
    pairs =
      results.count < 2
      ? []
      : PairedComparison.all(
        results.map(\.figures.ranked), measures: [.averagePrecision(.allPoints), .logAverageMissRate],
        options: evaluator.bootstrap, executor: executor)
    notes = results.flatMap(EvaluationReport.notes)
    truthChecksum = EvaluationReport.checksum(results[0].matching)
  }

  private static func checksum(_ matching: Matching) -> String {
    var hash = SHA256()
    for image in matching.images {
      let lines = image.annotations.map { annotation in
        let box = annotation.box
        return "\(annotation.isIgnored ? "ignored" : "target") \(box.x) \(box.y) \(box.width) \(box.height) "
          + "\(annotation.label)\n"
      }
      hash.update(("\(image.name)\n" + lines.sorted().joined()).utf8)
    }
    return hash.hexDigest()
  }

  private static func notes(_ scored: ScoredResults) -> [String] {
    let matching = scored.matching
    var notes: [String] = []
    func add(_ names: [String], _ what: String) {
      guard let first = names.first else { return }
      let rest = names.count > 1 ? " and \(names.count - 1) more" : ""
      notes.append("\(scored.name): \(names.count) \(what): \(first)\(rest)")
    }
    add(matching.imagesCountedAsEmpty, "images of the truth without a results line, counted as empty")
    add(matching.imagesLeftOut, "images of the results that the truth lacks, left out")
    let wanted = Set(matching.targets.joined().map(\.label))
    let foreign = Set(matching.detections.lazy.map(\.label)).subtracting(wanted).sorted()
    if !wanted.isEmpty, !foreign.isEmpty {
      let numbers = Set(foreign)
      let count = matching.detections.reduce(0) { $0 + (numbers.contains($1.label) ? 1 : 0) }
      notes.append(
        "\(scored.name): \(count) detections have labels that no target has: "
          + foreign.prefix(3).map { "\"\(matching.labels[$0])\"" }.joined(separator: ", "))
    }
    if matching.emptyTargetCount > 0 {
      notes.append("\(scored.name): \(matching.emptyTargetCount) targets without an area are treated as ignored")
    }
    if matching.outsideTargetCount > 0 {
      notes.append(
        "\(scored.name): \(matching.outsideTargetCount) targets outside their image, by the size that the results give, are "
          + "treated as ignored")
    }
    return notes
  }

  var ignoredCount: Int { results[0].matching.ignoredCount }

  /// Lines of a report's "how": names and values.
  var protocolLines: [(name: String, value: String)] {
    var lines = [("matching rule", evaluator.matcher.options.description)]
    lines.append(("equal scores", "one point of a curve; within an image the larger overlap is matched first"))
    lines.append(("targets", targets ?? "as the data set marks them"))
    if evaluator.boxFit != nil || results.contains(where: { $0.fit != nil }) {
      lines.append(
        (
          "box fit",
          "one offset and one scale a detector, by medians over pairs that overlap by "
            + "\(NumberText.short((evaluator.boxFit ?? .init()).overlapThreshold)) or more, repeated until they stand still; "
            + "fitted on the set that is scored"
        ))
    }
    let bootstrap = evaluator.bootstrap
    lines.append(
      (
        "intervals",
        bootstrap.resampleCount == 0
          ? "none"
          : "\(NumberText.short(bootstrap.level * 100)) %, bootstrap over images, \(bootstrap.resampleCount) resamples, "
            + "seed \(bootstrap.seed)"
      ))
    return lines
  }
}

extension BoxFit {
  /// One line for reports.
  public var summary: String {
    func signed(_ value: Double) -> String { (value < 0 ? "" : "+") + NumberText.share(value) }
    let scale =
      scaleX == scaleY
      ? "scale \(NumberText.share(scaleX))"
      : "scale \(NumberText.share(scaleX)) across, \(NumberText.share(scaleY)) down"
    return "offset \(signed(offsetX)) width, \(signed(offsetY)) height; \(scale) (\(pairCount) pairs)"
  }
}

extension FigureSet.Goal {
  /// The goal in words.
  public var text: String {
    switch self {
    case .falsePositivesPerImage(let rate): "FPPI <= \(NumberText.short(rate))"
    case .precision(let wanted): "precision >= \(NumberText.short(wanted))"
    case .recall(let wanted): "recall >= \(NumberText.short(wanted))"
    }
  }
}

extension SizeBands.Recall {
  /// The band in words: "20 to 40 px".
  public var text: String {
    switch (from, upTo) {
    case (nil, nil): "all"
    case (nil, let upper?): "below \(NumberText.short(upper)) px"
    case (let lower?, nil): "\(NumberText.short(lower)) px and more"
    case (let lower?, let upper?): "\(NumberText.short(lower)) to \(NumberText.short(upper)) px"
    }
  }
}
