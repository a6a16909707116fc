/// The samples of a tree's node, as a search for its best split wants them: weights and weighted responses as whole
/// numbers, whose sums are exact in any order.
///
/// Weights are rounded to 2^-30 of their sum, weighted responses to 2^-30 of the sum of their sizes. A sample whose weight
/// rounds to zero is left out.
struct SplitProblem: Sendable {
  /// What makes a split good.
  enum Criterion: Sendable {
    /// The weighted squared error of the best constant a side; for responses ±1 that is Gini's impurity, too.
    case squaredError
    /// The weight on the wrong side of the sign that each side votes for.
    case misclassification
  }

  let criterion: Criterion
  /// See `BoostingOptions.categoryPrior`.
  let categoryPrior: Double
  /// Samples in segments, those of each segment in rising order; earlier segments hold the heavier ones.
  let samples: [UInt32]
  /// For each sample the weight in the low and the weighted response in the high 32 bits. Sums of them are sums of both:
  /// the weights never carry.
  let packed: [UInt64]
  /// Where segments end in `samples`; the last is its count.
  let segmentEnds: [Int]
  /// An upper bound of what the samples after each segment can add to a split's gain.
  let remainders: [Float]
  let total: UInt64

  static let unit = Double(1 << 30)

  /// The gain of not splitting at all.
  var baseGain: Float { gain(left: 0) }

  /// - Parameters:
  ///   - samples: heaviest first.
  ///   - categoryPrior: see `BoostingOptions.categoryPrior`.
  ///   - segmentRemainders: after which shares of the samples' weighted squared responses features are looked at again, as
  ///     what is left, falling; empty for one segment.
  init(
    _ samples: [Int], weights: BoostingWeights, criterion: Criterion, categoryPrior: Double,
    segmentRemainders: [Double] = []
  ) {
    var weightSum = 0.0
    var responseSum = 0.0
    for index in samples {
      weightSum += weights.weights[index]
      responseSum += weights.weights[index] * abs(weights.responses[index])
    }
    let weightScale = SplitProblem.unit / max(weightSum, .leastNormalMagnitude)
    let responseScale = SplitProblem.unit / max(responseSum, .leastNormalMagnitude)
    // A gain is in units of S^2 / W: so is the squared response that it can come to.
    let gainScale = responseScale * responseScale / weightScale
    func squares(_ index: Int) -> Double {
      weights.weights[index] * weights.responses[index] * weights.responses[index] * gainScale
    }
    let used = samples.filter { (weights.weights[$0] * weightScale).rounded() >= 1 }
    var ends: [Int] = []
    if !segmentRemainders.isEmpty {
      let all = used.reduce(0) { $0 + squares($1) }
      var left = all
      var next = 0
      for (place, index) in used.enumerated() where next < segmentRemainders.count {
        left -= squares(index)
        if left <= segmentRemainders[next] * all {
          ends.append(place + 1)
          next += 1
        }
      }
    }
    ends.removeAll { $0 * 10 > used.count * 9 }
    if ends.last != used.count { ends.append(used.count) }
    var ordered: [UInt32] = []
    var packed: [UInt64] = []
    ordered.reserveCapacity(used.count)
    packed.reserveCapacity(used.count)
    var total: UInt64 = 0
    var start = 0
    for end in ends {
      for index in used[start..<end].sorted() {
        let weight = UInt64((weights.weights[index] * weightScale).rounded())
        let response = Int64((weights.weights[index] * weights.responses[index] * responseScale).rounded())
        let both = weight &+ (UInt64(bitPattern: response) << 32)
        ordered.append(UInt32(index))
        packed.append(both)
        total &+= both
      }
      start = end
    }
    var remainders: [Float] = []
    for end in ends {
      let rest = used[end...].reduce(0) { $0 + squares($1) }
      // What rounding of the weights and of the sums may hide.
      remainders.append(end == used.count ? 0 : Float(rest) + Float(2 * used.count))
    }
    self.criterion = criterion
    self.categoryPrior = categoryPrior
    self.samples = ordered
    self.packed = packed
    self.segmentEnds = ends
    self.remainders = remainders
    self.total = total
  }

  /// The gain of a split with this sum on the left.
  func gain(left: UInt64) -> Float {
    let (weight, response) = SplitProblem.parts(left)
    let (allWeight, allResponse) = SplitProblem.parts(total)
    switch criterion {
    case .misclassification: return abs(response) + abs(allResponse - response)
    case .squaredError:
      return response * response / max(weight, 1)
        + (allResponse - response) * (allResponse - response) / max(allWeight - weight, 1)
    }
  }

  @inline(__always)
  static func parts(_ sum: UInt64) -> (weight: Float, response: Float) {
    (Float(Int32(truncatingIfNeeded: sum)), Float(Int32(truncatingIfNeeded: sum >> 32)))
  }
}
