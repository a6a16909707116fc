#if canImport(Glibc)
  import Glibc
#endif

/// What the next tree is fitted to: a weight and a response for each sample, by the samples' labels and scores so far
/// (Friedman, Hastie and Tibshirani 2000).
struct BoostingWeights {
  /// Add up to 1.
  var weights: [Double]
  /// ±1, or the working response of the logistic likelihood.
  var responses: [Double]

  /// Of the range of working responses that the paper names (2 to 4), the upper end.
  static let greatestResponse = 4.0

  init(labels: [Bool], scores: [Double], algorithm: BoostingOptions.Algorithm) {
    let count = labels.count
    weights = [Double](repeating: 0, count: count)
    responses = [Double](repeating: 0, count: count)
    if algorithm == .logit {
      for index in 0..<count {
        let share = 1 / (1 + exp(-2 * scores[index]))
        weights[index] = max(share * (1 - share), 1e-12)
        let response = labels[index] ? 1 / max(share, 1e-12) : -1 / max(1 - share, 1e-12)
        responses[index] = max(-BoostingWeights.greatestResponse, min(BoostingWeights.greatestResponse, response))
      }
    } else {
      // The least margin has the weight 1, so that nothing overflows.
      var least = Double.infinity
      for index in 0..<count { least = min(least, labels[index] ? scores[index] : -scores[index]) }
      for index in 0..<count {
        weights[index] = exp(least - (labels[index] ? scores[index] : -scores[index]))
        responses[index] = labels[index] ? 1 : -1
      }
    }
    let total = weights.reduce(0, +)
    for index in 0..<count { weights[index] /= total }
  }

  /// The samples that hold at least `share` of the weight, heaviest first, in the order of their numbers where weights are
  /// equal; samples of one weight are in or out together.
  func heaviest(_ share: Double) -> [Int] {
    let order = weights.indices.sorted { weights[$0] != weights[$1] ? weights[$0] > weights[$1] : $0 < $1 }
    guard share < 1 else { return order }
    var held = 0.0
    for (place, index) in order.enumerated() {
      held += weights[index]
      guard held >= share else { continue }
      let limit = weights[index]
      var end = place + 1
      while end < order.count, weights[order[end]] == limit { end += 1 }
      return Array(order[..<end])
    }
    return order
  }
}
