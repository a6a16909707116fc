import Execution
import Foundation

/// Reads and writes the JSON of configurations and results.
public enum StrictJSON {
  /// Decodes a value and refuses keys that mean nothing: a misspelt option is an error, not a default.
  ///
  /// Values that were read are written again and compared: a key that was given, and not as null, but is not written, is
  /// unknown.
  /// - Parameter source: the file's name, for errors.
  /// - Throws: `InputError` that names the file and the path of the key.
  public static func decode<Value: Codable>(_ type: Value.Type, from data: Data, source: String) throws -> Value {
    let value: Value
    do {
      value = try JSONDecoder().decode(Value.self, from: data)
    } catch let error as InputError {
      throw InputError(
        source: source, line: error.line,
        field: [error.source, error.field].compactMap(\.self).joined(separator: ": "),
        problem: error.problem, found: error.found, expected: error.expected, hint: error.hint)
    } catch let error as DecodingError {
      let isJSON = (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil
      throw inputError(error, source: source, isJSON: isJSON)
    }
    let given = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    let known = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value), options: .fragmentsAllowed)
    if let path = unknownKey(in: given, comparedWith: known, path: "") {
      throw InputError(source: source, field: path, problem: "means nothing here", hint: "check its spelling")
    }
    return value
  }

  /// Reads a file; errors name it.
  public static func read<Value: Codable>(_ type: Value.Type, path: String) throws -> Value {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw InputError(source: path, problem: "cannot be read", expected: "a JSON file")
    }
    return try decode(type, from: data, source: path)
  }

  /// Text with sorted keys, two spaces of indent and a newline at the end: the same value gives the same bytes.
  public static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }

  private static func unknownKey(in given: Any, comparedWith known: Any, path: String) -> String? {
    if let given = given as? [String: Any] {
      let known = known as? [String: Any]
      for (key, value) in given.sorted(by: { $0.key < $1.key }) where !(value is NSNull) {
        let place = path.isEmpty ? key : "\(path).\(key)"
        guard let counterpart = known?[key] else { return place }
        if let found = unknownKey(in: value, comparedWith: counterpart, path: place) { return found }
      }
    } else if let given = given as? [Any], let known = known as? [Any] {
      for (index, (value, counterpart)) in zip(given, known).enumerated() {
        if let found = unknownKey(in: value, comparedWith: counterpart, path: "\(path)[\(index)]") { return found }
      }
    }
    return nil
  }

  private static func inputError(_ error: DecodingError, source: String, isJSON: Bool) -> InputError {
    func place(_ path: [any CodingKey]) -> String? {
      path.isEmpty ? nil : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
    switch error {
    case .keyNotFound(let key, let context):
      return InputError(source: source, field: place(context.codingPath + [key]), problem: "is missing")
    case .typeMismatch(let type, let context):
      return InputError(
        source: source, field: place(context.codingPath), problem: "is of the wrong kind", expected: name(of: type))
    case .valueNotFound(let type, let context):
      return InputError(source: source, field: place(context.codingPath), problem: "is null", expected: name(of: type))
    case .dataCorrupted(let context) where isJSON && context.codingPath.isEmpty:
      // The decoder calls a fraction in the place of a whole number broken JSON and does not say where it is.
      return InputError(
        source: source, problem: "holds a number that does not fit its place",
        expected: "whole numbers, within range, where something is counted")
    case .dataCorrupted(let context):
      return InputError(
        source: source, field: place(context.codingPath), problem: "cannot be read", found: context.debugDescription)
    @unknown default:
      return InputError(source: source, problem: "cannot be read", found: "\(error)")
    }
  }

  /// What JSON calls a Swift type.
  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is Double.Type, is Float.Type: "a number"
    case is Int.Type, is UInt64.Type: "a whole number"
    case is [String: Any].Type: "an object"
    case is [Any].Type: "a list"
    default: "\(type)"
    }
  }
}
