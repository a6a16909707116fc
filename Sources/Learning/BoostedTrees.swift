/// Trees whose leaves are added up, and what they say of the samples that they were trained on.
public struct BoostedTrees: Sendable {
  public var trees: [DecisionTree]
  /// For each sample the sum of its leaves; what training began with is in it.
  public var scores: [Double]

  public init(trees: [DecisionTree], scores: [Double]) {
    self.trees = trees
    self.scores = scores
  }
}
