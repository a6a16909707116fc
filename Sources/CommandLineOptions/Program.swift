import Execution
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// One command of a program: how it is called, and what it runs.
public struct Command: Sendable {
  public let specification: CommandSpecification
  let run: @Sendable (ParsedOptions, CommandContext) throws -> Void

  public init(
    _ specification: CommandSpecification, run: @escaping @Sendable (ParsedOptions, CommandContext) throws -> Void
  ) {
    self.specification = specification
    self.run = run
  }
}

/// What a running command is given by its program.
public struct CommandContext: Sendable {
  /// Where long work reports: a line on a terminal, notes and warnings on standard error.
  public let progress: any ProgressSink
  /// Set by the first Ctrl-C (or a polite kill); a second one ends the process at once.
  public let cancellation: Cancellation
  /// The command line for records of how a file was made: as it was given, without the options that cannot change the file
  /// (the number of threads, whether a checkpoint is used), so that these do not change its bytes either.
  public let recordedCommandLine: String
  /// What the options name as outputs (`OptionSpecification.written`), checked.
  public let outputs: OutputCheck
}

/// The version that every program prints.
public let windhoverVersion = "0.1.0"

/// A program of one or more commands: reads the command line, runs a command, and turns errors into exit codes.
///
/// Status 0: done. 1: the work failed. 2: the command line is wrong. 130: stopped by Ctrl-C. Errors go to standard error.
public struct Program: Sendable {
  public let name: String
  public let summary: String
  public let version: String
  public let commands: [Command]

  public init(name: String, summary: String, version: String = windhoverVersion, commands: [Command]) {
    self.name = name
    self.summary = summary
    self.version = version
    self.commands = commands
  }

  /// Runs the program on the process's own arguments and leaves it.
  public func main() -> Never {
    FileUse.ofProgram.begin()
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs one command line and returns the exit status.
  public func run(_ arguments: [String]) -> Int32 {
    do {
      let status = try dispatch(arguments)
      try StandardOutput.flush()
      return status
    } catch {
      return report(error, help: "\(name) --help")
    }
  }

  private func dispatch(_ arguments: [String]) throws -> Int32 {
    guard let first = arguments.first else {
      try StandardOutput.write(helpPage())
      return 2
    }
    if first == "--help" || first == "-h" || first == "help" {
      guard first == "help", arguments.count > 1 else {
        try StandardOutput.write(helpPage())
        return 0
      }
      try StandardOutput.write(HelpText.command(program: name, try command(named: arguments[1]).specification))
      return 0
    }
    if first == "--version" {
      try StandardOutput.write("\(name) \(version)\n")
      return 0
    }
    let command = try command(named: first)
    return try run(command, Array(arguments.dropFirst()))
  }

  private func run(_ command: Command, _ arguments: [String]) throws -> Int32 {
    let ownArguments = arguments.prefix { $0 != "--" }
    if ownArguments.contains("--help") || ownArguments.contains("-h") {
      try StandardOutput.write(HelpText.command(program: name, command.specification))
      return 0
    }
    let interrupt = Interrupt()
    do {
      let options = try command.specification.parse(arguments)
      let context = CommandContext(
        progress: TerminalProgress(), cancellation: interrupt.cancellation,
        recordedCommandLine: ([name, command.specification.name] + command.specification.recorded(arguments))
          .map(shellQuoted).joined(separator: " "),
        outputs: try OutputCheck(options))
      try command.run(options, context)
      return 0
    } catch {
      return report(error, help: "\(name) \(command.specification.name) --help")
    }
  }

  private func helpPage() -> String {
    HelpText.program(name: name, summary: summary, commands: commands.map(\.specification))
  }

  private func command(named given: String) throws -> Command {
    if let command = commands.first(where: { $0.specification.name == given }) { return command }
    let names = commands.map(\.specification.name)
    let what = given.hasPrefix("-") ? "option" : "command"
    throw UsageError("unknown \(what) \"\(given)\", expected one of \(names.joined(separator: ", "))")
  }

  private func report(_ error: any Error, help: String) -> Int32 {
    switch error {
    case is UsageError, is OverwriteError:
      StandardError.write("\(name): \(error)\nTry: \(help)\n")
      return 2
    case is CancelledError:
      StandardError.write("\(name): \(error)\n")
      return 130
    default:
      StandardError.write("\(name): \(ErrorText.line(error))\n")
      return 1
    }
  }
}

/// The word as a shell would need it, quoted only where it must be.
func shellQuoted(_ word: String) -> String {
  let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%"
  if !word.isEmpty, word.allSatisfy({ plain.contains($0) }) { return word }
  return "'" + word.replacingOccurrences(of: "'", with: "'\\''") + "'"
}
