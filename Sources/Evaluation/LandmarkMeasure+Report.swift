import Foundation
import Geometry

/// Landmark figures of one run, under several normalisations, as text and JSON.
public struct LandmarkReport: Sendable {
  public var title: String
  /// Names of normalisations with their figures.
  public var measures: [(name: String, measure: LandmarkMeasure)]
  /// Names of groups with the figures of their points alone, by the first normalisation.
  public var groups: [(name: String, measure: LandmarkMeasure)]
  /// Each point's figures alone, by the first normalisation.
  public var points: [LandmarkMeasure] = []
  /// For each point the groups that it is in, for tables; empty where they are not known.
  public var pointGroups: [String] = []
  /// Error against perturbation of the box, by the first normalisation.
  public var perturbations: [LandmarkPerturbation]
  /// What a reader should know: faces left out, boxes that were not found.
  public var notes: [String] = []
  /// How a detector's boxes lie on the labelled ones, by name; empty for labelled boxes.
  public var boxes: [(name: String, value: Double?)] = []
  /// How well the fit's confidence tells right boxes from wrong ones, by the kind of the wrong ones; empty where the model
  /// has learnt none.
  public var confidence: [(name: String, measure: SeparationMeasure)] = []
  /// What the model is called where several are shown together.
  public var name = ""
  /// SHA-256 of the model's file.
  public var modelChecksum: String?
  /// The faces one by one, for galleries.
  public var faces: [Face] = []
  /// Lines through points, in drawing order, for galleries; empty where they are not known.
  public var outlines: [Outline] = []
  /// Whether the text has a line for each point.
  public var showsPoints = false

  /// A face with its fit.
  public struct Face: Hashable, Sendable {
    /// Its image's name in the data set.
    public var image: String
    public var box: Box
    public var comparison: LandmarkComparison
    /// By the first normalisation; `nil` where it could not be measured.
    public var error: Double?

    public init(image: String, box: Box, comparison: LandmarkComparison, error: Double?) {
      self.image = image
      self.box = box
      self.comparison = comparison
      self.error = error
    }
  }

  /// A line through some of the points.
  public struct Outline: Hashable, Sendable {
    public var points: [Int]
    /// Whether the last joins the first.
    public var isClosed: Bool

    public init(points: [Int], isClosed: Bool) {
      self.points = points
      self.isClosed = isClosed
    }
  }

  public init(
    title: String, measures: [(name: String, measure: LandmarkMeasure)],
    groups: [(name: String, measure: LandmarkMeasure)], perturbations: [LandmarkPerturbation] = []
  ) {
    self.title = title
    self.measures = measures
    self.groups = groups
    self.perturbations = perturbations
  }

  /// A point's number, with its groups.
  func pointName(_ point: Int) -> String {
    guard pointGroups.indices.contains(point), !pointGroups[point].isEmpty else { return "\(point)" }
    return "\(point) \(pointGroups[point])"
  }

  /// The error of the boxes as they are, by the first normalisation.
  public var still: Double? { measures.first?.measure.mean }

  /// Tables for a terminal. What is undefined is `-`.
  public var text: String {
    var table = LandmarkLines(lines: [title, ""])
    let columns = ["faces", "mean %", "median %", "AUC", "failed %"]
    table.row("normalised by", columns)
    for (name, measure) in measures { table.figures(name, measure) }
    if let first = measures.first {
      let (measure, threshold) = (first.measure, first.measure.failureThreshold)
      if measure.unmeasuredCount > 0 {
        table.lines.append("\(measure.unmeasuredCount) faces have no such length or no points and are left out")
      }
      table.lines.append("AUC: area under the cumulative curve to \(threshold); failed: errors above it")
      table.lines += ["", "cumulative curve: faces, in %, whose error is at most"]
      let steps = (1...8).map { threshold * Double($0) / 8 }
      table.row("", steps.map { String(format: "%.4g", $0) })
      for (name, measure) in measures {
        table.row(name, steps.map { LandmarkLines.percent(measure.share(within: $0)) })
      }
      if !groups.isEmpty {
        table.lines.append("")
        table.row("by \(first.name)", columns)
        for (name, measure) in groups { table.figures(name, measure) }
      }
      if showsPoints, !points.isEmpty {
        table.lines.append("")
        table.row("point", columns)
        for (point, measure) in points.enumerated() { table.figures(pointName(point), measure) }
      }
      if !perturbations.isEmpty {
        let draws = perturbations.map(\.means.count).max() ?? 0
        table.lines += [
          "", "with boxes moved by up to this share of their side (\(first.name)): means of \(draws) draws, and the",
          "standard deviation of the growth of single draws",
        ]
        table.row("", ["mean %", "growth %", "deviation"])
        for one in perturbations {
          let growth = one.growth(over: still)
          table.row(
            "\(one.kind.rawValue) \(NumberText.short(one.size))",
            [
              LandmarkLines.percent(one.mean), LandmarkLines.percent(growth.mean),
              LandmarkLines.percent(growth.deviation),
            ])
        }
      }
    }
    if !boxes.isEmpty {
      table.lines += ["", "the boxes about the labelled ones"]
      for (name, value) in boxes {
        table.lines.append(
          name + String(repeating: " ", count: max(1, 44 - name.count)) + LandmarkLines.fixed(value, 3))
      }
    }
    if !confidence.isEmpty {
      table.lines += ["", "confidence: right boxes against"]
      table.row("", ["wrong", "right", "AUC", "at 1 %", "at 5 %", "right .5", "wrong .5"])
      for (name, measure) in confidence { table.separation(name, measure) }
      table.lines.append(
        "AUC: area under the ROC curve; at n %: right ones kept, in %, where n % of the wrong ones are; .5: those, in %, of at "
          + "least that confidence")
    }
    if !notes.isEmpty { table.lines += [""] + notes }
    return table.lines.joined(separator: "\n") + "\n"
  }

  /// Several models on the same faces as one table: each normalisation's mean, and the first one's other figures.
  public static func table(_ reports: [LandmarkReport]) -> String {
    guard let first = reports.first else { return "" }
    let sizes = first.perturbations.filter { $0.kind == .both }.map(\.size)
    var table = TextTable(
      ["model"] + first.measures.map { "\($0.name), mean %" } + ["median %", "AUC", "failed %"]
        + sizes.map { "growth % at \(NumberText.short($0))" })
    for report in reports {
      let main = report.measures.first?.measure
      table.add(
        [report.name]
          + first.measures.map { name, _ in
            LandmarkLines.percent(report.measures.first { $0.name == name }?.measure.mean)
          }
          + [
            LandmarkLines.percent(main?.median), LandmarkLines.fixed(main?.areaUnderCurve, 3),
            LandmarkLines.percent(main?.failureRate),
          ]
          + sizes.map { size in
            let moved = report.perturbations.first { $0.kind == .both && $0.size == size }
            return LandmarkLines.percent(moved?.growth(over: report.still).mean)
          })
    }
    return table.text
  }

  /// One JSON object. What is undefined is null.
  public var json: String {
    func figures(_ measure: LandmarkMeasure) -> [JSONValue.Member] {
      [
        .init(key: "faces", value: .integer(measure.errors.count)),
        .init(key: "mean", value: .number(measure.mean)), .init(key: "median", value: .number(measure.median)),
        .init(key: "failureRate", value: .number(measure.failureRate)),
        .init(key: "areaUnderCurve", value: .number(measure.areaUnderCurve)),
      ]
    }
    func named(_ key: String, _ name: JSONValue, _ members: [JSONValue.Member]) -> JSONValue {
      .object([.init(key: key, value: name)] + members)
    }
    return JSONValue.object([
      "title": .string(title),
      "measures": .array(
        measures.map { name, measure in
          named(
            "normalizer", .string(name),
            figures(measure) + [
              .init(key: "unmeasured", value: .integer(measure.unmeasuredCount)),
              .init(key: "failureThreshold", value: .number(measure.failureThreshold)),
              .init(key: "curve", value: .array(measure.curve.map { .array([.number($0.error), .number($0.share)]) })),
              .init(key: "points", value: .array(measure.pointErrors.map { .number($0) })),
              .init(
                key: "errors",
                value: .array(
                  measure.errors.map { .object(["face": .string($0.name), "error": .number($0.error)]) })),
            ])
        }),
      "groups": .array(groups.map { named("name", .string($0.name), figures($0.measure)) }),
      "points": .array(points.enumerated().map { named("point", .integer($0.offset), figures($0.element)) }),
      "perturbations": .array(
        perturbations.map { one in
          let growth = one.growth(over: still)
          return .object([
            "kind": .string(one.kind.rawValue), "size": .number(one.size), "mean": .number(one.mean),
            "growth": .number(growth.mean), "growthDeviation": .number(growth.deviation),
            "draws": .array(one.means.map { .number($0) }),
          ])
        }),
      "notes": .array(notes.map { .string($0) }),
      "boxes": boxes.isEmpty ? .null : .object(boxes.map { .init(key: $0.name, value: .number($0.value)) }),
      "confidence": .array(
        confidence.map { name, measure in
          .object([
            "wrong": .string(name), "wrongCount": .integer(measure.wrong.count),
            "rightCount": .integer(measure.right.count), "areaUnderCurve": .number(measure.areaUnderCurve),
            "rightShareAt1Percent": .number(measure.rightShare(atWrongShare: 0.01)),
            "rightShareAt5Percent": .number(measure.rightShare(atWrongShare: 0.05)),
            "rightShareAtHalf": .number(measure.shares(atLeast: 0.5).right),
            "wrongShareAtHalf": .number(measure.shares(atLeast: 0.5).wrong),
            "curve": .array(measure.curve.map { .array([.number($0.wrongShare), .number($0.rightShare)]) }),
          ])
        }),
    ]).line
  }
}

/// Lines of a report with columns of ten characters.
private struct LandmarkLines {
  var lines: [String]

  mutating func row(_ name: String, _ cells: [String]) {
    let cells = cells.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }.joined()
    lines.append(name + String(repeating: " ", count: max(1, 22 - name.count)) + cells)
  }

  mutating func figures(_ name: String, _ measure: LandmarkMeasure) {
    row(
      name,
      [
        "\(measure.errors.count)", LandmarkLines.percent(measure.mean), LandmarkLines.percent(measure.median),
        LandmarkLines.fixed(measure.areaUnderCurve, 3), LandmarkLines.percent(measure.failureRate),
      ])
  }

  mutating func separation(_ name: String, _ measure: SeparationMeasure) {
    row(
      name,
      [
        "\(measure.wrong.count)", "\(measure.right.count)", LandmarkLines.fixed(measure.areaUnderCurve, 4),
        LandmarkLines.percent(measure.rightShare(atWrongShare: 0.01)),
        LandmarkLines.percent(measure.rightShare(atWrongShare: 0.05)),
        LandmarkLines.percent(measure.shares(atLeast: 0.5).right),
        LandmarkLines.percent(measure.shares(atLeast: 0.5).wrong),
      ])
  }

  static func percent(_ value: Double?) -> String { fixed(value.map { 100 * $0 }, 2) }

  static func fixed(_ value: Double?, _ decimals: Int) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: "%.\(decimals)f", value)
  }
}
