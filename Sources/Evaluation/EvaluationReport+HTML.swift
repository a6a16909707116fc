import Execution

extension EvaluationReport {
  /// The report as one HTML page that needs nothing else: styles, plots and pictures are in it, and it runs no script.
  ///
  /// - Parameter provider: gives the pictures of the galleries; `nil` leaves the galleries out.
  public func html(
    gallery provider: (any GalleryImageProvider)? = nil, options: GalleryOptions = GalleryOptions(),
    executor: ParallelExecutor = .init()
  ) -> String {
    var text = ""
    let first = results[0].rawFigures
    text +=
      "<p class=\"lead\">\(NumberText.count(first.imageCount)) images, \(NumberText.count(first.targetCount)) targets"
    text += ignoredCount > 0 ? ", \(NumberText.count(ignoredCount)) ignored</p>\n" : "</p>\n"
    for note in notes { text += "<p class=\"note\">\(Markup.escaped(note))</p>\n" }
    text += results.count == 1 ? cards(results[0]) : overview()
    text += "<h2>Curves</h2>\n<div class=\"plots\">\n"
    for plot in [precisionRecallPlot, missRatePlot] { text += plot.figure }
    text += "</div>\n"
    text += "<h2>Figures</h2>\n" + figures()
    if let provider {
      for scored in results {
        text += "<h2>Examples\(results.count > 1 ? ": \(Markup.escaped(scored.name))" : "")</h2>\n"
        text += Gallery.html(scored, provider: provider, options: options, executor: executor)
      }
    }
    return HTMLPage.html(title: title, body: text + "<h2>Protocol and data</h2>\n" + provenance())
  }

  private func cards(_ scored: ScoredResults) -> String {
    var cards: [(String, String, String)] = []
    if let fitted = scored.fittedFigures {
      cards.append(card(fitted, .averagePrecision(.allPoints), "average precision, fitted boxes"))
      cards.append(card(scored.rawFigures, .averagePrecision(.allPoints), "average precision, raw boxes"))
    } else {
      cards.append(card(scored.rawFigures, .averagePrecision(.allPoints), "average precision"))
    }
    let figures = scored.figures
    cards.append(card(figures, .logAverageMissRate, "log-average miss rate"))
    let last = figures.curve.points.last
    let found = figures.targetCount > 0 ? "\(figures.count(.right)) of \(figures.targetCount)" : ""
    cards.append((NumberText.share(last.flatMap(figures.curve.recall)), "recall at the lowest score", found))
    cards.append(
      (
        NumberText.short(last.map(figures.curve.falsePositivesPerImage)), "false positives an image there",
        "\(NumberText.count(figures.count(.wrong) + figures.count(.duplicate))) in all"
      ))
    return HTMLPage.cards(cards)
  }

  private func card(_ figures: FigureSet, _ measure: DetectionMeasure, _ name: String) -> (String, String, String) {
    let measured = figures.measures.first { $0.measure == measure }
    let range = measured?.interval.map { EvaluationReport.range($0) } ?? ""
    return (NumberText.share(measured?.value), name, range)
  }

  /// The table of several results, the best value of each column in bold.
  private func overview() -> String {
    let measures = results[0].figures.measures.map(\.measure)
    let anyFit = results.contains { $0.fit != nil }
    var rows: [[String]] = []
    let best = measures.map { measure -> Double? in
      let values = results.compactMap { $0.figures.value(measure) }
      return measure.isBetterWhenLarger ? values.max() : values.min()
    }
    for scored in results {
      var row = [Markup.escaped(scored.name)]
      if anyFit { row.append(NumberText.share(scored.rawFigures.value(.averagePrecision(.allPoints)))) }
      for (index, measured) in scored.figures.measures.enumerated() {
        let value = NumberText.share(measured.value)
        let isBest = measured.value != nil && measured.value == best[index]
        let range = measured.interval.map { "<br><span class=\"range\">\(EvaluationReport.range($0))</span>" } ?? ""
        row.append((isBest ? "<span class=\"best\">\(value)</span>" : value) + range)
      }
      rows.append(row)
    }
    return HTMLTable.html(
      caption: nil, header: ["detector"] + (anyFit ? ["AP, raw boxes"] : []) + measures.map(\.name), rows: rows)
  }

  private func figures() -> String {
    var text = ""
    if results.count > 1 {
      text += HTMLTable.html(
        caption: "Does a difference mean anything? Paired bootstrap over images",
        header: ["pair", "measure", "difference", "interval", "p", "verdict"],
        rows: pairs.map { pair in
          [Markup.escaped(pairName(pair))]
            + EvaluationReport.cells(pair, verdict: verdict(pair)).map(Markup.escaped)
        })
    }
    text += "<div class=\"tables\">\n"
    if results.count == 1 {
      text += "<div>\(measureTable(results[0]))\(thresholdTable(results[0]))</div>"
      text += "<div>\(countTable(results[0]))\(bandTable())</div>"
    } else {
      text += "<div>\(bandTable())</div>"
      for scored in results { text += "<div>\(thresholdTable(scored))</div>" }
    }
    for scored in results where !scored.labelFigures.isEmpty { text += "<div>\(labelTable(scored))</div>" }
    return text + "</div>\n"
  }

  private func measureTable(_ scored: ScoredResults) -> String {
    let sets = [scored.rawFigures] + [scored.fittedFigures].compactMap { $0 }
    let names = sets.count == 2 ? ["raw boxes", "fitted boxes"] : ["value"]
    return HTMLTable.html(
      caption: "Measures", header: ["measure"] + names,
      rows: sets[0].measures.indices.map { index in
        [Markup.escaped(sets[0].measures[index].measure.name)]
          + sets.map { figures in
            let measured = figures.measures[index]
            let range = measured.interval.map { " <span class=\"range\">\(EvaluationReport.range($0))</span>" } ?? ""
            return NumberText.share(measured.value) + range
          }
      })
  }

  private func countTable(_ scored: ScoredResults) -> String {
    let sets = [scored.rawFigures] + [scored.fittedFigures].compactMap { $0 }
    return HTMLTable.html(
      caption: "Detections",
      header: ["what became of them"] + (sets.count == 2 ? ["raw boxes", "fitted boxes"] : ["count"]),
      rows: MatchedDetection.Outcome.allCases.map { outcome in
        [outcome.words] + sets.map { NumberText.count($0.count(outcome)) }
      })
  }

  private func bandTable() -> String {
    HTMLTable.html(
      caption: "Recall by \(evaluator.bands.measure.rawValue), at the lowest score",
      header: [evaluator.bands.measure.rawValue, "targets"]
        + (results.count == 1 ? ["recall"] : results.map { Markup.escaped($0.name) }),
      rows: results[0].figures.bands.enumerated().map { index, band in
        [band.text, NumberText.count(band.targetCount)]
          + results.map { NumberText.share($0.figures.bands[index].recall) }
      })
  }

  private func thresholdTable(_ scored: ScoredResults) -> String {
    let name = results.count > 1 ? ": \(Markup.escaped(scored.name))" : ""
    return HTMLTable.html(
      caption: "Thresholds\(name)", header: ["for", "score", "precision", "recall", "FPPI"],
      rows: scored.figures.thresholds.map {
        [Markup.escaped($0.goal.text)] + EvaluationReport.cells($0.point, scored.figures.curve)
      })
  }

  private func labelTable(_ scored: ScoredResults) -> String {
    var rows = scored.labelFigures.map { figures in
      [
        Markup.escaped(figures.label ?? ""), NumberText.count(figures.targetCount),
        NumberText.share(figures.value(.averagePrecision(.allPoints))),
        NumberText.share(figures.value(.logAverageMissRate)),
      ]
    }
    rows.append([
      "mean", "", NumberText.share(scored.mean(.averagePrecision(.allPoints))),
      NumberText.share(scored.mean(.logAverageMissRate)),
    ])
    let name = results.count > 1 ? ": \(Markup.escaped(scored.name))" : ""
    return HTMLTable.html(
      caption: "Labels\(name)", header: ["label", "targets", "AP", "log-average miss rate"], rows: rows)
  }

  private func provenance() -> String {
    var lines: [(String, String)] = protocolLines.map { ($0.name, Markup.escaped($0.value)) }
    for source in truth {
      let sum = source.checksum.map { "<br><code>sha256 \($0)</code>" } ?? ""
      lines.append(("truth", Markup.escaped(source.name) + sum))
    }
    lines.append(("truth as used", "<code>sha256 \(truthChecksum)</code>"))
    for scored in results {
      let sum = scored.checksum.map { "<br><code>sha256 \($0)</code>" } ?? ""
      let fit = scored.fit.map { "<br>box fit: \(Markup.escaped($0.summary))" } ?? ""
      let name = results.count > 1 ? "results, \(Markup.escaped(scored.name))" : "results"
      lines.append((name, Markup.escaped(scored.source) + sum + fit))
    }
    if let command { lines.append(("command", "<code>\(Markup.escaped(command))</code>")) }
    return HTMLPage.definitions(lines)
  }
}
