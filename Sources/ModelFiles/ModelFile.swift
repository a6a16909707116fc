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
  public static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
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
    } catch {
      throw InputError(
        source: source, field: field, problem: "cannot be understood: \(ModelFile.reason(error))",
        expected: "the JSON of \(type)", hint: "was the model written by another version?")
    }
  }

  private static func reason(_ error: any Error) -> String {
    func place(_ context: DecodingError.Context) -> String {
      context.codingPath.isEmpty ? "" : " at \(context.codingPath.map(\.stringValue).joined(separator: "."))"
    }
    return switch error as? DecodingError {
    case .keyNotFound(let key, let context): "no \"\(key.stringValue)\"\(place(context))"
    case .typeMismatch(let type, let context): "not a \(type)\(place(context))"
    case .valueNotFound(let type, let context): "null instead of a \(type)\(place(context))"
    case .dataCorrupted(let context): "\(context.debugDescription)\(place(context))"
    default: "\(error)"
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
