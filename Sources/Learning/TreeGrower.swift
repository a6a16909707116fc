#if canImport(Glibc)
  import Glibc
#endif

/// Grows one tree for weighted samples.
struct TreeGrower {
  let search: SplitSearch
  let weights: BoostingWeights
  let options: BoostingOptions

  private struct Open {
    /// Samples of the node that splits are looked for on, heaviest first.
    var trimmed: [Int]
    /// All samples of the node.
    var all: [Int]
    var depth: Int
    /// The node and the side that leads here; `nil` for the root.
    var parent: (node: Int, isLeft: Bool)?
  }

  /// The tree and the value of each sample's leaf; `nil` where the root cannot be split.
  ///
  /// - Parameters:
  ///   - likely: features that were good last time; then those of this time.
  ///   - expectedGain: what the last root's split gained, as a share of what there is to gain; then this one's.
  func grow(likely: inout [Int], expectedGain: inout Double) -> (tree: DecisionTree, values: [Float])? {
    let criterion: SplitProblem.Criterion = options.algorithm == .discrete ? .misclassification : .squaredError
    var nodes: [DecisionTree.Node] = []
    var members: [[Int]] = []
    var open = [
      Open(
        trimmed: weights.heaviest(options.weightTrimming), all: Array(weights.weights.indices), depth: 0, parent: nil)
    ]
    var next = 0
    // Breadth first, so that branches lead to later nodes.
    while next < open.count {
      let node = open[next]
      next += 1
      var split: ExactSplit?
      if node.depth < options.maximumDepth, node.trimmed.count > 1 {
        let problem = SplitProblem(
          node.trimmed, weights: weights, criterion: criterion, categoryPrior: options.categoryPrior,
          // What categories may gain at most is too loose a bound to drop features by.
          segmentRemainders: search.table.features.areCategories ? [] : [0.7 * expectedGain, 0.3 * expectedGain])
        split = search.bestSplit(node.trimmed, weights: weights, problem: problem, likely: &likely)
        if node.depth == 0, let split { expectedGain = share(split.gain, node.trimmed, criterion) }
      }
      guard let split else {
        if node.parent == nil { return nil }
        connect(node.parent, to: .leaf(members.count), in: &nodes)
        members.append(node.all)
        continue
      }
      connect(node.parent, to: .node(nodes.count), in: &nodes)
      for isLeft in [true, false] {
        open.append(
          Open(
            trimmed: node.trimmed.filter { split.goesLeft[$0] == isLeft },
            all: node.all.filter { split.goesLeft[$0] == isLeft }, depth: node.depth + 1,
            parent: (nodes.count, isLeft)))
      }
      nodes.append(
        DecisionTree.Node(feature: split.feature, split: split.split, left: .leaf(0), right: .leaf(0)))
    }
    let leaves = leafValues(members)
    var values = [Float](repeating: 0, count: weights.weights.count)
    for (leaf, samples) in members.enumerated() { for index in samples { values[index] = leaves[leaf] } }
    return (DecisionTree(nodes: nodes, leaves: leaves), values)
  }

  private func connect(
    _ parent: (node: Int, isLeft: Bool)?, to branch: DecisionTree.Branch, in nodes: inout [DecisionTree.Node]
  ) {
    guard let parent else { return }
    if parent.isLeft {
      nodes[parent.node].left = branch
    } else {
      nodes[parent.node].right = branch
    }
  }

  /// A split's gain over no split, as a share of the squared responses.
  private func share(_ gain: Double, _ samples: [Int], _ criterion: SplitProblem.Criterion) -> Double {
    var (weight, response, squares) = (0.0, 0.0, 0.0)
    for index in samples {
      weight += weights.weights[index]
      response += weights.weights[index] * weights.responses[index]
      squares += weights.weights[index] * weights.responses[index] * weights.responses[index]
    }
    let base = criterion == .misclassification ? abs(response) : response * response / weight
    return max(0, min(1, (gain - base) / squares))
  }

  private func leafValues(_ members: [[Int]]) -> [Float] {
    var weightSums = [Double](repeating: 0, count: members.count)
    var responseSums = [Double](repeating: 0, count: members.count)
    for (leaf, samples) in members.enumerated() {
      for index in samples {
        weightSums[leaf] += weights.weights[index]
        responseSums[leaf] += weights.weights[index] * weights.responses[index]
      }
    }
    let smoothing = 1 / (2 * Double(weights.weights.count))
    switch options.algorithm {
    case .gentle: return zip(responseSums, weightSums).map { $1 > 0 ? Float($0 / $1) : 0 }
    case .logit: return zip(responseSums, weightSums).map { $1 > 0 ? Float(0.5 * $0 / $1) : 0 }
    case .real:
      return zip(responseSums, weightSums).map { response, weight in
        Float(0.5 * log(((weight + response) / 2 + smoothing) / ((weight - response) / 2 + smoothing)))
      }
    case .discrete:
      let wrong = zip(responseSums, weightSums).reduce(0) { $0 + ($1.1 - abs($1.0)) / 2 }
      let vote = 0.5 * log((1 - wrong + smoothing) / (wrong + smoothing))
      return responseSums.map { Float($0 >= 0 ? vote : -vote) }
    }
  }
}
