import Execution
import Learning
import ModelFiles

/// What a training must share with a checkpoint to go on from it.
struct TrainingIdentity: Hashable, Sendable, Codable {
  var options: HOGTrainerOptions
  var annotatedCount: Int
  /// A checksum of each photo's name, annotations and content.
  var checksums: [String]

  init(options: HOGTrainerOptions, photos: TrainingPhotos, executor: ParallelExecutor) throws {
    self.options = options
    annotatedCount = photos.annotated.count
    checksums = try executor.map(photos.count) { try photos.checksum(at: $0) }
  }

  /// What differs from the training that a checkpoint was written by, or `nil` for nothing.
  func difference(from stored: TrainingIdentity) throws -> CheckpointFile.Difference? {
    if let difference = try CheckpointFile.difference(options, stored.options) { return difference }
    if annotatedCount != stored.annotatedCount || checksums.count != stored.checksums.count {
      func text(_ identity: TrainingIdentity) -> String {
        "\(identity.annotatedCount) annotated and \(identity.checksums.count - identity.annotatedCount) background photos"
      }
      return .init(field: "data", found: text(stored), expected: text(self))
    }
    if let changed = checksums.indices.first(where: { checksums[$0] != stored.checksums[$0] }) {
      return .init(field: "data", found: "another content or annotation of photo \(changed)", expected: "the same")
    }
    return nil
  }
}

/// A training between two rounds, as a file. Negatives are kept as places in the data, not as features: a checkpoint is
/// about as large as the model.
struct Checkpoint {
  static let kind = "hog-training-checkpoint"
  /// 2 has a checksum and what the memory had no room for; 3 has the checksum beside the record.
  static let version = 3
  static let damaged = InputError(
    source: "checkpoint", problem: "does not fit the data that it was written for",
    hint: "delete it, or begin anew with --restart")

  private struct Record: Codable {
    var identity: TrainingIdentity
    var report: HOGTrainingReport
    var mined: [TrainingState.Mined]
    /// Whether each component is trained itself.
    var isTrained: [Bool]
  }

  var report: HOGTrainingReport
  var models: [LinearSVM?]
  var duals: [[Double]]
  var keys: [[WindowKey]]
  private var mined: [TrainingState.Mined]
  private var identity: TrainingIdentity

  init(_ state: TrainingState, identity: TrainingIdentity) {
    report = state.report
    models = state.models
    duals = state.duals
    keys = state.keys
    mined = state.mined
    self.identity = identity
  }

  func write(to path: String) throws {
    var tensors: [String: Tensor] = [:]
    for (index, model) in models.enumerated() {
      guard let model else { continue }
      tensors["component\(index).weights"] = Tensor(model.weights)
      tensors["component\(index).bias"] = Tensor([model.bias])
      tensors["component\(index).duals"] = Tensor(duals[index])
      tensors["component\(index).negatives"] = Tensor(
        keys[index].flatMap { [$0.photo, $0.level, $0.row, $0.column] }, shape: [keys[index].count, 4])
    }
    try CheckpointFile.write(
      Record(identity: identity, report: report, mined: mined, isTrained: models.map { $0 != nil }), tensors: tensors,
      kind: Checkpoint.kind, version: Checkpoint.version, seed: identity.options.seed, to: path)
  }

  /// The checkpoint at `path`, or `nil` where there is no file.
  /// - Throws: `InputError` for a file that is none or is damaged, and for one of other options or data, naming what
  ///   differs.
  static func read(_ path: String, identity: TrainingIdentity) throws -> Checkpoint? {
    guard let (record, file) = try CheckpointFile.read(path, as: Record.self, kind: kind, version: version) else {
      return nil
    }
    try identity.difference(from: record.identity)?.refuse(path)
    return try Checkpoint(file, record)
  }

  private init(_ file: ModelFile, _ record: Record) throws {
    report = record.report
    mined = record.mined
    identity = record.identity
    models = []
    duals = []
    keys = []
    guard record.isTrained.count == record.identity.options.components.count,
      record.mined.count == record.isTrained.count, !report.rounds.isEmpty
    else { throw Checkpoint.damaged }
    for (index, isTrained) in record.isTrained.enumerated() {
      guard isTrained else {
        models.append(nil)
        duals.append([])
        keys.append([])
        continue
      }
      models.append(
        LinearSVM(
          weights: try file.floats("component\(index).weights", shape: [nil]),
          bias: try file.doubles("component\(index).bias", shape: [1])[0]))
      duals.append(try file.doubles("component\(index).duals", shape: [nil]))
      let places = try file.integers("component\(index).negatives", shape: [nil, 4]).map { Int32(clamping: $0) }
      keys.append(
        stride(from: 0, to: places.count, by: 4).map {
          WindowKey(photo: places[$0], level: places[$0 + 1], row: places[$0 + 2], column: places[$0 + 3])
        })
    }
  }

  /// Puts back what the checkpoint holds into a state that has the positives.
  func restore(_ state: inout TrainingState) {
    state.report = report
    state.models = models
    state.duals = duals
    state.mined = mined
  }
}

extension HOGTrainer {
  /// The state that a checkpoint was written of: its negatives are looked up in the data again.
  func restored(_ checkpoint: Checkpoint, positives: [SampleMatrix]) throws -> TrainingState {
    var state = TrainingState(positives: positives, capacity: try capacity(positives))
    let detector = detector(state, all: false)
    for (number, index) in trained.enumerated() {
      let keys = checkpoint.keys[index]
      guard checkpoint.models[index]?.weights.count == positives[index].dimension,
        checkpoint.duals[index].count == positives[index].count + keys.count,
        keys.allSatisfy({ $0.photo >= 0 && Int($0.photo) < photos.count })
      else { throw Checkpoint.damaged }
      state.reserve(negatives: keys.count, component: index)
      // Blocks keep the features that are on their way in small.
      for start in stride(from: 0, to: keys.count, by: 4096) {
        let block = Array(keys[start..<min(keys.count, start + 4096)])
        for values in try features(of: block, component: number, detector: detector) {
          values.withUnsafeBufferPointer { state.samples[index].append($0.baseAddress!) }
        }
      }
      state.keys[index] = keys
    }
    checkpoint.restore(&state)
    return state
  }
}
