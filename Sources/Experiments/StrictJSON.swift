import Execution
import Foundation

/// Reads and writes the JSON of configurations and results.
public enum StrictJSON {
  /// Decodes a value and refuses keys that mean nothing: a misspelt option is an error, not a default.
  ///
  /// Values that were read are written again and compared: a key that was given, and not as null, but is not written, is
  /// unknown.
  /// A key that an object has twice is refused, too: which of the two was meant, nobody knows.
  /// - Parameter source: the file's name, for errors.
  /// - Throws: `InputError` that names the file, and the line or the path of the key.
  public static func decode<Value: Codable>(_ type: Value.Type, from data: Data, source: String) throws -> Value {
    try JSONSyntax.check(data, source: source)
    let value: Value
    do {
      value = try JSONDecoder().decode(Value.self, from: data)
    } catch let error as InputError {
      throw InputError(
        source: source, line: error.line,
        field: [error.source, error.field].compactMap(\.self).joined(separator: ": "),
        problem: error.problem, found: error.found, expected: error.expected, hint: error.hint)
    } catch let error as DecodingError {
      throw JSONFault.inputError(error, of: type, from: data, source: source)
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
    try FileUse.ofProgram.willRead([path])
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

  /// The path of the first key that is given, and not as null, but not known.
  static func unknownKey(in given: Any, comparedWith known: Any, path: String) -> String? {
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
}
