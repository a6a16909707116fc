import Execution

/// A split of a feature that was worked out on its exact values.
struct ExactSplit: Sendable {
  var feature: Int
  var split: DecisionTree.Split
  var gain: Double
  /// For every sample (not those of the node alone) whether it goes left.
  var goesLeft: [Bool]
}

extension SplitSearch {
  /// The best split of a node: the most promising features by their bytes, then the best threshold or set of each by its
  /// exact values and weights.
  ///
  /// - Parameter samples: those of the node that are looked at.
  /// - Returns: `nil` where no split gains anything.
  func bestSplit(
    _ samples: [Int], weights: BoostingWeights, problem: SplitProblem, likely: inout [Int]
  ) -> ExactSplit? {
    let candidates = best(problem, likely: likely)
    likely = candidates.map(\.feature)
    let splits = executor.map(candidates.count) { number in
      table.features.areCategories
        ? categorySplit(candidates[number].feature, samples, weights, problem)
        : thresholdSplit(candidates[number].feature, samples, weights, problem.criterion)
    }
    var best: ExactSplit?
    for case let split? in splits where best.map({ split.gain > $0.gain }) ?? true { best = split }
    return best
  }

  private struct Sums {
    var weight = 0.0
    var response = 0.0

    mutating func add(_ index: Int, _ weights: BoostingWeights) {
      weight += weights.weights[index]
      response += weights.weights[index] * weights.responses[index]
    }

    func gain(_ left: Sums, _ criterion: SplitProblem.Criterion) -> Double {
      let other = response - left.response
      switch criterion {
      case .misclassification: return abs(left.response) + abs(other)
      case .squaredError:
        return left.response * left.response / left.weight + other * other / (weight - left.weight)
      }
    }

    func whole(_ criterion: SplitProblem.Criterion) -> Double {
      criterion == .misclassification ? abs(response) : response * response / weight
    }
  }

  private func thresholdSplit(
    _ feature: Int, _ samples: [Int], _ weights: BoostingWeights, _ criterion: SplitProblem.Criterion
  ) -> ExactSplit? {
    let values = [Float](unsafeUninitializedCapacity: table.features.sampleCount) { buffer, count in
      table.features.fillValues(feature, into: buffer.baseAddress!)
      count = table.features.sampleCount
    }
    var order = samples.map { (value: values[$0], index: UInt32($0)) }
    order.sort { $0.value != $1.value ? $0.value < $1.value : $0.index < $1.index }
    var total = Sums()
    for item in order { total.add(Int(item.index), weights) }
    var left = Sums()
    var best: (gain: Double, threshold: Float)?
    for place in 0..<max(0, order.count - 1) {
      left.add(Int(order[place].index), weights)
      let (low, high) = (order[place].value, order[place + 1].value)
      guard low < high, left.weight > 0, left.weight < total.weight else { continue }
      let gain = total.gain(left, criterion)
      guard gain > best?.gain ?? -.infinity else { continue }
      let middle = low + (high - low) / 2
      best = (gain, middle > low ? middle : high)
    }
    guard let best, SplitSearch.isWorth(best.gain, total.whole(criterion)) else { return nil }
    return ExactSplit(
      feature: feature, split: .below(best.threshold), gain: best.gain, goesLeft: values.map { $0 < best.threshold })
  }

  private func categorySplit(
    _ feature: Int, _ samples: [Int], _ weights: BoostingWeights, _ problem: SplitProblem
  ) -> ExactSplit? {
    let criterion = problem.criterion
    let sampleCount = table.features.sampleCount
    let bytes = table.withRows(feature..<feature + 1) { row in
      Array(UnsafeBufferPointer(start: row, count: sampleCount))
    }
    var sums = [Sums](repeating: Sums(), count: 256)
    var total = Sums()
    for index in samples {
      sums[Int(bytes[index])].add(index, weights)
      total.add(index, weights)
    }
    let added = problem.categoryPrior * total.weight
    // Those without a sample have the mean 0: they go where it lies.
    let means = sums.map { $0.weight > 0 ? $0.response / ($0.weight + added) : 0 }
    let order = (0..<256).sorted { means[$0] != means[$1] ? means[$0] < means[$1] : $0 < $1 }
    var left = Sums()
    var best: (gain: Double, count: Int)?
    let last = order.last { sums[$0].weight > 0 }
    for (place, category) in order.enumerated() where sums[category].weight > 0 {
      left.weight += sums[category].weight
      left.response += sums[category].response
      guard category != last, left.weight < total.weight else { break }
      let gain = total.gain(left, criterion)
      if gain > best?.gain ?? -.infinity { best = (gain, place + 1) }
    }
    guard let best, SplitSearch.isWorth(best.gain, total.whole(criterion)) else { return nil }
    var words = [UInt32](repeating: 0, count: 8)
    for category in order.prefix(best.count) { words[category >> 5] |= 1 << UInt32(category & 31) }
    let set = DecisionTree.CategorySet(words: words)
    return ExactSplit(
      feature: feature, split: .isIn(set), gain: best.gain, goesLeft: bytes.map { set.contains(Int($0)) })
  }

  private static func isWorth(_ gain: Double, _ whole: Double) -> Bool { gain > whole * (1 + 1e-9) + 1e-12 }
}
