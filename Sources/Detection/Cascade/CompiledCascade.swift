import Features
import Geometry
import Learning

/// A cascade as flat arrays, without what depends on how an image's sums are laid out.
///
/// Stages become runs: a plain stage is one run, a traced stage one for each tree, so that a scan knows one way to reject.
struct CompiledCascade: Sendable {
  /// Trees whose leaves are added up before the sum is compared.
  struct Run: Sendable {
    var firstTree: Int
    var treeCount: Int
    /// A window goes on where its sum is not less.
    var threshold: Double
    /// Whether the sum begins anew.
    var begins: Bool
    /// Whether it is the stage's last.
    var ends: Bool
    /// The stage's own threshold, whatever is compared here.
    var stageThreshold: Double
    /// Index of the stage.
    var stage: Int
    /// Whether several windows may be worked at side by side: trees are small.
    var isWide: Bool
  }

  struct Tree: Sendable {
    var firstNode: Int
    var nodeCount: Int
    /// Of stumps over block patterns: the leaf by category, from this place of `leafTables`.
    var table: Int
  }

  struct Node: Sendable {
    var feature: Int
    var threshold: Float
    /// First of eight words in `sets`.
    var set: Int
    /// Nodes from the tree's root on, where above 0; else a leaf.
    var left: Int32
    var right: Int32
    var leftLeaf: Float
    var rightLeaf: Float
  }

  var runs: [Run] = []
  var trees: [Tree] = []
  var nodes: [Node] = []
  var sets: [UInt32] = []
  /// 256 values for each stump over block patterns.
  var leafTables: [Double] = []
  let windowSize: PixelSize
  let features: CascadeFeatures
  let hasTiltedFeatures: Bool
  /// What is taken off the last stage's sum to make a score.
  let lastThreshold: Double
  /// The least `area * squares - sum * sum` of a window that OpenCV looks at; see `leastVariation`.
  let leastVariation: Double

  /// Trees of more nodes are worked at one window at a time: side by side all nodes would be evaluated.
  static let wideTreeLimit = 7

  init(windowSize: PixelSize, features: CascadeFeatures, stages: [CascadeStage]) {
    self.windowSize = windowSize
    self.features = features
    if case .haar(let features) = features {
      hasTiltedFeatures = features.contains(where: \.isTilted)
    } else {
      hasTiltedFeatures = false
    }
    lastThreshold = Double(stages.last?.threshold ?? 0)
    leastVariation = CompiledCascade.leastVariation(area: (windowSize.width - 2) * (windowSize.height - 2))
    for (index, stage) in stages.enumerated() {
      let first = trees.count
      for tree in stage.trees { add(tree) }
      let spans: [Range<Int>] =
        stage.trace == nil ? [first..<trees.count] : (first..<trees.count).map { $0..<$0 + 1 }
      for (number, span) in spans.enumerated() {
        var threshold = stage.trace.map { Double($0[number]) } ?? Double(stage.threshold)
        if span.upperBound == trees.count { threshold = max(threshold, Double(stage.threshold)) }
        let largest = trees[span].map(\.nodeCount).max() ?? 0
        let limit = if case .haar = features { CompiledCascade.wideTreeLimit } else { 1 }
        runs.append(
          Run(
            firstTree: span.lowerBound, treeCount: span.count, threshold: threshold, begins: number == 0,
            ends: number == spans.count - 1, stageThreshold: Double(stage.threshold), stage: index,
            isWide: largest <= limit))
      }
    }
  }

  /// The runs of up to so many stages that come before the last.
  func runs(ofStagesBeforeLast count: Int) -> Range<Int> {
    guard let last = runs.last?.stage, let end = runs.firstIndex(where: { $0.stage == last }) else { return 0..<0 }
    return (runs.firstIndex { $0.stage >= last - count } ?? end)..<end
  }

  private mutating func add(_ tree: DecisionTree) {
    var compiled = Tree(firstNode: nodes.count, nodeCount: tree.nodes.count, table: leafTables.count)
    for node in tree.nodes {
      func branch(_ branch: DecisionTree.Branch) -> (Int32, Float) {
        switch branch {
        case .node(let next): (Int32(next), 0)
        case .leaf(let leaf): (0, tree.leaves[leaf])
        }
      }
      let (left, leftLeaf) = branch(node.left)
      let (right, rightLeaf) = branch(node.right)
      var made = Node(
        feature: node.feature, threshold: 0, set: sets.count, left: left, right: right, leftLeaf: leftLeaf,
        rightLeaf: rightLeaf)
      switch node.split {
      case .below(let threshold): made.threshold = threshold
      case .isIn(let set):
        sets += set.words
        if tree.nodes.count == 1 {
          leafTables += (0..<256).map { Double(set.contains($0) ? leftLeaf : rightLeaf) }
        }
      }
      nodes.append(made)
    }
    if tree.nodes.count > 1 { compiled.table = -1 }
    trees.append(compiled)
  }

  /// OpenCV leaves a window out where `area / sqrt(variation) >= 0.1`, the root's inverse rounded to single precision:
  /// a contrast below 10 grey levels. Variations are whole numbers, and the rule is monotone in them, so the least that
  /// passes is found once by bisection.
  private static func leastVariation(area: Int) -> Double {
    func passes(_ variation: Int) -> Bool {
      Double(area) * Double(Float(1 / Double(variation).squareRoot())) < 0.1
    }
    var low = 0
    var high = 1 << 50
    while high - low > 1 {
      let middle = (low + high) / 2
      if passes(middle) { high = middle } else { low = middle }
    }
    return Double(high)
  }
}

/// How a level's sums lie in memory: a row of sums is cut into as many planes as windows are pixels apart, so that the sums
/// that neighbouring windows need lie side by side.
struct CascadeLayout: Hashable, Sendable {
  /// Pixels from one window to the next.
  let stride: Int
  /// Values from one plane of a row to the next.
  let planeStride: Int
  /// Values from one row to the next.
  let rowStride: Int

  /// Values that may be read behind a row's last: the width of the widest load, and the reach of a whole group of windows.
  static let slack = 64

  /// - Parameter width: of the widest level's image.
  init(stride: Int, width: Int) {
    self.stride = stride
    planeStride = (width + stride) / stride
    rowStride = planeStride * stride
  }

  /// From a window's own place to the sum at a place of the window.
  func offset(x: Int, y: Int) -> Int32 {
    Int32(y * rowStride + (x % stride) * planeStride + x / stride)
  }
}
