import Execution
import Foundation
import Geometry

/// Landmark figures of one fitter or several on the same faces, as one HTML page: curves, tables, galleries, and all that a
/// reader needs to trust and repeat them.
public struct LandmarkPage: Sendable {
  public let title: String
  /// One a fitter, over the same faces, with names of their own.
  public let reports: [LandmarkReport]
  public let data: [EvaluationReport.TruthSource]
  /// How the faces were measured: names and values.
  public let options: [(name: String, value: String)]
  /// The command that made it.
  public let command: String?

  /// - Precondition: there is at least one report.
  public init(
    title: String, reports: [LandmarkReport], data: [EvaluationReport.TruthSource] = [],
    options: [(name: String, value: String)] = [], command: String? = nil
  ) {
    precondition(!reports.isEmpty, "a page needs at least one report")
    self.title = title
    self.reports = reports
    self.data = data
    self.options = options
    self.command = command
  }

  /// The page; it needs nothing else and runs no script.
  ///
  /// - Parameters:
  ///   - provider: gives the galleries' pictures; `nil` leaves the galleries out.
  ///   - gallery: faces of each kind and fitter: the best, the median and the worst fits.
  public func html(
    gallery provider: (any GalleryImageProvider)? = nil, options gallery: GalleryOptions = GalleryOptions(),
    executor: ParallelExecutor = .init()
  ) -> String {
    let first = reports[0]
    var text = "<p class=\"lead\">\(NumberText.count(first.measures.first?.measure.errors.count ?? 0)) faces"
    text += first.points.isEmpty ? "</p>\n" : ", \(first.points.count) points</p>\n"
    for report in reports {
      for note in report.notes {
        text += "<p class=\"note\">\(Markup.escaped(reports.count > 1 ? "\(report.name): \(note)" : note))</p>\n"
      }
    }
    if reports.count == 1 { text += cards(first) }
    text += "<h2>Curves</h2>\n<div class=\"plots\">\n"
    for plot in plots { text += plot.figure }
    text += "</div>\n<h2>Figures</h2>\n" + figures()
    if let provider {
      for report in reports where !report.faces.isEmpty {
        text += "<h2>Fits\(reports.count > 1 ? ": \(Markup.escaped(report.name))" : "")</h2>\n"
        text += LandmarkGallery.html(report, provider: provider, options: gallery, executor: executor)
      }
    }
    return HTMLPage.html(title: title, body: text + "<h2>Options and data</h2>\n" + provenance())
  }

  private var lengthName: String { reports[0].measures.first?.name ?? "" }

  private func cards(_ report: LandmarkReport) -> String {
    var cards: [(value: String, name: String, detail: String)] = []
    if let (name, measure) = report.measures.first {
      let limit = NumberText.short(measure.failureThreshold)
      cards.append((LandmarkPage.percent(measure.mean), "mean error", "normalised by \(name)"))
      cards.append((LandmarkPage.percent(measure.median), "median error", ""))
      cards.append((LandmarkPage.fixed(measure.areaUnderCurve), "area under the curve", "up to an error of \(limit)"))
      cards.append((LandmarkPage.percent(measure.failureRate), "failures", "errors above \(limit)"))
    }
    if let moved = report.perturbations.first(where: { $0.kind == .both && $0.size >= 0.0999 }) {
      let growth = moved.growth(over: report.still)
      cards.append(
        (
          LandmarkPage.percent(growth.mean),
          "more error, boxes moved and scaled by \(LandmarkPage.percent(moved.size, 0))",
          "single draws scatter by \(LandmarkPage.percent(growth.deviation))"
        ))
    }
    if let all = report.confidence.last {
      cards.append((LandmarkPage.fixed(all.measure.areaUnderCurve), "confidence: area under ROC", "wrong: \(all.name)"))
    }
    return HTMLPage.cards(cards)
  }

  private func figures() -> String {
    var text = "<div class=\"tables\">\n<div>"
    let columns = ["faces", "mean", "median", "AUC", "failed"]
    func cells(_ measure: LandmarkMeasure) -> [String] {
      [
        NumberText.count(measure.errors.count), LandmarkPage.percent(measure.mean),
        LandmarkPage.percent(measure.median),
        LandmarkPage.fixed(measure.areaUnderCurve), LandmarkPage.percent(measure.failureRate),
      ]
    }
    let isOne = reports.count == 1
    text += HTMLTable.html(
      caption: "By normalisation", header: [isOne ? "length" : "length, model"] + columns,
      rows: (reports[0].measures.indices).flatMap { index in
        reports.filter { $0.measures.indices.contains(index) }.map { report in
          let (name, measure) = report.measures[index]
          return [isOne ? name : "\(name), \(Markup.escaped(report.name))"] + cells(measure)
        }
      })
    if reports.contains(where: { !$0.confidence.isEmpty }) {
      text += HTMLTable.html(
        caption: "Confidence: right boxes against wrong ones",
        header: ["wrong boxes", "number", "AUC", "right kept at 1 % of wrong", "at 5 %"],
        rows: reports.flatMap { report in
          report.confidence.map { name, measure in
            [
              isOne ? Markup.escaped(name) : "\(Markup.escaped(name)), \(Markup.escaped(report.name))",
              NumberText.count(measure.wrong.count), NumberText.share(measure.areaUnderCurve),
              LandmarkPage.percent(measure.rightShare(atWrongShare: 0.01)),
              LandmarkPage.percent(measure.rightShare(atWrongShare: 0.05)),
            ]
          }
        })
    }
    for report in reports where !report.boxes.isEmpty {
      text += HTMLTable.html(
        caption: "The boxes about the labelled ones", header: ["", "value"],
        rows: report.boxes.map { [Markup.escaped($0.name), NumberText.short($0.value)] })
      // The same boxes for all.
      break
    }
    text += "</div>\n<div>" + byName("group", reports.map { $0.groups.map { ($0.name, $0.measure) } })
    text += perturbationTable() + "</div></div>\n"
    if reports.contains(where: { !$0.points.isEmpty }) {
      text += "<details><summary>Errors by point</summary>"
      text += byName(
        "point", reports.map { report in report.points.enumerated().map { (report.pointName($0.offset), $0.element) } })
      text += "</details>\n"
    }
    return text
  }

  /// Means of one fitter with median and failures, or of several beside each other, the best in bold.
  private func byName(_ what: String, _ lists: [[(String, LandmarkMeasure)]]) -> String {
    guard let longest = lists.max(by: { $0.count < $1.count }), !longest.isEmpty else { return "" }
    let caption = "By \(what), normalised by \(lengthName)"
    if lists.count == 1 {
      return HTMLTable.html(
        caption: caption, header: [what, "faces", "mean", "median", "failed"],
        rows: longest.map { name, measure in
          [
            Markup.escaped(name), NumberText.count(measure.errors.count), LandmarkPage.percent(measure.mean),
            LandmarkPage.percent(measure.median), LandmarkPage.percent(measure.failureRate),
          ]
        })
    }
    return HTMLTable.html(
      caption: caption + ": mean", header: [what] + reports.map { Markup.escaped($0.name) },
      rows: longest.map { name, _ in
        let means = lists.map { list in list.first { $0.0 == name }?.1.mean }
        let best = means.compactMap { $0 }.min()
        return [Markup.escaped(name)]
          + means.map {
            let value = LandmarkPage.percent($0)
            return $0 != nil && $0 == best ? "<span class=\"best\">\(value)</span>" : value
          }
      })
  }

  private func perturbationTable() -> String {
    guard reports.contains(where: { !$0.perturbations.isEmpty }) else { return "" }
    let isOne = reports.count == 1
    let draws = reports.flatMap(\.perturbations).map(\.means.count).max() ?? 0
    return HTMLTable.html(
      caption: "With boxes moved by up to a share of their side: means of \(draws) draws, by \(lengthName)",
      header: ["moved", "mean", "growth", "deviation of single draws"],
      rows: reports.flatMap { report in
        report.perturbations.map { one in
          let growth = one.growth(over: report.still)
          return [
            "\(one.kind.rawValue) \(NumberText.short(one.size))" + (isOne ? "" : ", \(Markup.escaped(report.name))"),
            LandmarkPage.percent(one.mean), LandmarkPage.percent(growth.mean), LandmarkPage.percent(growth.deviation),
          ]
        }
      })
  }

  private func provenance() -> String {
    var lines = options.map { ($0.name, Markup.escaped($0.value)) }
    for source in data {
      let sum = source.checksum.map { "<br><code>sha256 \($0)</code>" } ?? ""
      lines.append(("data", Markup.escaped(source.name) + sum))
    }
    for report in reports {
      let sum = report.modelChecksum.map { "<br><code>sha256 \($0)</code>" } ?? ""
      lines.append(("model", Markup.escaped(report.name) + sum))
    }
    if let command { lines.append(("command", "<code>\(Markup.escaped(command))</code>")) }
    return HTMLPage.definitions(lines)
  }

  static func percent(_ value: Double?, _ decimals: Int = 2) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: "%.\(decimals)f\u{2009}%%", 100 * value)
  }

  private static func fixed(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: "%.3f", value)
  }
}
