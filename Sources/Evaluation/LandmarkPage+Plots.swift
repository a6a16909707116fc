import Foundation

extension LandmarkPage {
  /// Cumulative curves by the first two normalisations, then what there is of error against moved boxes, by point, and the
  /// confidence's ROC.
  var plots: [SVGPlot] {
    let normalizers = reports[0].measures.prefix(2).indices
    return normalizers.map(cumulativePlot) + [perturbationPlot, pointPlot, confidencePlot].compactMap { $0 }
  }

  private func cumulativePlot(_ index: Int) -> SVGPlot {
    let (name, first) = reports[0].measures[index]
    let limit = first.failureThreshold
    return SVGPlot(
      title: "Faces whose error is at most x, normalised by \(name)", x: .linear("error", 0, limit),
      y: .linear("share of faces", 0, 1),
      series: reports.filter { $0.measures.indices.contains(index) }.map { report in
        let measure = report.measures[index].measure
        var points: [(x: Double, y: Double)] = [(0, 0)]
        // A step at each error.
        for (error, share) in measure.curve where error <= limit {
          points += [(error, points.last?.y ?? 0), (error, share)]
        }
        points.append((limit, points.last?.y ?? 0))
        return SVGPlot.Series(
          name: report.name, figure: "mean \(LandmarkPage.percent(measure.mean))",
          points: measure.errors.isEmpty ? [] : points)
      })
  }

  private var perturbationPlot: SVGPlot? {
    var series: [SVGPlot.Series] = []
    let kinds = reports.count == 1 ? LandmarkPerturbation.Kind.allCases : [.both]
    for report in reports {
      for kind in kinds {
        var points: [(x: Double, y: Double)] = report.still.map { [(0, $0)] } ?? []
        let moved = report.perturbations.filter { $0.kind == kind }.sorted { $0.size < $1.size }
        points += moved.compactMap { one in one.mean.map { (one.size, $0) } }
        guard points.count > 1, let last = moved.last else { continue }
        series.append(
          SVGPlot.Series(
            name: reports.count == 1 ? kind.rawValue : report.name,
            figure: "at \(NumberText.short(last.size)): \(LandmarkPage.percent(last.mean))", points: points))
      }
    }
    guard let right = series.compactMap({ $0.points.last?.x }).max(),
      let top = series.flatMap(\.points).map(\.y).max(), top > 0
    else { return nil }
    return SVGPlot(
      title: "Error with boxes moved by up to x of their side" + (reports.count > 1 ? ", shift and scale" : ""),
      x: .linear("share of the box's side", 0, right), y: .linear("mean error", 0, 1.05 * top), series: series)
  }

  private var pointPlot: SVGPlot? {
    let count = reports.map(\.points.count).max() ?? 0
    let top = reports.flatMap(\.points).compactMap(\.mean).max() ?? 0
    guard count > 1, top > 0 else { return nil }
    return SVGPlot(
      title: "Error by point", x: .indices("point, as the tables number and name them", count: count),
      y: .linear("mean error", 0, 1.05 * top),
      series: reports.map { report in
        SVGPlot.Series(
          name: report.name, figure: "",
          points: report.points.enumerated().compactMap { point, measure in measure.mean.map { (Double(point), $0) } })
      })
  }

  private var confidencePlot: SVGPlot? {
    let series = reports.flatMap { report in
      (reports.count == 1 ? report.confidence[...] : report.confidence.suffix(1)).map { name, measure in
        SVGPlot.Series(
          name: reports.count == 1 ? name : "\(report.name), \(name)",
          figure: "area \(NumberText.share(measure.areaUnderCurve))",
          points: measure.curve.map { (x: $0.wrongShare, y: $0.rightShare) })
      }
    }
    guard series.contains(where: { !$0.points.isEmpty }) else { return nil }
    return SVGPlot(
      title: "Confidence: right boxes kept against wrong ones kept", x: .logarithmic("wrong boxes kept", 1e-3, 1),
      y: .linear("right boxes kept", 0, 1), series: series)
  }
}
