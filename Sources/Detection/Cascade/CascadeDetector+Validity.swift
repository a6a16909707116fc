import Features
import Geometry
import Learning

/// Why parts do not make a cascade, and where.
public struct CascadeFault: Error, Hashable, Sendable {
  public enum Place: Hashable, Sendable {
    case window
    case feature(Int)
    case stage(Int)
    case tree(stage: Int, tree: Int)
  }

  public var place: Place
  public var problem: String
  public var found: String?
  public var expected: String?
}

extension CascadeDetector {
  /// The largest area of a window in pixels: its squares' sum fits in 32 bits, as in OpenCV.
  public static let windowAreaLimit = Int(UInt32.max) / (255 * 255)

  /// What keeps parts from being a cascade; `nil` where they are one.
  ///
  /// A cascade has a stage, stages have trees, nodes name features that exist, branches lead to later nodes or to leaves,
  /// each exactly once, all features lie in the window, and all numbers are finite.
  public static func fault(
    windowSize: PixelSize, features: CascadeFeatures, stages: [CascadeStage]
  ) -> CascadeFault? {
    guard windowSize.width >= 3, windowSize.height >= 3, windowSize.width <= windowAreaLimit,
      windowSize.height <= windowAreaLimit, windowSize.width * windowSize.height <= windowAreaLimit
    else {
      return CascadeFault(
        place: .window, problem: "is no usable detection window",
        found: "\(windowSize.width) x \(windowSize.height)",
        expected: "3 x 3 pixels or more, and at most \(windowAreaLimit) in all")
    }
    switch features {
    case .haar(let features):
      for (index, feature) in features.enumerated() {
        if let fault = fault(feature, windowSize) {
          return CascadeFault(place: .feature(index), problem: fault.0, found: fault.1, expected: fault.2)
        }
      }
    case .blockPatterns(let patterns):
      for (index, pattern) in patterns.enumerated() where !pattern.lies(in: windowSize) {
        return CascadeFault(
          place: .feature(index), problem: "a pattern that does not lie in the window",
          found: "\(pattern.x) \(pattern.y) \(pattern.blockWidth) \(pattern.blockHeight)",
          expected: "three blocks within \(windowSize.width) x \(windowSize.height) on both axes")
      }
    }
    guard !stages.isEmpty else { return CascadeFault(place: .window, problem: "has no stages") }
    for (index, stage) in stages.enumerated() {
      guard !stage.trees.isEmpty else { return CascadeFault(place: .stage(index), problem: "has no trees") }
      guard stage.threshold.isFinite, stage.trace?.allSatisfy({ !$0.isNaN }) ?? true else {
        return CascadeFault(place: .stage(index), problem: "has a threshold that is no finite number")
      }
      guard stage.trace == nil || stage.trace?.count == stage.trees.count else {
        return CascadeFault(
          place: .stage(index), problem: "has a trace of another length", found: "\(stage.trace?.count ?? 0)",
          expected: "\(stage.trees.count), one value a tree")
      }
      for (number, tree) in stage.trees.enumerated() {
        if let problem = fault(tree, features) {
          return CascadeFault(
            place: .tree(stage: index, tree: number), problem: problem.0, found: problem.1, expected: problem.2)
        }
      }
    }
    return nil
  }

  private typealias Problem = (String, String?, String?)

  private static func fault(_ feature: HaarFeature, _ window: PixelSize) -> Problem? {
    guard (1...3).contains(feature.boxes.count) else {
      return ("a feature of an unusable number of boxes", "\(feature.boxes.count)", "1 to 3")
    }
    for box in feature.boxes {
      guard box.weight.isFinite else { return ("a weight that is no finite number", "\(box.weight)", nil) }
      guard box.lies(in: window, isTilted: feature.isTilted) else {
        return (
          "a \(feature.isTilted ? "tilted box" : "box") that does not lie in the window",
          "\(box.x) \(box.y) \(box.width) \(box.height)", "a box within \(window.width) x \(window.height)"
        )
      }
    }
    return nil
  }

  private static func fault(_ tree: DecisionTree, _ features: CascadeFeatures) -> Problem? {
    guard !tree.nodes.isEmpty else { return ("has no nodes", nil, nil) }
    guard tree.leaves.count == tree.nodes.count + 1 else {
      return ("has another number of leaves", "\(tree.leaves.count)", "\(tree.nodes.count + 1), one more than nodes")
    }
    if let leaf = tree.leaves.first(where: { !$0.isFinite }) {
      return ("has a leaf that is no finite number", "\(leaf)", nil)
    }
    var reachedNodes = Array(repeating: false, count: tree.nodes.count)
    var reachedLeaves = Array(repeating: false, count: tree.leaves.count)
    for (index, node) in tree.nodes.enumerated() {
      guard node.feature >= 0 && node.feature < features.count else {
        return ("names a feature that does not exist", "\(node.feature)", "0 to \(features.count - 1)")
      }
      switch (node.split, features) {
      case (.below(let threshold), .haar):
        guard threshold.isFinite else { return ("has a threshold that is no finite number", "\(threshold)", nil) }
      case (.isIn, .blockPatterns): break
      default: return ("splits by what its features do not give", nil, nil)
      }
      for branch in [node.left, node.right] {
        switch branch {
        case .node(let next):
          guard next > index && next < tree.nodes.count, !reachedNodes[next] else {
            return (
              "node \(index) leads to a node that is no later one, or to one that has a parent", "\(next)",
              "each node but the first once, in the order of the tree"
            )
          }
          reachedNodes[next] = true
        case .leaf(let leaf):
          guard leaf >= 0 && leaf < tree.leaves.count, !reachedLeaves[leaf] else {
            return (
              "node \(index) leads to a leaf that is not there, or that another branch leads to", "\(leaf)",
              "each of the \(tree.leaves.count) leaves once"
            )
          }
          reachedLeaves[leaf] = true
        }
      }
    }
    return nil
  }
}

extension HaarFeature.WeightedBox {
  func lies(in window: PixelSize, isTilted: Bool) -> Bool {
    // Sizes first: sums of what is larger than the window could overflow.
    guard (0...window.width).contains(x), (0...window.height).contains(y),
      (0...window.width + window.height).contains(width), (0...window.width + window.height).contains(height)
    else { return false }
    return isTilted
      ? x - height >= 0 && x + width <= window.width && y + width + height <= window.height
      : x + width <= window.width && y + height <= window.height
  }
}

extension BlockPattern {
  func lies(in window: PixelSize) -> Bool {
    (0...window.width).contains(x) && (0...window.height).contains(y) && (1...window.width).contains(blockWidth)
      && (1...window.height).contains(blockHeight) && x + 3 * blockWidth <= window.width
      && y + 3 * blockHeight <= window.height
  }
}
