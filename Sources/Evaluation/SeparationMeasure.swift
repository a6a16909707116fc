/// How well a score tells right ones from wrong ones: the ROC curve and what is read off it.
///
/// What scores at least a threshold is kept; the curve is the share of right ones kept against the share of wrong ones kept.
public struct SeparationMeasure: Hashable, Sendable {
  /// Scores, rising.
  public let right: [Double]
  public let wrong: [Double]

  /// - Precondition: no score is NaN.
  public init(right: [Double], wrong: [Double]) {
    precondition(!(right + wrong).contains(where: \.isNaN), "a score that is no number")
    self.right = right.sorted()
    self.wrong = wrong.sorted()
  }

  /// The area under the curve: the share of pairs of a right and a wrong one that the score puts in order, ties counted
  /// half (Hanley and McNeil 1982). `nil` where one kind is missing.
  /// - Complexity: O(n).
  public var areaUnderCurve: Double? {
    guard !right.isEmpty, !wrong.isEmpty else { return nil }
    var sum = 0.0
    var (below, upTo) = (0, 0)
    for score in right {
      while below < wrong.count, wrong[below] < score { below += 1 }
      while upTo < wrong.count, wrong[upTo] <= score { upTo += 1 }
      sum += Double(below + upTo) / 2
    }
    return sum / Double(right.count) / Double(wrong.count)
  }

  /// The shares of each kind that score at least a threshold; `nil` for a kind that is missing.
  public func shares(atLeast threshold: Double) -> (right: Double?, wrong: Double?) {
    func share(_ scores: [Double]) -> Double? {
      scores.isEmpty ? nil : Double(scores.count { $0 >= threshold }) / Double(scores.count)
    }
    return (share(right), share(wrong))
  }

  /// The largest share of right ones that a threshold keeps with at most this share of the wrong ones.
  public func rightShare(atWrongShare limit: Double) -> Double? {
    curve.last { $0.wrongShare <= limit }?.rightShare
  }

  /// The curve's corners from (0, 0) to (1, 1), a point for each distinct score; empty where one kind is missing.
  public var curve: [(wrongShare: Double, rightShare: Double)] {
    guard !right.isEmpty, !wrong.isEmpty else { return [] }
    var result: [(wrongShare: Double, rightShare: Double)] = [(0, 0)]
    var (r, w) = (right.count, wrong.count)
    while r > 0 || w > 0 {
      let score = max(r > 0 ? right[r - 1] : -.infinity, w > 0 ? wrong[w - 1] : -.infinity)
      while r > 0, right[r - 1] >= score { r -= 1 }
      while w > 0, wrong[w - 1] >= score { w -= 1 }
      result.append((Double(wrong.count - w) / Double(wrong.count), Double(right.count - r) / Double(right.count)))
    }
    return result
  }
}
