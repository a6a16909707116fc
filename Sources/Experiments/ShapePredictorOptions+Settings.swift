import Execution
import Foundation
import Landmarks

extension ShapePredictorOptions {
  /// These options with some replaced by the values of a JSON object, under the same names.
  /// - Throws: `InputError` with the place of a name that is no option, of a value of another kind, or of one out of range.
  public func replacing(_ json: Data, source: String) throws -> ShapePredictorOptions {
    guard let given = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else {
      throw InputError(source: source, problem: "is no JSON object", expected: "{\"levels\": 10, ...}")
    }
    let own = try JSONSerialization.jsonObject(with: JSONEncoder().encode(self)) as? [String: Any] ?? [:]
    for name in given.keys.sorted() where own[name] == nil {
      throw InputError(
        source: source, field: name, problem: "is no option of the landmark trainer",
        expected: "one of \(own.keys.sorted().joined(separator: ", "))")
    }
    let merged = try JSONSerialization.data(withJSONObject: own.merging(given) { $1 })
    let result: ShapePredictorOptions
    do {
      result = try JSONDecoder().decode(ShapePredictorOptions.self, from: merged)
    } catch let error as DecodingError {
      throw JSONFault.inputError(error, of: ShapePredictorOptions.self, from: merged, source: source)
    }
    let known = try JSONSerialization.jsonObject(with: JSONEncoder().encode(result))
    if let place = StrictJSON.unknownKey(in: given, comparedWith: known, path: "") {
      throw InputError(source: source, field: place, problem: "means nothing here", hint: "check its spelling")
    }
    try result.validate()
    return result
  }

  /// These options with some replaced, their values as text: a number, `true`, `false`, a word, or JSON in brackets. They
  /// are checked together, so that their order does not matter; of two of one name the last counts.
  /// - Throws: as above, and for JSON in brackets that is none.
  public func replacing(_ settings: [(name: String, text: String)], source: String) throws -> ShapePredictorOptions {
    guard !settings.isEmpty else { return self }
    var values: [String: Any] = [:]
    for (name, text) in settings {
      var value: Any = text == "true" ? true : text == "false" ? false : Int(text) ?? Double(text) ?? text as Any
      if text.hasPrefix("[") || text.hasPrefix("{") {
        try JSONSyntax.check(Data(text.utf8), source: "\(source) \(name)")
        if let tree = try? JSONSerialization.jsonObject(with: Data(text.utf8)) { value = tree }
      }
      guard JSONSerialization.isValidJSONObject([name: value]) else {
        throw InputError(source: source, field: name, problem: "has no usable value", found: text)
      }
      values[name] = value
    }
    return try replacing(JSONSerialization.data(withJSONObject: values), source: source)
  }
}
