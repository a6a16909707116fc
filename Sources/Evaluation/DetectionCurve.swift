import Foundation

/// What keeping the detections of some score and more gives.
public struct OperatingPoint: Hashable, Sendable {
  /// The threshold: detections with `score >= this` are kept.
  public var score: Double
  public var truePositives: Int
  public var falsePositives: Int

  public init(score: Double, truePositives: Int, falsePositives: Int) {
    self.score = score
    self.truePositives = truePositives
    self.falsePositives = falsePositives
  }
}

/// A detector's behaviour at every threshold: one point a distinct score, by falling score.
///
/// Detections of equal score are one point, since no threshold parts them.
public struct DetectionCurve: Sendable {
  public let points: [OperatingPoint]
  public let targetCount: Int
  public let imageCount: Int

  /// - Complexity: O(n) for n detections.
  public init(_ ranked: RankedOutcomes) {
    var points: [OperatingPoint] = []
    var point = OperatingPoint(score: 0, truePositives: 0, falsePositives: 0)
    for (event, score) in zip(ranked.events, ranked.scores) {
      if event & 2 != 0 { point.truePositives += 1 } else { point.falsePositives += 1 }
      if event & 1 != 0 {
        point.score = score
        points.append(point)
      }
    }
    self.points = points
    targetCount = ranked.targetCount
    imageCount = ranked.imageCount
  }

  public init(_ matching: Matching, label: Int? = nil) {
    self.init(RankedOutcomes(matching, label: label))
  }

  /// Share of the kept detections that are right, in 0...1. Every point keeps at least one.
  public func precision(_ point: OperatingPoint) -> Double {
    Double(point.truePositives) / Double(point.truePositives + point.falsePositives)
  }

  /// Share of the targets that are found, in 0...1; `nil` where there are none.
  public func recall(_ point: OperatingPoint) -> Double? {
    targetCount > 0 ? Double(point.truePositives) / Double(targetCount) : nil
  }

  /// 1 - recall; `nil` where there are no targets.
  public func missRate(_ point: OperatingPoint) -> Double? {
    targetCount > 0 ? Double(targetCount - point.truePositives) / Double(targetCount) : nil
  }

  /// False positives an image.
  public func falsePositivesPerImage(_ point: OperatingPoint) -> Double {
    Double(point.falsePositives) / Double(imageCount)
  }

  /// The lowest threshold with at most `rate` false positives an image; `nil` where even the highest score makes more, or
  /// there are no detections.
  public func point(falsePositivesPerImage rate: Double) -> OperatingPoint? {
    points.last { falsePositivesPerImage($0) <= rate }
  }

  /// The lowest threshold (so the largest recall) with a precision of at least `wanted`; `nil` where none has.
  public func point(precision wanted: Double) -> OperatingPoint? {
    points.last { precision($0) >= wanted }
  }

  /// The highest threshold (so the fewest false alarms) with a recall of at least `wanted`; `nil` where none has.
  public func point(recall wanted: Double) -> OperatingPoint? {
    points.first { (recall($0) ?? -1) >= wanted }
  }

  /// At most about `limit` points that draw the same line: first, last, and the last of each step of either count.
  public func thinned(to limit: Int) -> [OperatingPoint] {
    precondition(limit >= 2)
    guard points.count > limit else { return points }
    // Corners carry the shape: keep them where they are few, and an even choice of them where they are many.
    var corners: [OperatingPoint] = []
    for (index, point) in points.enumerated() {
      let next = index + 1 < points.count ? points[index + 1] : nil
      let previous = index > 0 ? points[index - 1] : nil
      let endsRise = next.map { $0.truePositives == point.truePositives } ?? true
      let beginsRise = next.map { $0.truePositives > point.truePositives } ?? true
      let wasRise = previous.map { $0.truePositives < point.truePositives } ?? true
      if index == 0 || next == nil || (endsRise && wasRise) || (beginsRise && !wasRise) { corners.append(point) }
    }
    guard corners.count > limit else { return corners }
    return DetectionCurve.evenly(corners, limit)
  }

  /// Points chosen evenly by rank in the logarithm of false positives and in recall, half each.
  private static func evenly(_ corners: [OperatingPoint], _ limit: Int) -> [OperatingPoint] {
    var kept: [OperatingPoint] = []
    let last = corners[corners.count - 1]
    let recallStep = max(1, Double(last.truePositives) / Double(limit / 2))
    let factor = pow(Double(max(2, last.falsePositives)), 1 / Double(max(1, limit / 2)))
    var nextRecall = 0.0
    var nextWrong = 0.0
    for (index, corner) in corners.enumerated() {
      let isDue = Double(corner.truePositives) >= nextRecall || Double(corner.falsePositives) >= nextWrong
      guard isDue || index == 0 || index == corners.count - 1 else { continue }
      kept.append(corner)
      if Double(corner.truePositives) >= nextRecall { nextRecall = Double(corner.truePositives) + recallStep }
      if Double(corner.falsePositives) >= nextWrong {
        nextWrong = max(Double(corner.falsePositives) + 1, Double(corner.falsePositives) * factor)
      }
    }
    return kept
  }
}
