import Foundation

/// Who made a file, when, from what: kept in models and results.
public struct RunRecord: Hashable, Sendable {
  public var command: String
  public var commit: String?
  public var date: String?
  public var machine: String?

  public init(command: String, commit: String? = nil, date: String? = nil, machine: String? = nil) {
    self.command = command
    self.commit = commit
    self.date = date
    self.machine = machine
  }

  /// The record of a run that happens now, on this machine.
  ///
  /// `SOURCE_DATE_EPOCH` (seconds, reproducible-builds.org) takes the place of the clock, so that a run can be repeated to
  /// the byte.
  public static func now(command: String) -> RunRecord {
    let fixed = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap(Double.init)
    let moment = fixed.map { Date(timeIntervalSince1970: $0) } ?? Date()
    return RunRecord(
      command: command, commit: commit(), date: ISO8601DateFormatter().string(from: moment), machine: machine())
  }

  /// The processor's name and the number of cores, from the system.
  private static func machine() -> String? {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
    guard let line = lines.first(where: { $0.hasPrefix("model name") }), let name = line.split(separator: ":").last
    else {
      return nil
    }
    let cores = ProcessInfo.processInfo.processorCount
    return "\(name.trimmingCharacters(in: .whitespaces)), \(cores) \(cores == 1 ? "core" : "cores")"
  }

  /// The commit of the checkout that holds the working folder, where there is one.
  private static func commit() -> String? {
    var folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    while folder.path != "/" {
      let git = folder.appendingPathComponent(".git")
      // In a linked working tree ".git" is a file that names the folder, which names the one with the branches.
      let own =
        text(git).flatMap { $0.hasPrefix("gitdir: ") ? URL(fileURLWithPath: String($0.dropFirst(8))) : nil } ?? git
      if let head = text(own.appendingPathComponent("HEAD")) {
        guard head.hasPrefix("ref: ") else { return head }
        let common = text(own.appendingPathComponent("commondir")).map { own.appendingPathComponent($0) } ?? own
        return tip(of: String(head.dropFirst(5)), in: common)
      }
      folder.deleteLastPathComponent()
    }
    return nil
  }

  private static func tip(of branch: String, in git: URL) -> String? {
    if let commit = text(git.appendingPathComponent(branch)) { return commit }
    let packed = text(git.appendingPathComponent("packed-refs"))?.split(separator: "\n")
    return packed?.first { $0.hasSuffix(" " + branch) }.flatMap { $0.split(separator: " ").first.map(String.init) }
  }

  private static func text(_ url: URL) -> String? {
    (try? String(contentsOf: url, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
