import Foundation

/// Turns raw scores into confidences in 0...1 that rise with the score: `1 / (1 + exp(a * score + b))`, a below 0.
public struct PlattScaling: Hashable, Codable, Sendable {
  public let a: Double
  public let b: Double

  public init(a: Double, b: Double) {
    precondition(a <= 0 && a.isFinite && b.isFinite, "confidences must rise with the score: a = \(a), b = \(b)")
    self.a = a
    self.b = b
  }

  /// The confidence of a score, in 0...1. Infinite scores give 0 and 1; a score must be a number.
  public func confidence(_ score: Double) -> Double {
    precondition(!score.isNaN, "the confidence of a score that is not a number")
    let exponent = (a == 0 ? 0 : a * score) + b
    // Only negative numbers are raised, so that exp cannot overflow.
    if exponent >= 0 {
      let small = exp(-exponent)
      return small / (1 + small)
    }
    return 1 / (1 + exp(exponent))
  }

  /// Fits a and b by maximum likelihood (Platt 1999), with Newton steps and a backtracking line search as Lin, Lin and
  /// Weng (2007) give them; the targets are smoothed to `(P + 1) / (P + 2)` and `1 / (N + 2)`, P and N being the
  /// weight of each class.
  ///
  /// **Difference from the paper.** Scores are centred and scaled first, so that their unit does not matter.
  /// - Parameters:
  ///   - scores: of samples that the classifier was *not* trained on, or the confidences are too sure.
  ///   - weights: of each sample, 0 or more; `nil` means 1.
  /// - Throws: `LearningError` for unequal counts, one class only, bad weights, infinite or constant scores, and scores
  ///   that fall where they should rise.
  public static func fit(scores: [Double], labels: [Bool], weights: [Double]? = nil) throws -> PlattScaling {
    guard labels.count == scores.count else {
      throw LearningError.countMismatch(what: "labels", found: labels.count, expected: scores.count)
    }
    if let weights, weights.count != scores.count {
      throw LearningError.countMismatch(what: "weights", found: weights.count, expected: scores.count)
    }
    if scores.isEmpty { throw LearningError.noSamples }
    if let bad = scores.firstIndex(where: { !$0.isFinite }) { throw LearningError.scoreNotFinite(index: bad) }
    if let bad = weights?.firstIndex(where: { !($0 >= 0 && $0.isFinite) }) { throw LearningError.badWeight(row: bad) }
    let used = scores.indices.filter { (weights?[$0] ?? 1) > 0 }
    let positiveWeight = used.reduce(0.0) { labels[$1] ? $0 + (weights?[$1] ?? 1) : $0 }
    let negativeWeight = used.reduce(0.0) { labels[$1] ? $0 : $0 + (weights?[$1] ?? 1) }
    guard positiveWeight > 0, negativeWeight > 0 else {
      let positives = used.count { labels[$0] }
      throw LearningError.oneClassOnly(positives: positives, negatives: used.count - positives)
    }

    // Halves, so that the range of the largest numbers does not overflow.
    let low = used.reduce(Double.infinity) { min($0, scores[$1]) }
    let high = used.reduce(-Double.infinity) { max($0, scores[$1]) }
    let centre = low / 2 + high / 2
    let scale = high / 2 - low / 2
    guard scale > 1e-12 * max(abs(low), abs(high)) else { throw LearningError.constantScores(value: low) }

    let samples = used.map { index in
      Sample(
        score: (scores[index] - centre) / scale, weight: weights?[index] ?? 1,
        target: labels[index] ? (positiveWeight + 1) / (positiveWeight + 2) : 1 / (negativeWeight + 2))
    }
    let (a, b) = newton(samples, a: 0, b: log((negativeWeight + 1) / (positiveWeight + 1)))
    guard a < 0 else { throw LearningError.scoresDoNotSeparate }
    let slope = a / scale
    let offset = b - a * (centre / scale)
    guard slope.isFinite, offset.isFinite else { throw LearningError.constantScores(value: low) }
    return PlattScaling(a: slope, b: offset)
  }

  private struct Sample {
    var score: Double
    var weight: Double
    var target: Double
  }

  /// Minimises the cross entropy of the targets.
  private static func newton(_ samples: [Sample], a: Double, b: Double) -> (a: Double, b: Double) {
    var (a, b) = (a, b)
    func value(_ a: Double, _ b: Double) -> Double {
      samples.reduce(0) { sum, sample in
        let exponent = a * sample.score + b
        let entropy =
          exponent >= 0
          ? sample.target * exponent + log1p(exp(-exponent))
          : (sample.target - 1) * exponent + log1p(exp(exponent))
        return sum + sample.weight * entropy
      }
    }
    let total = samples.reduce(0) { $0 + $1.weight }
    var current = value(a, b)
    for _ in 0..<100 {
      var (h11, h22, h21, g1, g2) = (1e-12 * total, 1e-12 * total, 0.0, 0.0, 0.0)
      for sample in samples {
        let exponent = a * sample.score + b
        let small = exp(-abs(exponent))
        let p = exponent >= 0 ? small / (1 + small) : 1 / (1 + small)
        let q = exponent >= 0 ? 1 / (1 + small) : small / (1 + small)
        let second = sample.weight * p * q
        h11 += sample.score * sample.score * second
        h22 += second
        h21 += sample.score * second
        let first = sample.weight * (sample.target - p)
        g1 += sample.score * first
        g2 += first
      }
      if abs(g1) < 1e-9 * total, abs(g2) < 1e-9 * total { break }
      let determinant = h11 * h22 - h21 * h21
      guard determinant > 0 else { break }
      let stepA = -(h22 * g1 - h21 * g2) / determinant
      let stepB = -(-h21 * g1 + h11 * g2) / determinant
      let slope = g1 * stepA + g2 * stepB
      var length = 1.0
      var moved = false
      while length >= 1e-10 {
        let nextA = a + length * stepA
        let nextB = b + length * stepB
        let next = value(nextA, nextB)
        if next < current + 1e-4 * length * slope {
          (a, b, current) = (nextA, nextB, next)
          moved = true
          break
        }
        length /= 2
      }
      if !moved { break }
    }
    return (a, b)
  }
}
