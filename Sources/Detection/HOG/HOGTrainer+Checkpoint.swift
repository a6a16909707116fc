import Execution
import Foundation
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
  func difference(from stored: TrainingIdentity) throws -> (field: String, found: String, expected: String)? {
    if options != stored.options {
      let own = try TrainingIdentity.fields(options)
      let other = try TrainingIdentity.fields(stored.options)
      for name in Set(own.keys).union(other.keys).sorted() where own[name] != other[name] {
        return ("options.\(name)", other[name] ?? "nothing", own[name] ?? "nothing")
      }
      return ("options", "others", "the same")
    }
    if annotatedCount != stored.annotatedCount || checksums.count != stored.checksums.count {
      func text(_ identity: TrainingIdentity) -> String {
        "\(identity.annotatedCount) annotated and \(identity.checksums.count - identity.annotatedCount) background photos"
      }
      return ("data", text(stored), text(self))
    }
    if let changed = checksums.indices.first(where: { checksums[$0] != stored.checksums[$0] }) {
      return ("data", "another content or annotation of photo \(changed)", "the same")
    }
    return nil
  }

  private static func fields(_ options: HOGTrainerOptions) throws -> [String: String] {
    let text = try ModelFile.json(options)
    guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { return [:] }
    return try object.mapValues { value in
      String(
        decoding: try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed]),
        as: UTF8.self)
    }
  }
}

/// A training between two rounds, as a file. Negatives are kept as places in the data, not as features: a checkpoint is
/// about as large as the model.
struct Checkpoint {
  static let kind = "hog-training-checkpoint"
  /// 2 has a checksum and what the memory had no room for.
  static let version = 2
  static let damaged = InputError(
    source: "checkpoint", problem: "does not fit the data that it was written for",
    hint: "delete it, or begin anew with --restart")

  private struct Record: Codable {
    var identity: TrainingIdentity
    var report: HOGTrainingReport
    var mined: [TrainingState.Mined]
    /// Whether each component is trained itself.
    var isTrained: [Bool]
    /// SHA-256 of the tensors and of this record without it.
    var checksum = ""

    /// What `checksum` must be.
    func contentChecksum(_ tensors: [String: Tensor]) throws -> String {
      var copy = self
      copy.checksum = ""
      var hash = SHA256()
      hash.update(try ModelFile.json(copy).utf8)
      for (name, tensor) in tensors.sorted(by: { $0.key < $1.key }) {
        hash.update("\(name) \(tensor.type.rawValue) \(tensor.shape)".utf8)
        hash.update(tensor.bytes)
      }
      return hash.hexDigest()
    }
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
    var record = Record(identity: identity, report: report, mined: mined, isTrained: models.map { $0 != nil })
    record.checksum = try record.contentChecksum(tensors)
    let file = ModelFile(
      kind: Checkpoint.kind, version: Checkpoint.version, options: try ModelFile.json(record),
      provenance: Provenance(command: "", dataSets: [], seed: identity.options.seed), tensors: tensors)
    try file.write(to: path)
  }

  /// The checkpoint at `path`, or `nil` where there is no file.
  /// - Throws: `InputError` for a file that is none or is damaged, and for one of other options or data, naming what
  ///   differs.
  static func read(_ path: String, identity: TrainingIdentity) throws -> Checkpoint? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let file = try ModelFile(path: path).expect(kind: kind, version: version)
    let record = try file.options(as: Record.self)
    let checksum = try record.contentChecksum(file.tensors)
    guard checksum == record.checksum else {
      throw InputError(
        source: path, field: "checksum", problem: "the checkpoint is damaged", found: checksum,
        expected: record.checksum, hint: "delete it, or begin anew with --restart")
    }
    if let difference = try identity.difference(from: record.identity) {
      throw InputError(
        source: path, field: difference.field, problem: "the checkpoint is of another training",
        found: difference.found, expected: difference.expected,
        hint: "give the same options and data or another checkpoint file, or begin anew with --restart")
    }
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
