import Execution
import Geometry
import Learning
import ModelFiles

/// What a training must share with a checkpoint to go on from it.
struct CascadeTrainingIdentity: Hashable, Sendable, Codable {
  var options: CascadeTrainerOptions
  /// Of positives and negatives.
  var checksum: String

  /// What differs from the training that a checkpoint was written by, or `nil` for nothing. Other memory may
  /// be used: it does not change the stages that are done. The number of stages may not: the goal can follow from it.
  func difference(from stored: CascadeTrainingIdentity) throws -> CheckpointFile.Difference? {
    var stored = stored
    stored.options.memory = options.memory
    if let difference = try CheckpointFile.difference(options, stored.options) { return difference }
    return checksum == stored.checksum
      ? nil : .init(field: "data", found: "other photos, annotations or windows", expected: "the same")
  }
}

/// A training between two stages, as a file: stages, the numbers of the positives, the pixels of the negatives, and the places
/// where both searches go on.
enum CascadeCheckpoint {
  static let kind = "cascade-training-checkpoint"
  /// 2 has the checksum beside the record.
  static let version = 2
  static let damaged = InputError(
    source: "checkpoint", problem: "does not hold together", hint: "delete it, or begin anew with --restart")

  private struct Record: Codable {
    var identity: CascadeTrainingIdentity
    var report: CascadeTrainingReport
    var stages: [StoredStage]
    var positiveCursor: Int
    var negativeCursor: Int
    var acceptance: Double
  }

  static func write(_ state: CascadeTrainingState, identity: CascadeTrainingIdentity, to path: String) throws {
    let area = identity.options.windowSize.width * identity.options.windowSize.height
    let tensors = [
      "positives": Tensor(state.positives.map { Int32($0) }, shape: [state.positives.count]),
      "negatives": Tensor(state.negativePixels, shape: [state.negativePixels.count / area, area]),
    ]
    try CheckpointFile.write(
      Record(
        identity: identity, report: state.report, stages: state.stages.map(StoredStage.init),
        positiveCursor: state.positiveCursor, negativeCursor: state.negativeCursor, acceptance: state.acceptance),
      tensors: tensors, kind: kind, version: version, seed: identity.options.seed, to: path)
  }

  /// The state that the file at `path` holds, without the positives' pixels; `nil` where there is no file.
  /// - Throws: `InputError` for a file that is none or is damaged, and for one of other options or data, naming what
  ///   differs.
  static func read(
    _ path: String, identity: CascadeTrainingIdentity, data: CascadeTrainingData
  ) throws -> CascadeTrainingState? {
    guard let (record, file) = try CheckpointFile.read(path, as: Record.self, kind: kind, version: version) else {
      return nil
    }
    try identity.difference(from: record.identity)?.refuse(path)
    var state = CascadeTrainingState(report: record.report)
    state.stages = record.stages.map(\.stage)
    state.positives = try file.integers("positives", shape: [nil]).map { Int($0) }
    let area = identity.options.windowSize.width * identity.options.windowSize.height
    let negatives = try file.tensor("negatives", shape: [nil, area])
    guard negatives.bytes.count == negatives.shape.reduce(1, *) else { throw damaged }
    state.negativePixels = negatives.bytes
    state.positiveCursor = record.positiveCursor
    state.negativeCursor = record.negativeCursor
    state.acceptance = record.acceptance
    guard state.positives.allSatisfy({ (0..<data.positives.count).contains($0) }),
      (0...data.positives.count).contains(state.positiveCursor),
      (0...data.negatives.count).contains(state.negativeCursor)
    else { throw damaged }
    return state
  }
}

/// A stage as JSON.
private struct StoredStage: Codable {
  struct Node: Codable {
    var feature: Int
    var below: Float?
    var isIn: [UInt32]?
    /// A node, or where negative the leaf -1 - value.
    var left: Int
    var right: Int
  }

  struct Tree: Codable {
    var nodes: [Node]
    var leaves: [Float]
  }

  var trees: [Tree]
  var threshold: Float
  var trace: [Float]?

  init(_ stage: CascadeStage) {
    func number(_ branch: DecisionTree.Branch) -> Int {
      switch branch {
      case .node(let index): index
      case .leaf(let index): -1 - index
      }
    }
    threshold = stage.threshold
    trace = stage.trace
    trees = stage.trees.map { tree in
      Tree(
        nodes: tree.nodes.map { node in
          var stored = Node(feature: node.feature, left: number(node.left), right: number(node.right))
          switch node.split {
          case .below(let threshold): stored.below = threshold
          case .isIn(let set): stored.isIn = set.words
          }
          return stored
        }, leaves: tree.leaves)
    }
  }

  var stage: CascadeStage {
    func branch(_ number: Int) -> DecisionTree.Branch { number < 0 ? .leaf(-1 - number) : .node(number) }
    return CascadeStage(
      trees: trees.map { tree in
        DecisionTree(
          nodes: tree.nodes.map { node in
            DecisionTree.Node(
              feature: node.feature,
              split: node.isIn.map { .isIn(DecisionTree.CategorySet(words: $0)) } ?? .below(node.below ?? 0),
              left: branch(node.left), right: branch(node.right))
          }, leaves: tree.leaves)
      }, threshold: threshold, trace: trace)
  }
}
