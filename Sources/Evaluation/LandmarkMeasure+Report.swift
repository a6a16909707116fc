import Foundation

/// Landmark figures of one run, under several normalisations, as text and JSON.
public struct LandmarkReport: Sendable {
  public var title: String
  /// Names of normalisations with their figures.
  public var measures: [(name: String, measure: LandmarkMeasure)]
  /// Names of groups with their points.
  public var groups: [(name: String, points: [Int])]
  /// Error against perturbation of the box: its size as a share of the box, and the mean error of the first normalisation.
  public var perturbations: [(size: Double, mean: Double?)]

  public init(
    title: String, measures: [(name: String, measure: LandmarkMeasure)], groups: [(name: String, points: [Int])],
    perturbations: [(size: Double, mean: Double?)] = []
  ) {
    self.title = title
    self.measures = measures
    self.groups = groups
    self.perturbations = perturbations
  }

  /// A table for a terminal. What is undefined is `-`.
  public var text: String {
    var lines = [title, ""]
    func row(_ name: String, _ cells: [String]) {
      let cells = cells.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }.joined()
      lines.append(name + String(repeating: " ", count: max(1, 18 - name.count)) + cells)
    }
    row("normalised by", ["faces", "mean %", "median %", "AUC", "failed %"])
    for (name, measure) in measures {
      row(
        name,
        [
          "\(measure.errors.count)", LandmarkReport.percent(measure.mean), LandmarkReport.percent(measure.median),
          LandmarkReport.fixed(measure.areaUnderCurve, 3), LandmarkReport.percent(measure.failureRate),
        ])
    }
    if let first = measures.first {
      let left = first.measure.unmeasuredCount
      if left > 0 { lines.append("\(left) faces have no such length or no points and are left out") }
      lines.append(
        "AUC: area under the cumulative curve to \(first.measure.failureThreshold); failed: errors above it")
      if !groups.isEmpty {
        lines += ["", "by group, mean % (\(first.name))"]
        for (name, points) in groups {
          row(name, [LandmarkReport.percent(first.measure.error(ofPoints: points))])
        }
      }
      if !perturbations.isEmpty {
        lines += ["", "with boxes shifted and scaled by up to this share of their side, mean % (\(first.name))"]
        for (size, mean) in perturbations { row(LandmarkReport.fixed(size, 2), [LandmarkReport.percent(mean)]) }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// One JSON object. What is undefined is null.
  public var json: String {
    JSONValue.object([
      "title": .string(title),
      "measures": .array(
        measures.map { name, measure in
          .object([
            "normalizer": .string(name), "faces": .integer(measure.errors.count),
            "unmeasured": .integer(measure.unmeasuredCount), "mean": .number(measure.mean),
            "median": .number(measure.median), "failureThreshold": .number(measure.failureThreshold),
            "failureRate": .number(measure.failureRate), "areaUnderCurve": .number(measure.areaUnderCurve),
            "points": .array(measure.pointErrors.map { .number($0) }),
            "groups": .array(
              groups.map {
                .object(["name": .string($0.name), "mean": .number(measure.error(ofPoints: $0.points))])
              }),
            "errors": .array(
              measure.errors.map { .object(["face": .string($0.name), "error": .number($0.error)]) }),
          ])
        }),
      "perturbations": .array(
        perturbations.map { .object(["size": .number($0.size), "mean": .number($0.mean)]) }),
    ]).line
  }

  private static func percent(_ value: Double?) -> String { fixed(value.map { 100 * $0 }, 2) }

  private static func fixed(_ value: Double?, _ decimals: Int) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: "%.\(decimals)f", value)
  }
}
