/// What a command is called, what it takes and how its help reads.
public struct CommandSpecification: Sendable {
  /// The operands that a command takes after its options.
  public enum Operands: Sendable, Equatable {
    case none
    /// Exactly one; the name is what the help calls it.
    case one(String)
    case optional(String)
    case oneOrMore(String)
    case any(String)
  }

  /// The word after the program's name, for example "score".
  public let name: String
  /// One line for the list of commands.
  public let summary: String
  /// What it does, in a few lines, with what it writes and its rules.
  public let discussion: String
  public let operands: Operands
  public let options: [OptionSpecification]
  /// Command lines that work, each with a word on what it does.
  public let examples: [(command: String, meaning: String)]

  public init(
    name: String, summary: String, discussion: String = "", operands: Operands = .none,
    options: [OptionSpecification] = [], examples: [(command: String, meaning: String)] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.operands = operands
    self.options = options
    self.examples = examples
  }
}

extension CommandSpecification.Operands {
  var usage: String {
    switch self {
    case .none: return ""
    case .one(let name): return " \(name)"
    case .optional(let name): return " [\(name)]"
    case .oneOrMore(let name): return " \(name)…"
    case .any(let name): return " [\(name)…]"
    }
  }
}
