import Execution
import Foundation

extension ShapePredictorOptions {
  /// These options with some replaced by the values of a JSON object, under the same names.
  /// - Throws: `InputError` for a name that is no option (with the nearest list), a value of another type, or one out of
  ///   range.
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
    do {
      let result = try JSONDecoder().decode(ShapePredictorOptions.self, from: merged)
      try result.validate()
      return result
    } catch let error as DecodingError {
      let path =
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
          .dataCorrupted(let context):
          context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: ""
        }
      // Foundation does not say where a number lies that is out of its type's range.
      let name = path.isEmpty && given.count == 1 ? given.keys.first ?? "" : path
      throw InputError(
        source: source, field: name, problem: "has a value of another kind", found: "\(given[name] ?? "nothing")",
        expected: "such as \(own[name] ?? "a value")")
    }
  }

  /// These options with some replaced, their values as text: a number, `true`, `false`, a word, or JSON in brackets. They
  /// are checked together, so that their order does not matter; of two of one name the last counts.
  /// - Throws: as above.
  public func replacing(_ settings: [(name: String, text: String)], source: String) throws -> ShapePredictorOptions {
    guard !settings.isEmpty else { return self }
    var values: [String: Any] = [:]
    for (name, text) in settings {
      var value: Any = text == "true" ? true : text == "false" ? false : Int(text) ?? Double(text) ?? text as Any
      if text.hasPrefix("["), let list = try? JSONSerialization.jsonObject(with: Data(text.utf8)) { value = list }
      guard JSONSerialization.isValidJSONObject([name: value]) else {
        throw InputError(source: source, field: name, problem: "has no usable value", found: text)
      }
      values[name] = value
    }
    return try replacing(JSONSerialization.data(withJSONObject: values), source: source)
  }

  /// What ships for faces: gradient levels alone, coarse ones first, the last two of each point's neighbours; chosen on
  /// held-out training faces of 300-W (Experiments/landmarks).
  public static var face: ShapePredictorOptions {
    var options = ShapePredictorOptions()
    options.levels = 0
    options.leaves = .globalRegression
    options.oversampling = 8
    options.start = .both
    options.startShift = 0.06
    options.startScale = 0.09
    options.startRotation = 8
    options.changeFrame = .shape
    options.border = .replicate
    // Of forests, where --set asks for some.
    options.localPool = 60
    options.ridge = 0.3
    options.regressionWidth = 48
    options.gradients = [
      Gradient(resolution: 30, cell: 5, grid: 3, ridge: 2, width: 32),
      Gradient(resolution: 40, cell: 5, grid: 3, ridge: 2, width: 32),
      Gradient(resolution: 60, cell: 3, grid: 4, ridge: 2),
      Gradient(resolution: 80, cell: 3, grid: 4, ridge: 1, neighbours: 20, robustness: 1),
      Gradient(resolution: 80, cell: 3, grid: 4, ridge: 1, neighbours: 12, robustness: 1, alignsAnew: false),
    ]
    options.seed = 1
    return options
  }
}
