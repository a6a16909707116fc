extension EvaluationReport {
  /// The report as JSON with stable keys in a fixed order; what is undefined is null. Boxes and sizes in pixels.
  ///
  /// `curve` lists `[score, precision, recall, false positives an image]` at the corners of the curve, at most about 500.
  public func json() -> String {
    JSONValue.object([
      "format": .string("windhover-evaluation"), "version": .integer(1), "title": .string(title),
      "command": .string(command),
      "truth": .object([
        "sources": .array(
          truth.map { .object(["name": .string($0.name), "sha256": .string($0.checksum)]) }),
        "images": .integer(results[0].rawFigures.imageCount),
        "targets": .integer(results[0].rawFigures.targetCount), "ignored": .integer(ignoredCount),
        "rule": .string(targets), "sha256": .string(truthChecksum),
      ]),
      "options": optionsValue, "notes": .array(notes.map { .string($0) }),
      "results": .array(results.map(EvaluationReport.value)), "pairs": .array(pairs.map(pairValue)),
    ]).indented
  }

  private var optionsValue: JSONValue {
    let options = evaluator.matcher.options
    return .object([
      "overlap": .number(options.overlapThreshold), "comparison": .string(options.comparison.symbol),
      "overlap_kind": .string(options.overlapKind.rawValue), "assignment": .string(options.assignment.rawValue),
      "ignore_rule": .string(options.ignoreRule.rawValue), "ignore_threshold": .number(options.ignoreThreshold),
      "compares_labels": .bool(options.comparesLabels),
      "missing_images": .string(evaluator.matcher.missingImages.rawValue),
      "unknown_images": .string(evaluator.matcher.unknownImages.rawValue),
      "box_fit_overlap": .number(evaluator.boxFit?.overlapThreshold),
      "box_fit_aspect": evaluator.boxFit.map { .bool($0.fitsAspect) } ?? .null,
      "bootstrap": .object([
        "resamples": .integer(evaluator.bootstrap.resampleCount),
        "seed": .string(String(evaluator.bootstrap.seed)), "level": .number(evaluator.bootstrap.level),
      ]),
    ])
  }

  private static func value(_ scored: ScoredResults) -> JSONValue {
    .object([
      "name": .string(scored.name), "source": .string(scored.source), "sha256": .string(scored.checksum),
      "images_counted_as_empty": .array(scored.matching.imagesCountedAsEmpty.map { .string($0) }),
      "images_left_out": .array(scored.matching.imagesLeftOut.map { .string($0) }),
      "targets_without_area": .integer(scored.matching.emptyTargetCount),
      "targets_outside": .integer(scored.matching.outsideTargetCount),
      "raw": value(scored.rawFigures),
      "box_fit": scored.fit.map { fit in
        .object([
          "offset_x": .number(fit.offsetX), "offset_y": .number(fit.offsetY), "scale_x": .number(fit.scaleX),
          "scale_y": .number(fit.scaleY), "pairs": .integer(fit.pairCount),
        ])
      } ?? .null,
      "fitted": scored.fittedFigures.map(value) ?? .null,
      "labels": .array(scored.labelFigures.map(value)),
    ])
  }

  private static func value(_ figures: FigureSet) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init(key: "label", value: .string(figures.label)),
      .init(key: "targets", value: .integer(figures.targetCount)),
      .init(key: "detections", value: .integer(figures.detectionCount)),
      .init(key: "right", value: .integer(figures.count(.right))),
      .init(key: "duplicates", value: .integer(figures.count(.duplicate))),
      .init(key: "wrong", value: .integer(figures.count(.wrong))),
      .init(key: "ignored", value: .integer(figures.count(.ignored))),
    ]
    members += figures.measures.map { .init(key: $0.measure.key, value: value($0.value, $0.interval)) }
    members.append(.init(key: "thresholds", value: .array(figures.thresholds.map { value($0, figures.curve) })))
    members.append(
      .init(
        key: "recall_by_size",
        value: .array(
          figures.bands.map {
            .object([
              "from": .number($0.from), "up_to": .number($0.upTo), "targets": .integer($0.targetCount),
              "found": .integer($0.foundCount), "recall": .number($0.recall),
            ])
          })))
    members.append(
      .init(
        key: "curve",
        value: .array(
          figures.curve.thinned(to: 500).map { point in
            .array([
              .number(point.score), .number(figures.curve.precision(point)), .number(figures.curve.recall(point)),
              .number(figures.curve.falsePositivesPerImage(point)),
            ])
          })))
    return .object(members)
  }

  private static func value(_ value: Double?, _ interval: ConfidenceInterval?) -> JSONValue {
    .object([
      "value": .number(value), "lower": .number(interval?.lower), "upper": .number(interval?.upper),
      "standard_error": .number(interval?.standardError), "resamples": .integer(interval?.resampleCount),
    ])
  }

  private static func value(_ threshold: FigureSet.Threshold, _ curve: DetectionCurve) -> JSONValue {
    let (kind, wanted): (String, Double) =
      switch threshold.goal {
      case .falsePositivesPerImage(let rate): ("false_positives_per_image", rate)
      case .precision(let wanted): ("precision", wanted)
      case .recall(let wanted): ("recall", wanted)
      }
    let point = threshold.point
    return .object([
      "goal": .string(kind), "wanted": .number(wanted), "score": .number(point?.score),
      "precision": .number(point.map(curve.precision)), "recall": .number(point.flatMap(curve.recall)),
      "false_positives_per_image": .number(point.map(curve.falsePositivesPerImage)),
    ])
  }

  private func pairValue(_ pair: PairedComparison.Pair) -> JSONValue {
    let comparison = pair.comparison
    return .object([
      "first": .string(results[pair.first].name), "second": .string(results[pair.second].name),
      "measure": .string(pair.measure.key),
      "difference": EvaluationReport.value(comparison?.difference.value, comparison?.difference),
      "p": .number(comparison?.pValue), "verdict": .string(comparison?.verdict.rawValue),
    ])
  }
}

extension DetectionMeasure {
  /// The key in JSON, for example "average_precision" or "miss_rate_at_0.1_fppi".
  public var key: String {
    switch self {
    case .averagePrecision(.allPoints): "average_precision"
    case .averagePrecision(.elevenPoints): "average_precision_11"
    case .averagePrecision(.hundredAndOnePoints): "average_precision_101"
    case .averagePrecision(.uninterpolated): "average_precision_uninterpolated"
    case .logAverageMissRate: "log_average_miss_rate"
    case .missRate(let rate): "miss_rate_at_\(NumberText.short(rate))_fppi"
    }
  }
}
