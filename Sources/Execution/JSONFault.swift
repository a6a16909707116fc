import Foundation

/// What the errors of Foundation's JSON decoder mean to who wrote the file.
package enum JSONFault {
  /// What is to be decoded where that is not known any more.
  package struct Nothing: Decodable {}

  /// - Parameters:
  ///   - type: what was to be decoded from `data`.
  ///   - line: the line of the file that `data` is, where it is one.
  package static func inputError(
    _ error: DecodingError, of type: (some Decodable).Type, from data: Data, source: String, line: Int? = nil
  ) -> InputError {
    var result = inputError(error, of: type, from: data, source: source)
    result.line = line
    return result
  }

  private static func inputError(
    _ error: DecodingError, of type: (some Decodable).Type, from data: Data, source: String
  ) -> InputError {
    switch error {
    case .keyNotFound(let key, let context):
      return InputError(source: source, field: place(context.codingPath + [key]), problem: "is missing")
    case .typeMismatch(let type, let context):
      return InputError(
        source: source, field: place(context.codingPath), problem: "is of the wrong kind",
        found: kind(at: context.codingPath, in: data), expected: name(of: type))
    case .valueNotFound(let type, let context):
      return InputError(source: source, field: place(context.codingPath), problem: "is null", expected: name(of: type))
    case .dataCorrupted(let context):
      guard context.codingPath.isEmpty else { return refusedValue(context, source) }
      // The decoder calls a number that does not fit its place broken JSON, and does not say where it is.
      guard let tree = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else {
        return InputError(source: source, problem: "is no JSON", found: syntaxFault(data))
      }
      let number = misfit(in: tree, of: type)
      return InputError(
        source: source, field: number?.place, problem: "holds a number that does not fit its place",
        found: number?.found, expected: "whole numbers, within range, where something is counted")
    @unknown default:
      return InputError(source: source, problem: "cannot be read", found: "\(error)")
    }
  }

  /// What is found where Foundation's reader stopped: it tells a character's number, or that the text ended.
  private static func syntaxFault(_ data: Data) -> String? {
    do {
      _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      return nil
    } catch {
      let text = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
      if text.contains("end of file") { return data.isEmpty ? "nothing" : "its end, too early" }
      guard let offset = text.split(whereSeparator: { !$0.isNumber }).last.flatMap({ Int($0) }), offset < data.count
      else { return nil }
      let rest = String(decoding: data.dropFirst(offset).prefix(20), as: UTF8.self).prefix { !$0.isNewline }
      return "\"\(rest)\" at character \(offset + 1)"
    }
  }

  /// What stands at a place, in JSON's words; `nil` where nothing does.
  private static func kind(at path: [any CodingKey], in data: Data) -> String? {
    var value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    for key in path {
      if let index = key.intValue, let list = value as? [Any] {
        value = list.indices.contains(index) ? list[index] : nil
      } else {
        value = (value as? [String: Any])?[key.stringValue]
      }
    }
    switch value {
    case nil: return nil
    case is NSNull: return "null"
    case is [Any]: return "a list"
    case is [String: Any]: return "an object"
    case let text as String: return "\"\(text.prefix(40))\(text.count > 40 ? "..." : "")\""
    // true and 1 are the same number to Foundation; their types differ.
    case let number as NSNumber:
      return String(cString: number.objCType) == "c" ? (number.boolValue ? "true" : "false") : "\(number)"
    default: return nil
    }
  }

  private static func place(_ path: [any CodingKey]) -> String? {
    if path.isEmpty { return nil }
    return path.reduce("") { place, key in
      key.intValue.map { "\(place)[\($0)]" } ?? (place.isEmpty ? key.stringValue : "\(place).\(key.stringValue)")
    }
  }

  private static func refusedValue(_ context: DecodingError.Context, _ source: String) -> InputError {
    guard let unknown = context.underlyingError as? UnknownChoice else {
      return InputError(
        source: source, field: place(context.codingPath), problem: "cannot be read", found: context.debugDescription)
    }
    return InputError(
      source: source, field: place(context.codingPath), problem: "is not a word that is known here",
      found: "\"\(unknown.found)\"", expected: unknown.expected)
  }

  /// The first number without which the value can be decoded, or fails in another way: each is replaced by 1 in turn.
  private static func misfit(in tree: Any, of type: (some Decodable).Type) -> (place: String, found: String)? {
    for (place, found, changed) in replacingNumbers(in: tree, path: "") {
      guard let data = try? JSONSerialization.data(withJSONObject: changed, options: .fragmentsAllowed) else {
        continue
      }
      do {
        _ = try JSONDecoder().decode(type, from: data)
      } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
        continue
      } catch {}
      return (place, found)
    }
    return nil
  }

  /// For each number of a tree its place, itself, and the tree with 1 there.
  private static func replacingNumbers(in tree: Any, path: String) -> [(place: String, found: String, changed: Any)] {
    if let object = tree as? [String: Any] {
      return object.sorted { $0.key < $1.key }.flatMap { key, value in
        replacingNumbers(in: value, path: path.isEmpty ? key : "\(path).\(key)").map { entry in
          var copy = object
          copy[key] = entry.changed
          return (entry.place, entry.found, copy)
        }
      }
    }
    if let list = tree as? [Any] {
      return list.enumerated().flatMap { index, value in
        replacingNumbers(in: value, path: "\(path)[\(index)]").map { entry in
          var copy = list
          copy[index] = entry.changed
          return (entry.place, entry.found, copy)
        }
      }
    }
    guard let number = tree as? NSNumber, !(tree is Bool) else { return [] }
    return [(path, "\(number)", 1)]
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
