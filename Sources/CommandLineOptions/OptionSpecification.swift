/// One option that a command takes: its names, its value and its line of help.
public struct OptionSpecification: Sendable {
  public enum Kind: Sendable, Equatable {
    /// Present or absent; takes no value.
    case flag
    /// Takes one value; may be given once.
    case value
    /// Takes one value each time it is given; may be given any number of times.
    case list
  }

  /// What an option's value names, where the command writes it.
  public enum Output: Sendable, Equatable {
    case file
    /// A file, or standard output where the name is `-`. To all others `-` is a name like any.
    case fileOrStandardOutput
    /// A model: it replaces nothing but a model.
    case model
    /// A model that may be written over the one that it is made of.
    case calibratedModel
    /// A model with a checkpoint and a lock beside it.
    case training
    /// A folder that files are written into.
    case folder
    /// A file where the name has that suffix, else a folder.
    case fileOrFolder(suffix: String)
  }

  /// The full name with its dashes, for example "--overlap".
  public let name: String
  /// A one-letter name with its dash, for example "-o".
  public let shortName: String?
  public let kind: Kind
  /// What the help calls the value, for example "N" or "FILE".
  public let valueName: String
  public let help: String
  /// The value when the option is not given; named in the help.
  public let defaultValue: String?
  /// The only values allowed, where there are few.
  public let choices: [String]
  public let isRequired: Bool
  /// Whether records of how a file was made name the option. Off for what cannot change the file.
  public private(set) var isRecorded = true
  /// What the command writes there; `nil` for what is no output.
  public private(set) var output: Output?

  private init(
    name: String, shortName: String?, kind: Kind, valueName: String = "", help: String, defaultValue: String? = nil,
    choices: [String] = [], isRequired: Bool = false
  ) {
    precondition(name.hasPrefix("--") && name.count > 2, "\(name): an option's name begins with two dashes")
    self.name = name
    self.shortName = shortName
    self.kind = kind
    self.valueName = valueName
    self.help = help
    self.defaultValue = defaultValue
    self.choices = choices
    self.isRequired = isRequired
  }

  /// The option, left out of records: it cannot change what is made.
  public func unrecorded() -> OptionSpecification {
    var copy = self
    copy.isRecorded = false
    return copy
  }

  /// The option, of which the value names what the command writes: the program checks it before the command runs.
  public func written(_ output: Output = .file) -> OptionSpecification {
    precondition(kind == .value, "\(name): an output is one value")
    var copy = self
    copy.output = output
    return copy
  }

  public static func flag(_ name: String, short: String? = nil, help: String) -> OptionSpecification {
    OptionSpecification(name: name, shortName: short, kind: .flag, help: help)
  }

  public static func value(
    _ name: String, _ valueName: String, short: String? = nil, help: String, default defaultValue: String? = nil,
    choices: [String] = [], required: Bool = false
  ) -> OptionSpecification {
    OptionSpecification(
      name: name, shortName: short, kind: .value, valueName: valueName, help: help, defaultValue: defaultValue,
      choices: choices, isRequired: required)
  }

  public static func list(
    _ name: String, _ valueName: String, short: String? = nil, help: String, choices: [String] = [],
    required: Bool = false
  ) -> OptionSpecification {
    OptionSpecification(
      name: name, shortName: short, kind: .list, valueName: valueName, help: help, choices: choices,
      isRequired: required)
  }
}
