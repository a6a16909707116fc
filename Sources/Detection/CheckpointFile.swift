import Execution
import Foundation
import ModelFiles

/// The file of a training that was interrupted: a record and tensors, with a checksum over both.
///
/// A file whose bytes were changed is refused, whatever was changed.
enum CheckpointFile {
  private struct Sealed<Record: Codable>: Codable {
    var record: Record
    /// SHA-256 of the record and of the tensors.
    var checksum: String

    init(_ record: Record, _ tensors: [String: Tensor]) throws {
      self.record = record
      var hash = SHA256()
      hash.update(try ModelFile.json(record).utf8)
      for (name, tensor) in tensors.sorted(by: { $0.key < $1.key }) {
        hash.update("\(name) \(tensor.type.rawValue) \(tensor.shape)".utf8)
        hash.update(tensor.bytes)
      }
      checksum = hash.hexDigest()
    }
  }

  /// Replaces the file at `path`, whole or not at all.
  static func write(
    _ record: some Codable, tensors: [String: Tensor], kind: String, version: Int, seed: UInt64, to path: String
  ) throws {
    let file = ModelFile(
      kind: kind, version: version, options: try ModelFile.json(Sealed(record, tensors)),
      provenance: Provenance(command: "", dataSets: [], seed: seed), tensors: tensors)
    try file.write(to: path)
  }

  /// What the file at `path` holds; `nil` where there is no file.
  /// - Throws: `InputError` for a file that is none of the kind and version, or is damaged.
  static func read<Record: Codable>(
    _ path: String, as type: Record.Type, kind: String, version: Int
  ) throws -> (record: Record, file: ModelFile)? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      return try readExisting(path, as: type, kind: kind, version: version)
    } catch var error as InputError {
      error.hint = error.hint ?? "delete it, or begin anew with --restart"
      throw error
    }
  }

  private static func readExisting<Record: Codable>(
    _ path: String, as type: Record.Type, kind: String, version: Int
  ) throws -> (record: Record, file: ModelFile) {
    let file = try ModelFile(path: path).expect(kind: kind, version: version)
    let sealed = try file.options(as: Sealed<Record>.self)
    let checksum = try Sealed(sealed.record, file.tensors).checksum
    guard checksum == sealed.checksum else {
      throw InputError(
        source: path, field: "checksum", problem: "the checkpoint is damaged", found: checksum,
        expected: sealed.checksum, hint: "delete it, or begin anew with --restart")
    }
    return (sealed.record, file)
  }

  /// In what a training differs from the one that wrote a checkpoint.
  struct Difference {
    var field: String
    /// The checkpoint's, and the training's own.
    var found: String
    var expected: String

    /// - Throws: the error that refuses the checkpoint.
    func refuse(_ path: String) throws {
      throw InputError(
        source: path, field: field, problem: "the checkpoint is of another training", found: found, expected: expected,
        hint: "give the same options and data or another output, or begin anew with --restart")
    }
  }

  /// The first option, by name, that differs; `nil` where none does.
  static func difference<Options: Codable & Equatable>(_ own: Options, _ stored: Options) throws -> Difference? {
    guard own != stored else { return nil }
    let (mine, theirs) = (try fields(own), try fields(stored))
    for name in Set(mine.keys).union(theirs.keys).sorted() where mine[name] != theirs[name] {
      return Difference(
        field: "options.\(name)", found: theirs[name] ?? "nothing", expected: mine[name] ?? "nothing")
    }
    return Difference(field: "options", found: "others", expected: "the same")
  }

  private static func fields(_ options: some Codable) throws -> [String: String] {
    let text = try ModelFile.json(options)
    guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { return [:] }
    return try object.mapValues { value in
      String(
        decoding: try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed]),
        as: UTF8.self)
    }
  }
}
