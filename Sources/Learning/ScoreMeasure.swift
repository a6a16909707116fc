/// How well scores part positives from negatives.
public enum ScoreMeasure: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The share of positives missed at the lowest threshold whose share of accepted negatives is at most the rate given.
  case missRate(falsePositiveRate: Double)
  /// The area under the curve of hits against false alarms: the share of pairs in the right order, ties counting half.
  case areaUnderROC
  /// The sum over score levels of precision times the rise in recall.
  case averagePrecision
  /// The mean of `max(0, 1 - y * score)`, each class weighing half.
  case hingeLoss

  /// Whether a larger value is better.
  public var risesWithQuality: Bool {
    switch self {
    case .areaUnderROC, .averagePrecision: true
    case .missRate, .hingeLoss: false
    }
  }

  public var description: String {
    switch self {
    case .missRate(let rate): "miss rate at a false positive rate of \(rate)"
    case .areaUnderROC: "area under the ROC curve"
    case .averagePrecision: "average precision"
    case .hingeLoss: "hinge loss"
    }
  }

  /// The measure, or `nil` where it is undefined: without positives, or without negatives. Equal scores count as one
  /// level, so their order does not matter. `O(n log n)`.
  public func value(scores: [Double], labels: [Bool]) -> Double? {
    precondition(scores.count == labels.count, "\(labels.count) labels for \(scores.count) scores")
    precondition(scores.allSatisfy { !$0.isNaN }, "a score is not a number")
    let positives = labels.count { $0 }
    let negatives = labels.count - positives
    if positives == 0 || negatives == 0 { return nil }
    let (p, n) = (Double(positives), Double(negatives))
    switch self {
    case .missRate(let rate):
      let accepted = levels(scores, labels).last { Double($0.falseAlarms) <= rate * n }
      return 1 - Double(accepted?.hits ?? 0) / p
    case .areaUnderROC:
      var area = 0.0
      var (hits, falseAlarms) = (0, 0)
      for level in levels(scores, labels) {
        area += Double(level.falseAlarms - falseAlarms) * Double(level.hits + hits) / 2
        (hits, falseAlarms) = (level.hits, level.falseAlarms)
      }
      return area / (p * n)
    case .averagePrecision:
      var sum = 0.0
      var hits = 0
      for level in levels(scores, labels) {
        sum += Double(level.hits - hits) * Double(level.hits) / Double(level.hits + level.falseAlarms)
        hits = level.hits
      }
      return sum / p
    case .hingeLoss:
      var (positive, negative) = (0.0, 0.0)
      for (score, label) in zip(scores, labels) {
        if label { positive += max(0, 1 - score) } else { negative += max(0, 1 + score) }
      }
      return 0.5 * (positive / p + negative / n)
    }
  }

  /// Hits and false alarms at each threshold, falling.
  private func levels(_ scores: [Double], _ labels: [Bool]) -> [(hits: Int, falseAlarms: Int)] {
    let order = scores.indices.sorted { scores[$0] > scores[$1] }
    var result: [(hits: Int, falseAlarms: Int)] = []
    var (hits, falseAlarms) = (0, 0)
    for (place, index) in order.enumerated() {
      if labels[index] { hits += 1 } else { falseAlarms += 1 }
      if place + 1 == order.count || scores[order[place + 1]] != scores[index] { result.append((hits, falseAlarms)) }
    }
    return result
  }
}
