/// A binary decision tree over numbered features: the weak classifier of boosting. A stump is a tree of one node.
public struct DecisionTree: Hashable, Sendable {
  /// Which way a node sends a sample.
  public enum Split: Hashable, Sendable {
    /// Left where the feature's value is less than this.
    case below(Float)
    /// The feature's value is a category: left where it is in the set.
    case isIn(CategorySet)
  }

  /// A set of categories 0...255.
  public struct CategorySet: Hashable, Sendable {
    /// Eight words; category `c` is bit `c & 31` of word `c >> 5`.
    public var words: [UInt32]

    public init(words: [UInt32]) {
      precondition(words.count == 8, "eight words of 32 categories")
      self.words = words
    }

    public func contains(_ category: Int) -> Bool { words[category >> 5] & (1 << UInt32(category & 31)) != 0 }
  }

  /// Where a branch leads.
  public enum Branch: Hashable, Sendable {
    /// To another node, by its index in `nodes`; always a later one.
    case node(Int)
    /// To a leaf, by its index in `leaves`.
    case leaf(Int)
  }

  public struct Node: Hashable, Sendable {
    /// Index of the feature.
    public var feature: Int
    public var split: Split
    public var left: Branch
    public var right: Branch

    public init(feature: Int, split: Split, left: Branch, right: Branch) {
      self.feature = feature
      self.split = split
      self.left = left
      self.right = right
    }
  }

  /// The root first.
  public var nodes: [Node]
  /// What the tree adds to the score, by leaf.
  public var leaves: [Float]

  public init(nodes: [Node], leaves: [Float]) {
    self.nodes = nodes
    self.leaves = leaves
  }

  /// The value of the leaf that a sample falls into.
  ///
  /// - Parameter value: the value of a feature, by its index.
  public func score(_ value: (Int) -> Float) -> Float {
    var index = 0
    while true {
      let node = nodes[index]
      let found = value(node.feature)
      let goesLeft =
        switch node.split {
        case .below(let threshold): found < threshold
        case .isIn(let set): set.contains(Int(found))
        }
      switch goesLeft ? node.left : node.right {
      case .node(let next): index = next
      case .leaf(let leaf): return leaves[leaf]
      }
    }
  }
}
