import Execution

/// How trees are boosted.
public struct BoostingOptions: Hashable, Sendable, Codable {
  /// The four kinds of AdaBoost of Friedman, Hastie and Tibshirani (2000).
  public enum Algorithm: String, NamedChoice, Hashable, Sendable {
    /// Trees vote for a class; each has one weight (algorithm 1). Splits minimise the misclassified weight.
    case discrete
    /// Leaves are half the log-odds of their samples (algorithm 2). Splits minimise Gini's impurity.
    case real
    /// Newton steps for the logistic likelihood (algorithm 3). Splits minimise the weighted squared error.
    case logit
    /// Leaves are the weighted mean of the labels ±1 (algorithm 4). Splits minimise the weighted squared error.
    case gentle
  }

  public var algorithm: Algorithm
  /// The most splits from a tree's root to a leaf; 1 is a stump.
  public var maximumDepth: Int
  /// A tree is grown on the heaviest samples that hold this share of the weight; 1 takes all.
  public var weightTrimming: Double
  /// Where features are categories: how much weight without a response, as a share of the node's weight, is added to each
  /// category before they are ordered by their mean responses and divided into two sets. Means of rare categories are chance:
  /// so they come to the middle, where those lie of which there is no sample (and which go left or right by where the cut is). 0
  /// orders by the plain means.
  public var categoryPrior: Double
  /// The most trees.
  public var maximumTreeCount: Int

  public init(
    algorithm: Algorithm = .gentle, maximumDepth: Int = 1, weightTrimming: Double = 0.95, categoryPrior: Double = 0.003,
    maximumTreeCount: Int = 100
  ) {
    self.algorithm = algorithm
    self.maximumDepth = maximumDepth
    self.weightTrimming = weightTrimming
    self.categoryPrior = categoryPrior
    self.maximumTreeCount = maximumTreeCount
  }

  /// Reads an object; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let base = BoostingOptions()
    self.init(
      algorithm: try values.decodeIfPresent(Algorithm.self, forKey: .algorithm) ?? base.algorithm,
      maximumDepth: try values.decodeIfPresent(Int.self, forKey: .maximumDepth) ?? base.maximumDepth,
      weightTrimming: try values.decodeIfPresent(Double.self, forKey: .weightTrimming) ?? base.weightTrimming,
      categoryPrior: try values.decodeIfPresent(Double.self, forKey: .categoryPrior) ?? base.categoryPrior,
      maximumTreeCount: try values.decodeIfPresent(Int.self, forKey: .maximumTreeCount) ?? base.maximumTreeCount)
  }

  /// Checks ranges.
  /// - Throws: `InputError` that names the field.
  public func validate(source: String = "boosting options") throws {
    func check(_ field: String, _ isValid: Bool, _ found: String, _ expected: String) throws {
      guard isValid else {
        throw InputError(
          source: source, field: "boosting.\(field)", problem: "out of range", found: found, expected: expected)
      }
    }
    try check("maximumDepth", (1...16).contains(maximumDepth), "\(maximumDepth)", "1 to 16")
    try check(
      "weightTrimming", weightTrimming > 0 && weightTrimming <= 1, "\(weightTrimming)", "more than 0, at most 1")
    try check("categoryPrior", (0...1).contains(categoryPrior), "\(categoryPrior)", "0 to 1")
    try check("maximumTreeCount", (1...100_000).contains(maximumTreeCount), "\(maximumTreeCount)", "1 to 100000")
  }
}
