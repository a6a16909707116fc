import Execution
import Foundation
import ModelFiles

/// A landmark training between two levels, as a file: the model so far and a checksum of it.
///
/// A file whose bytes were changed is refused, whatever was changed, and so is one of a training with other options, data or
/// view of the photos; the error names what differs.
public struct LandmarkCheckpoint: Sendable {
  public static let kind = "landmark-training-checkpoint"
  public static let version = 2

  /// With leaves as floats: a resumed run ends with the bytes of one that was not interrupted.
  public var model: LandmarkModel
  /// Whether mirrored faces are among those that are learnt from.
  public var isMirrored: Bool

  public init(_ model: LandmarkModel, isMirrored: Bool) {
    self.model = model
    self.isMirrored = isMirrored
  }

  private struct Record: Codable {
    /// The model's own record, as JSON.
    var model: String
    var isMirrored: Bool
    /// SHA-256 of that text, the provenance and the tensors.
    var checksum: String
  }

  /// What `checksum` must be.
  private static func checksum(
    _ options: String, isMirrored: Bool, _ provenance: Provenance, _ tensors: [String: Tensor]
  ) throws -> String {
    var hash = SHA256()
    hash.update("\(options)\n\(isMirrored)\n\(try ModelFile.json(provenance))\n".utf8)
    for (name, tensor) in tensors.sorted(by: { $0.key < $1.key }) {
      hash.update("\(name) \(tensor.type.rawValue) \(tensor.shape)\n".utf8)
      hash.update(tensor.bytes)
    }
    return hash.hexDigest()
  }

  /// Replaces the file at `path`, whole or not at all.
  /// - Throws: `InputError` where it cannot be written.
  public func write(to path: String) throws {
    var file = try model.modelFile()
    let record = Record(
      model: file.options, isMirrored: isMirrored,
      checksum: try LandmarkCheckpoint.checksum(
        file.options, isMirrored: isMirrored, file.provenance, file.tensors))
    file.kind = LandmarkCheckpoint.kind
    file.version = LandmarkCheckpoint.version
    file.options = try ModelFile.json(record)
    try file.write(to: path)
  }

  /// Reads a checkpoint.
  /// - Throws: `InputError` for a file that is none or is damaged.
  public init(path: String) throws {
    do {
      try self.init(checking: path)
    } catch var error as InputError {
      error.hint = error.hint ?? "delete it, or begin anew with --restart"
      throw error
    }
  }

  private init(checking path: String) throws {
    var file = try ModelFile(path: path).expect(kind: LandmarkCheckpoint.kind, version: LandmarkCheckpoint.version)
    let record = try file.options(as: Record.self)
    let checksum = try LandmarkCheckpoint.checksum(
      record.model, isMirrored: record.isMirrored, file.provenance, file.tensors)
    guard checksum == record.checksum else {
      throw InputError(
        source: path, field: "checksum", problem: "the checkpoint is damaged", found: checksum,
        expected: record.checksum, hint: "delete it, or begin anew with --restart")
    }
    file.kind = LandmarkModel.kind
    file.version = LandmarkModel.version
    file.options = record.model
    isMirrored = record.isMirrored
    model = try LandmarkModel(file)
  }

  /// Refuses a training that this checkpoint is not of.
  /// - Throws: `InputError` that names the first thing that differs.
  public func expect(
    _ options: ShapePredictorOptions, isMirrored mirrors: Bool, dataSets: [Provenance.DataSet], largestBox: Int?,
    margin: Double?, layout: String, source: String
  ) throws {
    func refusal(_ field: String, _ found: String, _ expected: String) -> InputError {
      InputError(
        source: source, field: field, problem: "the checkpoint is of another training", found: found,
        expected: expected, hint: "give the same options and data, or begin anew with --restart")
    }
    if model.options != options {
      let (stored, own) = (try LandmarkCheckpoint.fields(model.options), try LandmarkCheckpoint.fields(options))
      for name in Set(stored.keys).union(own.keys).sorted() where stored[name] != own[name] {
        throw refusal("options.\(name)", stored[name] ?? "nothing", own[name] ?? "nothing")
      }
    }
    if isMirrored != mirrors {
      func text(_ mirrors: Bool) -> String { mirrors ? "with mirrored faces" : "without mirrored faces" }
      throw refusal("--mirror", text(isMirrored), text(mirrors))
    }
    if model.provenance.dataSets != dataSets {
      func text(_ sets: [Provenance.DataSet]) -> String {
        sets.map { "\($0.name): \($0.description), checksum \($0.checksum ?? "-")" }.joined(separator: "; ")
      }
      throw refusal("data", text(model.provenance.dataSets), text(dataSets))
    }
    func text(_ value: (some CustomStringConvertible)?) -> String { value.map { "\($0)" } ?? "none" }
    let predictor = model.predictor
    if predictor.largestBox != largestBox { throw refusal("largestBox", text(predictor.largestBox), text(largestBox)) }
    if predictor.margin != margin { throw refusal("margin", text(predictor.margin), text(margin)) }
    if predictor.layout != layout { throw refusal("layout", predictor.layout, layout) }
  }

  private static func fields(_ options: ShapePredictorOptions) throws -> [String: String] {
    let text = try ModelFile.json(options)
    guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { return [:] }
    return try object.mapValues { value in
      let text = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
      return String(decoding: text, as: UTF8.self)
    }
  }
}
