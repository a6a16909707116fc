import Execution

/// The window protocol of Dalal and Triggs (2005): one score for each positive window, and negative photos scanned whole.
///
/// Miss rate is the share of positive windows below a threshold; the false-positive rate is the number of negative windows
/// at or above it over all negative windows scanned, without suppression.
public struct WindowProtocol: Hashable, Codable, Sendable {
  /// One score a positive window.
  public var positiveScores: [Double]
  /// Scores of those negative windows that reach `floor`.
  public var negativeScores: [Double]
  /// Negative windows scanned, those below the floor among them.
  public var negativeWindowCount: Int
  /// Negative windows below this were counted but not listed; `nil`: all are listed.
  public var floor: Double?

  /// - Throws: `InputError` where a score is not finite, a listed negative lies below the floor, more are listed than were
  ///   scanned, or without a floor not all are listed.
  public init(
    positiveScores: [Double], negativeScores: [Double], negativeWindowCount: Int, floor: Double? = nil,
    source: String = "window scores"
  ) throws {
    self.positiveScores = positiveScores
    self.negativeScores = negativeScores
    self.negativeWindowCount = negativeWindowCount
    self.floor = floor
    for (field, scores) in [
      ("positives", positiveScores), ("negatives", negativeScores), ("floor", floor.map { [$0] } ?? []),
    ] {
      if let bad = scores.first(where: { !$0.isFinite }) {
        throw InputError(source: source, field: field, problem: "a score is not finite", found: "\(bad)")
      }
    }
    if let floor, let low = negativeScores.first(where: { $0 < floor }) {
      throw InputError(
        source: source, field: "negatives", problem: "a score lies below the floor", found: "\(low)",
        expected: "\(floor) or more")
    }
    let isComplete = negativeScores.count == negativeWindowCount
    guard negativeScores.count <= negativeWindowCount, floor != nil || isComplete else {
      throw InputError(
        source: source, field: "windows", problem: "does not agree with the number of negatives listed",
        found: "\(negativeWindowCount)",
        expected: floor == nil ? "\(negativeScores.count)" : "\(negativeScores.count) or more")
    }
  }

  /// One point of the curve.
  public struct Point: Hashable, Sendable {
    /// Windows with `score >= this` are accepted.
    public var score: Double
    public var falsePositivesPerWindow: Double
    public var missRate: Double
  }

  /// The curve: a point at each distinct score at or above the floor, by falling score. Empty where there are no positives
  /// or no negative windows.
  ///
  /// - Complexity: O(n log n).
  public func curve() -> [Point] {
    guard !positiveScores.isEmpty, negativeWindowCount > 0 else { return [] }
    let positives = positiveScores.sorted(by: >)
    let negatives = negativeScores.sorted(by: >)
    var points: [Point] = []
    var (p, n) = (0, 0)
    while p < positives.count || n < negatives.count {
      let score = max(
        p < positives.count ? positives[p] : -.infinity, n < negatives.count ? negatives[n] : -.infinity)
      if let floor, score < floor { break }
      while p < positives.count && positives[p] == score { p += 1 }
      while n < negatives.count && negatives[n] == score { n += 1 }
      points.append(
        Point(
          score: score, falsePositivesPerWindow: Double(n) / Double(negativeWindowCount),
          missRate: Double(positives.count - p) / Double(positives.count)))
    }
    return points
  }

  /// The least miss rate with at most `rate` false positives a window.
  ///
  /// 1 where even the highest score makes more. `nil` where there is nothing to measure, or where the listed negatives end
  /// at the floor before the rate is used up: a lower threshold might do better, and nobody knows.
  public func missRate(falsePositivesPerWindow rate: Double) -> Double? {
    guard !positiveScores.isEmpty, negativeWindowCount > 0 else { return nil }
    if floor != nil, negativeScores.count < negativeWindowCount,
      Double(negativeScores.count) / Double(negativeWindowCount) <= rate
    {
      return nil
    }
    return curve().last { $0.falsePositivesPerWindow <= rate }?.missRate ?? 1
  }

  /// The lowest threshold with at most `rate` false positives a window, or `nil` as for `missRate` and where there is none.
  public func threshold(falsePositivesPerWindow rate: Double) -> Double? {
    guard missRate(falsePositivesPerWindow: rate) != nil else { return nil }
    return curve().last { $0.falsePositivesPerWindow <= rate }?.score
  }
}
