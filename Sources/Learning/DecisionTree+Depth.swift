extension DecisionTree {
  /// Nodes on the longest way from the root to a leaf; 1 for a stump.
  ///
  /// - Precondition: branches lead to later nodes.
  public var depth: Int {
    var depths = Array(repeating: 1, count: nodes.count)
    for index in nodes.indices.reversed() {
      for case .node(let next) in [nodes[index].left, nodes[index].right] {
        precondition(next > index, "a branch to an earlier node")
        depths[index] = max(depths[index], 1 + depths[next])
      }
    }
    return depths.first ?? 0
  }
}
