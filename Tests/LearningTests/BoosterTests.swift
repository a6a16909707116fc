import Execution
import Foundation
import TestSupport
import Testing

@testable import Learning

@Suite("Boosting")
struct BoosterTests {
  private func train(
    _ features: ListedFeatures, _ labels: [Bool], _ options: BoostingOptions, memory: Int = 1 << 20, threads: Int = 1
  ) throws -> BoostedTrees {
    try Booster(options: options, memory: memory, executor: ParallelExecutor(threadCount: threads)).train(
      features, labels: labels
    ) { _ in false }
  }

  private func random(_ seed: UInt64, features: Int, samples: Int, categories: Int? = nil) -> (ListedFeatures, [Bool]) {
    var random = RandomStream(seed: seed)
    let labels = (0..<samples).map { _ in random.uniform() < 0.4 }
    let rows = (0..<features).map { feature in
      labels.map { label -> Float in
        if let categories { return Float((random.index(below: categories) + (label ? feature : 0)) % categories) }
        return Float(random.gaussian() + (label ? 0.1 * Double(feature) : 0))
      }
    }
    return (ListedFeatures(values: rows, areCategories: categories != nil), labels)
  }

  @Test("a stump of gentle boosting worked by hand")
  func byHand() throws {
    let features = ListedFeatures(values: [[1, 2, 3, 4], [5, 5, 6, 5]])
    let result = try train(
      features, [false, false, true, true], BoostingOptions(weightTrimming: 1, maximumTreeCount: 1))
    let tree = try #require(result.trees.first)
    #expect(tree.nodes == [.init(feature: 0, split: .below(2.5), left: .leaf(0), right: .leaf(1))])
    #expect(tree.leaves == [-1, 1])
    #expect(result.scores == [-1, -1, 1, 1])
  }

  @Test("leaves of the four kinds, of three right and one wrong a side, worked by hand")
  func leaves() throws {
    // No feature helps but by sides: the left holds three negatives and a positive, the right the opposite.
    let features = ListedFeatures(values: [[0, 0, 0, 0, 1, 1, 1, 1]])
    let labels = [false, false, false, true, true, true, true, false]
    func leaves(_ algorithm: BoostingOptions.Algorithm) throws -> [Float] {
      try train(features, labels, BoostingOptions(algorithm: algorithm, weightTrimming: 1, maximumTreeCount: 1)).trees[
        0
      ]
      .leaves
    }
    #expect(try leaves(.gentle) == [-0.5, 0.5])
    // Half-probabilities: working responses are ±2, their mean -1 and 1; half of it is added.
    #expect(try leaves(.logit) == [-0.5, 0.5])
    // Shares of 3/8 and 1/8 a side, smoothed by 1/16; errors of 2/8.
    let real = Float(0.5 * log((0.375 + 0.0625) / (0.125 + 0.0625)))
    #expect(try zip(leaves(.real), [-real, real]).allSatisfy { abs($0 - $1) < 1e-6 })
    let vote = Float(0.5 * log((0.75 + 0.0625) / (0.25 + 0.0625)))
    #expect(try zip(leaves(.discrete), [-vote, vote]).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test("working responses of logistic boosting are held within 4, as the paper's range ends; worked by hand")
  func workingResponses() {
    // Shares 1 / (1 + e^(-2 score)): 0.5, 0.268941 and less than 0.25, of which the reciprocals are 2, 3.7183 and more than 4.
    let weights = BoostingWeights(
      labels: [true, true, true, false, false], scores: [0, -0.5, -3, 0.5, 3], algorithm: .logit)
    let expected = [2, 1 + exp(1.0), 4, -1 - exp(1.0), -4]
    #expect(zip(weights.responses, expected).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  /// The best split of all features by trying every threshold, or every set of categories.
  private func bestGain(_ features: ListedFeatures, _ weights: BoostingWeights, _ isDiscrete: Bool) -> Double {
    var best = 0.0
    for row in features.values {
      var lefts: [(Float) -> Bool] = []
      if features.areCategories {
        let present = Set(row).sorted()
        for bits in 0..<(1 << present.count) {
          lefts.append { value in bits >> present.firstIndex(of: value)! & 1 == 1 }
        }
      } else {
        for threshold in Set(row) { lefts.append { $0 < threshold } }
      }
      for left in lefts {
        var sums = [[0.0, 0.0], [0.0, 0.0]]
        for (sample, value) in row.enumerated() {
          sums[left(value) ? 0 : 1][0] += weights.weights[sample]
          sums[left(value) ? 0 : 1][1] += weights.weights[sample] * weights.responses[sample]
        }
        guard sums[0][0] > 0, sums[1][0] > 0 else { continue }
        let gain =
          isDiscrete
          ? abs(sums[0][1]) + abs(sums[1][1])
          : sums[0][1] * sums[0][1] / sums[0][0] + sums[1][1] * sums[1][1] / sums[1][0]
        best = max(best, gain)
      }
    }
    return best
  }

  private func gain(_ tree: DecisionTree, _ features: ListedFeatures, _ weights: BoostingWeights, _ isDiscrete: Bool)
    -> Double
  {
    var sums = [[0.0, 0.0], [0.0, 0.0]]
    for sample in 0..<features.sampleCount {
      let value = features.values[tree.nodes[0].feature][sample]
      let left =
        switch tree.nodes[0].split {
        case .below(let threshold): value < threshold
        case .isIn(let set): set.contains(Int(value))
        }
      sums[left ? 0 : 1][0] += weights.weights[sample]
      sums[left ? 0 : 1][1] += weights.weights[sample] * weights.responses[sample]
    }
    return isDiscrete
      ? abs(sums[0][1]) + abs(sums[1][1])
      : sums[0][1] * sums[0][1] / sums[0][0] + sums[1][1] * sums[1][1] / sums[1][0]
  }

  @Test(
    "each stump gains as much as the best of all that there are",
    arguments: testSeeds.prefix(4), BoostingOptions.Algorithm.allCases)
  func stumpOracle(_ seed: UInt64, _ algorithm: BoostingOptions.Algorithm) throws {
    for categories in [nil, 6] {
      let (features, labels) = random(seed, features: 13, samples: 61, categories: categories)
      let options = BoostingOptions(algorithm: algorithm, weightTrimming: 1, categoryPrior: 0, maximumTreeCount: 4)
      var scores = [Double](repeating: 0, count: labels.count)
      for tree in try train(features, labels, options).trees {
        let weights = BoostingWeights(labels: labels, scores: scores, algorithm: algorithm)
        let found = gain(tree, features, weights, algorithm == .discrete)
        let best = bestGain(features, weights, algorithm == .discrete)
        #expect(abs(found - best) < 1e-9, "seed \(seed), categories \(categories as Any)")
        for sample in labels.indices { scores[sample] += Double(tree.score { features.values[$0][sample] }) }
      }
    }
  }

  @Test("the same trees on any number of threads, with any memory", arguments: testSeeds.prefix(3))
  func determinism(_ seed: UInt64) throws {
    for categories in [nil, 40] {
      let (features, labels) = random(seed, features: 700, samples: 300, categories: categories)
      let options = BoostingOptions(maximumDepth: 2, maximumTreeCount: 5)
      let one = try train(features, labels, options)
      #expect(one.trees.count == 5)
      for (memory, threads) in [(0, 1), (0, 3), (300 * 300, 2), (1 << 20, 4)] {
        let other = try train(features, labels, options, memory: memory, threads: threads)
        #expect(other.trees == one.trees && other.scores == one.scores, "seed \(seed), \(memory), \(threads)")
      }
    }
  }

  @Test("scores are the sums of the leaves", arguments: BoostingOptions.Algorithm.allCases)
  func scores(_ algorithm: BoostingOptions.Algorithm) throws {
    let (features, labels) = random(3, features: 9, samples: 120)
    let result = try train(
      features, labels, BoostingOptions(algorithm: algorithm, maximumDepth: 3, maximumTreeCount: 6))
    for sample in labels.indices {
      let sum = result.trees.reduce(0.0) { $0 + Double($1.score { features.values[$0][sample] }) }
      #expect(abs(sum - result.scores[sample]) < 1e-9)
    }
    #expect(result.trees.allSatisfy { $0.leaves.count == $0.nodes.count + 1 && $0.nodes.count <= 7 })
  }

  @Test("coarse bins cost little: exact thresholds are found in the end")
  func coarseBins() throws {
    var (features, labels) = random(5, features: 40, samples: 400)
    let options = BoostingOptions(maximumTreeCount: 8)
    func loss(_ result: BoostedTrees) -> Double {
      zip(result.scores, labels).reduce(0) { $0 + exp($1.1 ? -$1.0 : $1.0) }
    }
    let fine = loss(try train(features, labels, options))
    features.binCount = 32
    #expect(loss(try train(features, labels, options)) < 1.02 * fine)
  }

  @Test("rare categories are ordered nearer to the middle, and those without a sample lie in it; worked by hand")
  func categoryPrior() throws {
    // Category 0: one negative. 1: six positives, four negatives. 2: eight positives. 3: one positive. No other is there.
    let values = [0] + Array(repeating: Float(1), count: 10) + Array(repeating: 2, count: 8) + [3]
    let labels =
      [false] + Array(repeating: true, count: 6) + Array(repeating: false, count: 4) + Array(repeating: true, count: 9)
    func left(_ prior: Double) throws -> [Int] {
      let features = ListedFeatures(values: [values], areCategories: true)
      let options = BoostingOptions(weightTrimming: 1, categoryPrior: prior, maximumTreeCount: 1)
      guard case .isIn(let set) = try train(features, labels, options).trees.first?.nodes.first?.split else {
        return []
      }
      return (0..<256).filter(set.contains)
    }
    // By their means -1, 0.2, 1, 1 the best cut is before the second last: 0.09 + 9 of 20, against 7.4 and 8.3.
    #expect(try left(0) == [0, 1] + Array(4..<256))
    // With 20 added to each weight, the means are -0.05, 0.067, 0.29, 0.048: the rare one comes before category 1.
    #expect(try left(1) == [0, 1] + Array(3..<256))
  }

  @Test("the prior of categories is a share of the weight of the node that is split, not of all; worked by hand")
  func categoryPriorOfANode() throws {
    // The samples of the test above in category 0 of the first feature, and 60 negatives in its category 1, split off at the
    // root: 20 of the weight of 80 are left.
    let values = [0] + Array(repeating: Float(1), count: 10) + Array(repeating: 2, count: 8) + [3]
    let labels =
      [false] + Array(repeating: true, count: 6) + Array(repeating: false, count: 4) + Array(repeating: true, count: 9)
    let features = ListedFeatures(
      values: [
        Array(repeating: 0, count: 20) + Array(repeating: 1, count: 60), values + Array(repeating: 1, count: 60),
      ], areCategories: true)
    let tree = try #require(
      try train(
        features, labels + Array(repeating: false, count: 60),
        BoostingOptions(maximumDepth: 2, weightTrimming: 1, categoryPrior: 0.25, maximumTreeCount: 1)
      ).trees.first)
    #expect(tree.nodes.map(\.feature) == [0, 1])
    // With 5 added to each weight the means are -0.17, 0.13, 0.62, 0.17: the cut is that of no prior. With 20 added, a quarter
    // of all, the last would come before category 1.
    guard case .isIn(let set) = try #require(tree.nodes.last).split else { throw CancelledError() }
    #expect((0..<256).filter(set.contains) == [0, 1] + Array(4..<256))
  }

  @Test("the prior of categories is read, has a default, and is 0 to 1")
  func categoryPriorOption() throws {
    func options(_ text: String) throws -> BoostingOptions {
      try JSONDecoder().decode(BoostingOptions.self, from: Data(text.utf8))
    }
    #expect(try options("{}").categoryPrior == 0.003)
    #expect(try options(#"{"categoryPrior": 0.25}"#).categoryPrior == 0.25)
    for bad in [-0.1, 1.5, .nan] {
      let error = #expect(throws: InputError.self) { try BoostingOptions(categoryPrior: bad).validate() }
      #expect(error?.field == "boosting.categoryPrior")
    }
  }

  @Test("weight trimming keeps samples of one weight together, and the heaviest")
  func trimming() {
    let labels = [true, false, true, false]
    let equal = BoostingWeights(labels: labels, scores: [0, 0, 0, 0], algorithm: .gentle)
    #expect(equal.heaviest(0.5) == [0, 1, 2, 3])
    let skewed = BoostingWeights(labels: labels, scores: [3, 0, -1, 0], algorithm: .gentle)
    #expect(skewed.heaviest(0.5) == [2])
    #expect(skewed.heaviest(0.95).count == 3)
  }

  @Test("nothing to learn gives no tree")
  func nothing() throws {
    let features = ListedFeatures(values: [[1, 1, 1, 1], [0, 1, 0, 1]])
    #expect(try train(features, [true, true, false, false], BoostingOptions()).trees.isEmpty)
  }

  @Test("training goes on from given scores")
  func start() throws {
    let (features, labels) = random(8, features: 9, samples: 80)
    let booster = Booster(options: BoostingOptions(maximumTreeCount: 3), memory: 1 << 20)
    let first = try booster.train(features, labels: labels) { _ in false }
    let second = try booster.train(features, labels: labels, from: first.scores) { _ in false }
    let both = try Booster(options: BoostingOptions(maximumTreeCount: 6), memory: 1 << 20).train(
      features, labels: labels
    ) { _ in false }
    #expect(first.trees + second.trees == both.trees)
    #expect(second.scores == both.scores)
  }

  private struct Golden: Decodable {
    struct Case: Decodable {
      var algorithm: BoostingOptions.Algorithm
      var areCategories: Bool
      var depth: Int
      var sums: [Double]
    }

    var labels: [Int]
    var values: [[Float]]
    var categories: [[Float]]
    var cases: [Case]
  }

  @Test("gentle boosting gives the sums of OpenCV's (cv2.ml.Boost 4.14.0)")
  func golden() throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/Learning/boosting.json")
    let golden = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: url))
    #expect(golden.cases.count == 4)
    for item in golden.cases {
      let rows = item.areCategories ? golden.categories : golden.values
      let features = ListedFeatures(
        values: rows[0].indices.map { feature in rows.map { $0[feature] } }, areCategories: item.areCategories)
      let result = try train(
        features, golden.labels.map { $0 > 0 },
        BoostingOptions(
          algorithm: item.algorithm, maximumDepth: item.depth, weightTrimming: 1, categoryPrior: 0, maximumTreeCount: 6)
      )
      let worst = zip(result.scores, item.sums).map { abs($0 - $1) }.max() ?? 0
      #expect(worst < 2e-4, "\(item.algorithm) \(item.areCategories) \(item.depth)")
    }
  }
}
