import Foundation

extension EvaluationReport {
  private var curves: [(name: String, figures: FigureSet)] {
    if results.count > 1 { return results.map { ($0.name, $0.figures) } }
    let scored = results[0]
    if let fitted = scored.fittedFigures {
      return [("\(scored.name), fitted boxes", fitted), ("\(scored.name), raw boxes", scored.rawFigures)]
    }
    return [(scored.name, scored.rawFigures)]
  }

  /// Precision against recall, from the surest detection on.
  var precisionRecallPlot: SVGPlot {
    SVGPlot(
      title: "Precision and recall", x: .linear("recall", 0, 1), y: .linear("precision", 0, 1),
      series: curves.map { name, figures in
        let curve = figures.curve
        return SVGPlot.Series(
          name: name, figure: "AP \(NumberText.share(figures.value(.averagePrecision(.allPoints))))",
          points: curve.thinned(to: 2000).compactMap { point in
            curve.recall(point).map { (x: $0, y: curve.precision(point)) }
          })
      })
  }

  /// Miss rate against false positives an image, both logarithmic.
  ///
  /// Points without a false positive stand on the left border.
  var missRatePlot: SVGPlot {
    var lowest = 0.5
    var most = 1.0
    for (_, figures) in curves {
      guard let last = figures.curve.points.last else { continue }
      lowest = min(lowest, figures.curve.missRate(last) ?? lowest)
      most = max(most, figures.curve.falsePositivesPerImage(last))
    }
    let floor = lowest >= 0.1 ? 0.1 : (lowest >= 0.05 ? 0.05 : 0.01)
    let upper = min(1000, pow(10, ceil(log10(most) - 1e-9)))
    return SVGPlot(
      title: "Miss rate and false positives an image", x: .logarithmic("false positives an image", 1e-3, upper),
      y: .logarithmic("miss rate", floor, 1),
      series: curves.map { name, figures in
        let curve = figures.curve
        return SVGPlot.Series(
          name: name, figure: "log-average \(NumberText.share(figures.value(.logAverageMissRate)))",
          points: curve.thinned(to: 2000).compactMap { point in
            curve.missRate(point).map { (x: curve.falsePositivesPerImage(point), y: $0) }
          })
      })
  }

  /// The plots as SVG files of their own, by file name.
  public func plots() -> [(name: String, svg: String)] {
    [
      ("precision-recall.svg", precisionRecallPlot.svg(standalone: true)),
      ("miss-rate.svg", missRatePlot.svg(standalone: true)),
    ]
  }
}
