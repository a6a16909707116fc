import Execution

/// What a reader is asked for: files of one format, with settings whose paths are already resolved.
struct ReadRequest {
  var format: DatasetFormat
  var path: String
  var options: [String: String]
  /// The reference as written, for messages about settings.
  var text: String
  /// Asked while folders are searched.
  var cancellation = Cancellation()

  /// One of several words, the first where the setting is absent.
  func choice(_ key: String, _ words: [String]) throws -> String {
    guard let value = options[key] else { return words[0] }
    guard words.contains(value) else {
      throw InputError(
        source: text, field: "?\(key)=", problem: "no such value", found: "\"\(value)\"",
        expected: "one of \(words.joined(separator: ", "))")
    }
    return value
  }

  /// A number above zero.
  func positiveNumber(_ key: String, default fallback: Double) throws -> Double {
    guard let value = options[key] else { return fallback }
    guard let number = NumberField.double(value), number > 0 else {
      throw InputError(
        source: text, field: "?\(key)=", problem: "is no size", found: "\"\(value)\"", expected: "a number above 0")
    }
    return number
  }

  func positiveCount(_ key: String) throws -> Int? {
    guard let value = options[key] else { return nil }
    guard let number = NumberField.count(value), number >= 1 else {
      throw InputError(
        source: text, field: "?\(key)=", problem: "is no count", found: "\"\(value)\"",
        expected: "a whole number above 0")
    }
    return number
  }

  /// The label of a format that stores none.
  func label(default fallback: String) -> String { options["label"] ?? fallback }

  /// - Throws: `InputError` where the path is no folder.
  func requireFolder() throws {
    guard FileBytes.isFolder(path) else {
      throw InputError(
        source: path, problem: FileBytes.isFile(path) ? "is a file" : "no such folder",
        expected: "the folder of a \(format.rawValue) data set")
    }
  }
}
