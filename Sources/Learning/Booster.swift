import Execution

#if canImport(Glibc)
  import Glibc
#endif

/// Boosts decision trees over numbered features: Discrete, Real, Logit and Gentle AdaBoost (Friedman, Hastie and
/// Tibshirani, "Additive logistic regression: a statistical view of boosting", Annals of Statistics 28, 2000).
///
/// A tree is grown from the root, each node by the split that gains most over all features. The search goes over bytes:
/// categories as they are, numbers as bins; the most promising features' thresholds (or sets of categories) are then worked
/// out on the exact values. Weights are rounded to 2^-30 of their sum in the search alone: so sums are exact in any order,
/// and the result is the same on any number of threads.
///
/// **Differences from the paper**: splits are found on the heaviest samples (weight trimming, section 9 of the paper), but
/// leaves are fitted to all; leaves of Real AdaBoost are smoothed (Schapire and Singer 1999); a tree's weight in Discrete
/// AdaBoost is half the log-odds of its error, so that scores of all kinds but Logit are margins of the same exponential loss.
public struct Booster: Sendable {
  public let options: BoostingOptions
  /// The most memory for features' bytes, in bytes; what does not fit is computed anew for each split.
  public let memory: Int
  let executor: ParallelExecutor
  private let storage = FeatureTable.Storage()

  /// Features whose exact splits are compared.
  static let candidateCount = 8

  /// - Precondition: the options are valid.
  public init(options: BoostingOptions, memory: Int, executor: ParallelExecutor = ParallelExecutor()) {
    self.options = options
    self.memory = memory
    self.executor = executor
  }

  /// Adds trees until `isEnough` says so, the options' number is reached, or no split gains anything.
  ///
  /// - Parameters:
  ///   - features: values of the samples; both classes are among them.
  ///   - labels: true for positives.
  ///   - start: scores that the trees are added to; `nil` is 0 for all.
  ///   - isEnough: asked after each tree.
  /// - Returns: the new trees; none where not even the first split gains anything.
  /// - Throws: `CancelledError`, and what `isEnough` throws.
  /// - Precondition: a label for each sample, and both of them among them.
  /// - Complexity: O(features * samples) a node.
  public func train(
    _ features: any BoostingFeatures, labels: [Bool], from start: [Double]? = nil,
    cancellation: Cancellation = Cancellation(), isEnough: (BoostedTrees) throws -> Bool
  ) throws -> BoostedTrees {
    precondition(labels.count == features.sampleCount && start?.count ?? labels.count == labels.count)
    precondition(labels.contains(true) && labels.contains(false), "samples of both classes expected")
    let table = FeatureTable(features, byteLimit: memory, storage: storage, executor: executor)
    let search = SplitSearch(table: table, executor: executor, wanted: Booster.candidateCount)
    var result = BoostedTrees(trees: [], scores: start ?? Array(repeating: 0, count: labels.count))
    var likely: [Int] = []
    var expectedGain = 0.5
    while result.trees.count < options.maximumTreeCount {
      try cancellation.check()
      let weights = BoostingWeights(labels: labels, scores: result.scores, algorithm: options.algorithm)
      let grower = TreeGrower(search: search, weights: weights, options: options)
      guard let (tree, values) = grower.grow(likely: &likely, expectedGain: &expectedGain) else { break }
      result.trees.append(tree)
      for index in labels.indices { result.scores[index] += Double(values[index]) }
      if try isEnough(result) { break }
    }
    return result
  }
}

extension Booster {
  /// Memory that each thread takes besides, where features are computed anew.
  public static func scratchBytes(sampleCount: Int) -> Int { FeatureTable.blockSize * sampleCount }
}
