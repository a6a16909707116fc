extension EvaluationReport {
  /// The report as plain text: tables of aligned columns, `-` for what is undefined.
  public func text() -> String {
    var text = "\(title)\n\n"
    let first = results[0].rawFigures
    for source in truth { text += "truth    \(source.name)\n" }
    text +=
      "         \(first.imageCount) images, \(first.targetCount) targets, \(ignoredCount) ignored\n"
    text += "         sha256 \(truthChecksum)\n"
    for (name, value) in protocolLines { text += "\(name): \(value)\n" }
    for note in notes { text += "note: \(note)\n" }
    text += "\n"
    if results.count == 1 {
      text += single(results[0])
    } else {
      text += comparison()
    }
    return text
  }

  private func single(_ scored: ScoredResults) -> String {
    var text = "results  \(scored.source)\n"
    if let fit = scored.fit { text += "box fit  \(fit.summary)\n" }
    text += "\n"
    let sets = [scored.rawFigures] + [scored.fittedFigures].compactMap { $0 }
    let names = sets.count == 2 ? ["raw", "fitted"] : [""]
    var table = TextTable(["measure"] + names.flatMap { [$0.isEmpty ? "value" : $0, "interval"] })
    for index in sets[0].measures.indices {
      table.add(
        [sets[0].measures[index].measure.name]
          + sets.flatMap {
            [NumberText.share($0.measures[index].value), EvaluationReport.range($0.measures[index].interval)]
          })
    }
    text += table.text + "\n"
    var counts = TextTable(["detections"] + (names == [""] ? ["count"] : names))
    for outcome in MatchedDetection.Outcome.allCases {
      counts.add([outcome.words] + sets.map { String($0.count(outcome)) })
    }
    text += counts.text + "\n"
    text += EvaluationReport.thresholds(scored.figures) + "\n" + bands([("recall", scored.figures)])
    if !scored.labelFigures.isEmpty {
      var labels = TextTable(["label", "targets", "AP", "log-average miss rate"])
      for figures in scored.labelFigures {
        labels.add([
          figures.label ?? "", String(figures.targetCount),
          NumberText.share(figures.value(.averagePrecision(.allPoints))),
          NumberText.share(figures.value(.logAverageMissRate)),
        ])
      }
      labels.add([
        "mean", "", NumberText.share(scored.mean(.averagePrecision(.allPoints))),
        NumberText.share(scored.mean(.logAverageMissRate)),
      ])
      text += "\n" + labels.text
    }
    return text
  }

  private func comparison() -> String {
    let measures = results[0].figures.measures.map(\.measure)
    let anyFit = results.contains { $0.fit != nil }
    var table = TextTable(["detector"] + (anyFit ? ["raw AP"] : []) + measures.map(\.name))
    for scored in results {
      table.add(
        [scored.name]
          + (anyFit ? [NumberText.share(scored.rawFigures.value(.averagePrecision(.allPoints)))] : [])
          + scored.figures.measures.map { NumberText.share($0.value) })
    }
    var text = table.text + "\n"
    for scored in results where scored.fit != nil { text += "box fit  \(scored.name): \(scored.fit!.summary)\n" }
    if anyFit { text += "\n" }
    var pairTable = TextTable(["pair", "measure", "difference", "interval", "p", "verdict"])
    for pair in pairs { pairTable.add([pairName(pair)] + EvaluationReport.cells(pair, verdict: verdict(pair))) }
    text += pairTable.text + "\n"
    text += bands(results.map { ($0.name, $0.figures) })
    return text
  }

  func pairName(_ pair: PairedComparison.Pair) -> String {
    "\(results[pair.first].name) - \(results[pair.second].name)"
  }

  func verdict(_ pair: PairedComparison.Pair) -> String {
    switch pair.comparison?.verdict {
    case .firstIsBetter: "\(results[pair.first].name) is better"
    case .secondIsBetter: "\(results[pair.second].name) is better"
    case .undecided: "undecided"
    case nil: "-"
    }
  }

  static func cells(_ pair: PairedComparison.Pair, verdict: String) -> [String] {
    let difference = pair.comparison?.difference
    return [
      pair.measure.name, difference.map { ($0.value < 0 ? "" : "+") + NumberText.share($0.value) } ?? "-",
      range(difference), NumberText.short(pair.comparison?.pValue, digits: 2), verdict,
    ]
  }

  static func range(_ interval: ConfidenceInterval?) -> String {
    guard let interval else { return "-" }
    return "\(NumberText.share(interval.lower)) to \(NumberText.share(interval.upper))"
  }

  private static func thresholds(_ figures: FigureSet) -> String {
    var table = TextTable(["threshold for", "score", "precision", "recall", "FPPI"])
    for threshold in figures.thresholds { table.add([threshold.goal.text] + cells(threshold.point, figures.curve)) }
    return table.text
  }

  static func cells(_ point: OperatingPoint?, _ curve: DetectionCurve) -> [String] {
    guard let point else { return ["-", "-", "-", "-"] }
    return [
      NumberText.short(point.score, digits: 6), NumberText.share(curve.precision(point)),
      NumberText.share(curve.recall(point)), NumberText.short(curve.falsePositivesPerImage(point)),
    ]
  }

  private func bands(_ sets: [(name: String, figures: FigureSet)]) -> String {
    var table = TextTable([evaluator.bands.measure.rawValue, "targets"] + sets.map(\.name))
    for (index, band) in sets[0].figures.bands.enumerated() {
      table.add(
        [band.text, String(band.targetCount)] + sets.map { NumberText.share($0.figures.bands[index].recall) })
    }
    return table.text
  }
}

extension MatchedDetection.Outcome {
  /// What reports call it.
  var words: String {
    switch self {
    case .right: "right"
    case .duplicate: "false alarms, duplicates"
    case .wrong: "false alarms, background"
    case .ignored: "ignored"
    }
  }
}
