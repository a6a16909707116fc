import Execution

/// A wrong command line: says what is wrong and how to get help. Programs leave with status 2.
public struct UsageError: Error, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}

extension CommandSpecification {
  /// Reads a command's own arguments: `--name value`, `--name=value`, `-n value`, flags, operands, and `--`, after which
  /// all are operands.
  ///
  /// - Throws: `UsageError` for an unknown option (with the nearest known name), a missing, doubled or forbidden value,
  ///   a value outside the choices, a required option left out, or the wrong number of operands.
  public func parse(_ arguments: [String]) throws -> ParsedOptions {
    var values: [String: [String]] = [:]
    var operandValues: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operandValues += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-", !CommandSpecification.isNegativeNumber(argument) else {
        operandValues.append(argument)
        continue
      }
      let (given, attached) = CommandSpecification.split(argument)
      guard let option = options.first(where: { $0.name == given || $0.shortName == given }) else {
        throw UsageError("unknown option \(given)\(suggestion(for: given))")
      }
      if option.kind == .flag {
        if let attached { throw UsageError("\(option.name) takes no value: found \"\(attached)\"") }
        values[option.name] = [""]
        continue
      }
      guard let value = attached ?? rest.popFirst() else {
        throw UsageError("\(option.name) needs a value: \(option.name) \(option.valueName)")
      }
      if attached == nil, value.hasPrefix("--"), options.contains(where: { $0.name == value }) {
        throw UsageError("\(option.name) needs a value: found the option \(value)")
      }
      if !option.choices.isEmpty, !option.choices.contains(value) {
        throw UsageError(
          "\(option.name): found \"\(value)\", expected one of \(option.choices.joined(separator: ", "))")
      }
      if option.kind == .value, values[option.name] != nil {
        throw UsageError("\(option.name) is given twice")
      }
      values[option.name, default: []].append(value)
    }
    for option in options where option.isRequired && values[option.name] == nil {
      throw UsageError("\(option.name) \(option.valueName) is missing: \(option.help)")
    }
    try check(operandValues)
    return ParsedOptions(specification: self, values: values, operands: operandValues)
  }

  /// Arguments that `parse` accepts, without the options that records leave out, and their values.
  func recorded(_ arguments: [String]) -> [String] {
    var kept: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" { return kept + [argument] + rest }
      let (given, attached) = CommandSpecification.split(argument)
      guard let option = options.first(where: { $0.name == given || $0.shortName == given }) else {
        kept.append(argument)
        continue
      }
      let value = option.kind != .flag && attached == nil ? rest.popFirst() : nil
      if option.isRecorded { kept += [argument] + (value.map { [$0] } ?? []) }
    }
    return kept
  }

  private func check(_ found: [String]) throws {
    switch operands {
    case .none:
      if let first = found.first { throw UsageError("\(name) takes no operands: found \"\(first)\"") }
    case .one(let name):
      if found.isEmpty { throw UsageError("\(name) is missing") }
      if found.count > 1 { throw UsageError("one \(name) expected, found \(found.count)") }
    case .optional(let name):
      if found.count > 1 { throw UsageError("at most one \(name) expected, found \(found.count)") }
    case .oneOrMore(let name):
      if found.isEmpty { throw UsageError("\(name) is missing: one or more are expected") }
    case .any:
      break
    }
  }

  private static func split(_ argument: String) -> (name: String, value: String?) {
    guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
    return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
  }

  /// "-3" and "-.5" are values, not options.
  private static func isNegativeNumber(_ argument: String) -> Bool {
    Double(argument) != nil
  }

  private func suggestion(for given: String) -> String {
    let near = options.map { (name: $0.name, distance: editDistance($0.name, given)) }.min { $0.distance < $1.distance }
    guard let near, near.distance <= 3 else { return "" }
    return "; did you mean \(near.name)?"
  }
}

/// Insertions, deletions and replacements between two words (Levenshtein).
func editDistance(_ first: String, _ second: String) -> Int {
  let a = Array(first)
  let b = Array(second)
  var previous = Array(0...b.count)
  for (i, left) in a.enumerated() {
    var current = [i + 1]
    for (j, right) in b.enumerated() {
      current.append(min(previous[j] + (left == right ? 0 : 1), previous[j + 1] + 1, current[j] + 1))
    }
    previous = current
  }
  return previous[b.count]
}
