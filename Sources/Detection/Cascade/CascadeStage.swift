import Learning

/// A stage of a cascade: trees whose leaves are added up; a window whose sum stays below the threshold is rejected.
public struct CascadeStage: Hashable, Sendable {
  public var trees: [DecisionTree]
  /// A window goes on where its sum is at least this.
  public var threshold: Float
  /// A soft cascade's rejection trace: after tree `i` a window whose sum is below `trace[i]` is rejected at once. `nil`
  /// rejects at the stage's end alone. Reference: L. Bourdev, J. Brandt, "Robust object detection via soft cascade", CVPR
  /// 2005.
  public var trace: [Float]?

  /// - Precondition: a trace has a value for each tree.
  public init(trees: [DecisionTree], threshold: Float, trace: [Float]? = nil) {
    precondition(trace == nil || trace?.count == trees.count, "a trace has a value for each tree")
    self.trees = trees
    self.threshold = threshold
    self.trace = trace
  }
}
