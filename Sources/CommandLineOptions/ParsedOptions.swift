/// A command line that was read: options by name, operands in order.
///
/// The getters check numbers and ranges, and name the option in what they throw. Asking for an option that the command
/// does not have is a programmer's mistake.
public struct ParsedOptions: Sendable {
  let specification: CommandSpecification
  private let values: [String: [String]]
  public let operands: [String]

  init(specification: CommandSpecification, values: [String: [String]], operands: [String]) {
    self.specification = specification
    self.values = values
    self.operands = operands
  }

  private func option(_ name: String, _ kinds: OptionSpecification.Kind...) -> OptionSpecification {
    guard let option = specification.options.first(where: { $0.name == name }), kinds.contains(option.kind) else {
      preconditionFailure("\(specification.name) has no option \(name) of this kind")
    }
    return option
  }

  /// Whether a flag was given.
  public func flag(_ name: String) -> Bool {
    values[option(name, .flag).name] != nil
  }

  /// Whether the user gave the option, whatever its default.
  public func isGiven(_ name: String) -> Bool {
    values[option(name, .flag, .value, .list).name] != nil
  }

  /// An option's text, or its default, or `nil`.
  public func text(_ name: String) -> String? {
    let option = option(name, .value)
    return values[name]?.first ?? option.defaultValue
  }

  /// The text of an option that is required or has a default.
  public func requiredText(_ name: String) -> String {
    guard let value = text(name) else { preconditionFailure("\(name) has neither a default nor is required") }
    return value
  }

  /// All values of a repeatable option, in order.
  public func list(_ name: String) -> [String] {
    values[option(name, .list).name] ?? []
  }

  /// A whole number within a range.
  public func integer(_ name: String, in range: ClosedRange<Int> = Int.min...Int.max) throws -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text) else {
      throw UsageError("\(name): found \"\(text)\", expected a whole number")
    }
    guard range.contains(number) else {
      throw UsageError("\(name): found \(number), expected \(ParsedOptions.words(range))")
    }
    return number
  }

  /// A whole number for a seed: 0 and more.
  public func seed(_ name: String) throws -> UInt64? {
    guard let text = text(name) else { return nil }
    guard let number = UInt64(text) else {
      throw UsageError("\(name): found \"\(text)\", expected a whole number of 0 or more")
    }
    return number
  }

  /// A finite number within a range.
  public func number(
    _ name: String, in range: ClosedRange<Double> = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
  ) throws -> Double? {
    guard let text = text(name) else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw UsageError("\(name): found \"\(text)\", expected a number")
    }
    guard range.contains(number) else {
      throw UsageError("\(name): found \(text), expected a number of \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number between 0 and 1 that is neither.
  public func properShare(_ name: String) throws -> Double? {
    guard let number = try number(name) else { return nil }
    guard number > 0, number < 1 else {
      throw UsageError("\(name): found \(number), expected a number of more than 0 and less than 1")
    }
    return number
  }

  private static func words(_ range: ClosedRange<Int>) -> String {
    if range.upperBound == Int.max { return "\(range.lowerBound) or more" }
    if range.lowerBound == Int.min { return "\(range.upperBound) or less" }
    return "\(range.lowerBound) to \(range.upperBound)"
  }
}
