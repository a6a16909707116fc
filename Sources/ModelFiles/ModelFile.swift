import Execution
import Foundation

/// A trained model in a safetensors file: named tensors with a record of what they are and where they come from.
///
/// The file is an 8-byte little-endian length, a JSON header of that length and the tensors' bytes; Python reads it with
/// `safetensors.safe_open`. The header's `__metadata__` holds the strings `format` ("windhover"), `kind`, `version`,
/// `options` (JSON) and `provenance` (JSON).
///
/// ```swift
/// let file = ModelFile(
///   kind: "hog-detector", version: 1, options: try ModelFile.json(options), provenance: provenance,
///   tensors: ["weights": Tensor(weights, shape: [36, 15, 7])])
/// try file.write(to: "person.safetensors")
/// let read = try ModelFile(path: "person.safetensors").expect(kind: "hog-detector", version: 1...1)
/// let weights = try read.floats("weights", shape: [nil, 15, 7])
/// ```
///
/// References: the format's description in the safetensors project's README (Hugging Face, version 0.4 and later).
public struct ModelFile: Sendable {
  /// The longest header that is read or written: 16 MiB, hundreds of times what our models need.
  public static let headerLimit = 16 << 20
  /// The largest file that is read: 2 GiB.
  public static let sizeLimit = 2 << 30

  /// The detector family and what it is, for example "hog-detector".
  public var kind: String
  /// The version of that kind's layout, from 1.
  public var version: Int
  /// The options it was trained with, as JSON.
  public var options: String
  public var provenance: Provenance
  public var tensors: [String: Tensor]
  /// What errors call it: the file's path, or the kind of a model made in memory.
  public var source: String

  public init(
    kind: String, version: Int, options: String, provenance: Provenance, tensors: [String: Tensor],
    source: String? = nil
  ) {
    precondition(version >= 1, "versions count from 1, got \(version)")
    precondition(tensors["__metadata__"] == nil, "the name __metadata__ is the header's own")
    self.kind = kind
    self.version = version
    self.options = options
    self.provenance = provenance
    self.tensors = tensors
    self.source = source ?? kind
  }

  /// A value as JSON text with sorted keys, the same for equal values.
  /// - Throws: `InputError` for numbers that are not finite, which JSON has no words for.
  public static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch EncodingError.invalidValue(let found, let context) {
      throw InputError(
        source: "model", field: context.codingPath.map(\.stringValue).joined(separator: "."),
        problem: "cannot be kept", found: "\(found)", expected: "a finite number")
    }
  }

  /// The options as a value.
  /// - Throws: `InputError` where the JSON does not fit the type.
  public func options<Options: Decodable>(as type: Options.Type) throws -> Options {
    try ModelFile.decode(type, from: options, field: "options", source: source)
  }

  static func decode<Value: Decodable>(
    _ type: Value.Type, from json: String, field: String, source: String
  ) throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(json.utf8))
    } catch let error as DecodingError {
      let fault = JSONFault.inputError(error, of: type, from: Data(json.utf8), source: source)
      throw InputError(
        source: source, field: field + (fault.field.map { $0.hasPrefix("[") ? $0 : ".\($0)" } ?? ""),
        problem: "cannot be understood: \(fault.problem)", found: fault.found, expected: fault.expected,
        hint: "was the model written by another version?")
    }
  }

  /// This file, if it is of a kind and version that the caller can use.
  /// - Throws: `InputError` that says which kind and version it is.
  @discardableResult
  public func expect(kind wanted: String, version versions: ClosedRange<Int>) throws -> ModelFile {
    guard kind == wanted else {
      throw InputError(
        source: source, field: "kind", problem: "a model of another kind", found: "\"\(kind)\"",
        expected: "\"\(wanted)\"")
    }
    guard versions.contains(version) else {
      throw InputError(
        source: source, field: "version", problem: "a version that cannot be read here", found: "\(version)",
        expected: versions.count == 1 ? "\(versions.lowerBound)" : "\(versions.lowerBound) to \(versions.upperBound)",
        hint: version > versions.upperBound ? "use a newer Windhover" : "train the model anew")
    }
    return self
  }

  /// As above, for one version.
  @discardableResult
  public func expect(kind wanted: String, version: Int) throws -> ModelFile {
    try expect(kind: wanted, version: version...version)
  }

  /// This file, if what reads its kind takes it: so that nothing is written that is refused afterwards.
  ///
  /// Families end their `modelFile` by it. Costs one reading.
  /// - Throws: `InputError` that says what would be refused.
  public func checked<Model>(by read: (ModelFile) throws -> Model) throws -> ModelFile {
    do {
      _ = try read(self)
      return self
    } catch let error as InputError {
      throw InputError(
        source: source, field: error.field,
        problem: "the model cannot be kept, for its file would be refused: \(error.problem)", found: error.found,
        expected: error.expected, hint: "look at the training data for what is far out of range")
    }
  }

  /// The tensor of a name.
  /// - Parameter shape: the sizes it must have; `nil` entries may be any. `nil` as a whole asks for nothing.
  /// - Throws: `InputError` for a missing tensor or another shape.
  public func tensor(_ name: String, shape: [Int?]? = nil) throws -> Tensor {
    guard let tensor = tensors[name] else {
      throw InputError(
        source: source, field: name, problem: "no such tensor",
        found: tensors.isEmpty ? "no tensors" : tensors.keys.sorted().prefix(8).joined(separator: ", "))
    }
    if let shape {
      let fits = shape.count == tensor.shape.count && zip(shape, tensor.shape).allSatisfy { $0 == nil || $0 == $1 }
      guard fits else {
        throw InputError(
          source: source, field: name, problem: "a tensor of another shape", found: "\(tensor.shape)",
          expected: "[\(shape.map { $0.map(String.init) ?? "any" }.joined(separator: ", "))]")
      }
    }
    return tensor
  }

  /// The elements of a tensor as `Float` (F32, F16, BF16).
  /// - Throws: `InputError` for a missing tensor, another shape or type, and for values that are not finite.
  public func floats(_ name: String, shape: [Int?]? = nil) throws -> [Float] {
    let tensor = try tensor(name, shape: shape)
    guard let values = tensor.floats() else { throw wrongType(name, tensor, expected: "F32") }
    try checkFinite(name, values.firstIndex { !$0.isFinite }.map { ($0, "\(values[$0])") })
    return values
  }

  /// The elements of a tensor as `Double` (F64, F32, F16, BF16).
  /// - Throws: as `floats`.
  public func doubles(_ name: String, shape: [Int?]? = nil) throws -> [Double] {
    let tensor = try tensor(name, shape: shape)
    guard let values = tensor.doubles() else { throw wrongType(name, tensor, expected: "F64 or F32") }
    try checkFinite(name, values.firstIndex { !$0.isFinite }.map { ($0, "\(values[$0])") })
    return values
  }

  /// The elements of a tensor of whole numbers.
  /// - Throws: `InputError` for a missing tensor, another shape or type.
  public func integers(_ name: String, shape: [Int?]? = nil) throws -> [Int] {
    let tensor = try tensor(name, shape: shape)
    guard let values = tensor.integers() else { throw wrongType(name, tensor, expected: "whole numbers of 63 bits") }
    return values
  }

  private func wrongType(_ name: String, _ tensor: Tensor, expected: String) -> InputError {
    InputError(
      source: source, field: name, problem: "a tensor of another type", found: tensor.type.rawValue, expected: expected)
  }

  private func checkFinite(_ name: String, _ bad: (index: Int, value: String)?) throws {
    guard let bad else { return }
    throw InputError(
      source: source, field: name, problem: "element \(bad.index) is not a finite number", found: bad.value)
  }
}
