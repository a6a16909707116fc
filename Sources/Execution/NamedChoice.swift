/// An enumeration that configurations name by its words: what it does not know is told with the words that it does.
///
/// Conform in place of `Codable` and `CaseIterable`:
/// ```swift
/// enum Fit: String, NamedChoice { case area, width }
/// ```
public protocol NamedChoice: RawRepresentable, CaseIterable, Codable where RawValue == String {}

extension NamedChoice {
  /// - Throws: `DecodingError.dataCorrupted` whose underlying error is an ``UnknownChoice``.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let choice = Self(rawValue: text) else {
      let unknown = UnknownChoice(found: text, choices: Self.allCases.map(\.rawValue))
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: unknown.description, underlyingError: unknown))
    }
    self = choice
  }
}

/// A word that an enumeration does not have.
public struct UnknownChoice: Error, Hashable, Sendable, CustomStringConvertible {
  public let found: String
  /// The words that it has.
  public let choices: [String]

  public init(found: String, choices: [String]) {
    self.found = found
    self.choices = choices
  }

  /// The choices as a message gives them.
  public var expected: String {
    let quoted = choices.map { "\"\($0)\"" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  public var description: String { "found \"\(found)\", expected \(expected)" }
}
