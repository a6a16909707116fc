/// Writes the pages that `--help` shows.
enum HelpText {
  private static let width = 96

  /// A program's page: its commands, one line each.
  static func program(name: String, summary: String, commands: [CommandSpecification]) -> String {
    var text = "\(name): \(summary)\n\nUsage: \(name) COMMAND [options]\n\nCommands:\n"
    let column = (commands.map(\.name.count).max() ?? 0) + 4
    for command in commands {
      text += "  " + padded(command.name, to: column - 2) + command.summary + "\n"
    }
    if let (example, meaning) = commands.lazy.compactMap({ $0.examples.first }).first {
      text += "\nExample:\n  \(example)\n      \(meaning)\n"
    }
    text += "\n\(name) COMMAND --help tells more of a command; --version names the version.\n"
    text += "Files are written whole or not at all; folders that are missing above them are made.\n"
    return text
  }

  /// A command's page.
  static func command(program: String, _ command: CommandSpecification) -> String {
    let full = command.name.isEmpty ? program : "\(program) \(command.name)"
    var text = "\(full): \(command.summary)\n\nUsage: \(full)"
    for option in command.options where option.isRequired { text += " \(option.name) \(option.valueName)" }
    text += (command.options.isEmpty ? "" : " [options]") + command.operands.usage + "\n"
    if !command.discussion.isEmpty { text += "\n" + command.discussion + "\n" }
    text += "\nOptions:\n"
    let help = OptionSpecification.flag("--help", short: "-h", help: "Show this page.")
    for option in command.options + [help] { text += line(option) }
    if !command.examples.isEmpty {
      text += "\nExamples:\n"
      for (example, meaning) in command.examples { text += "  \(example)\n      \(meaning)\n" }
    }
    return text
  }

  private static func line(_ option: OptionSpecification) -> String {
    var left = option.shortName.map { "\($0), " } ?? ""
    left += option.name
    if option.kind != .flag { left += " \(option.valueName)" }
    var help = option.help
    if !option.choices.isEmpty { help += " One of: \(option.choices.joined(separator: ", "))." }
    if let value = option.defaultValue { help += " Default: \(value)." }
    if option.kind == .list { help += " May be given several times." }
    let indent = 30
    let lines = wrapped(help, to: width - indent)
    var text: String
    if left.count + 4 > indent {
      text = "  \(left)\n" + String(repeating: " ", count: indent)
    } else {
      text = padded("  \(left)", to: indent)
    }
    text += lines.joined(separator: "\n" + String(repeating: " ", count: indent)) + "\n"
    return text
  }

  private static func padded(_ text: String, to count: Int) -> String {
    text + String(repeating: " ", count: max(1, count - text.count))
  }

  private static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
