import Execution
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Runs another program, without a shell, and waits for it.
///
/// Foundation's `Process` is not used: it waits for its child by way of a local socket, and waits for ever on a machine
/// without any network interface, which is where a fetch must fail quickly.
enum ChildProcess {
  struct Result {
    var status: Int32
    var output: String
    var errors: String

    /// The last line that says something, for a message.
    var reason: String {
      let lines = (errors + "\n" + output).split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
      let told = errors.split(separator: "\n").last { $0.hasPrefix("E:") || $0.contains("rror") }
      return String(told ?? lines.last ?? "status \(status)")
    }
  }

  /// The program of that name on the search path.
  static func find(_ name: String, environment: [String: String]) -> String? {
    let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    return folders.lazy.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// - Parameter scratch: a folder for the program's output while it runs.
  /// - Throws: `InputError` where it cannot be started, `CancelledError` after it was told to stop.
  static func run(
    _ program: String, _ arguments: [String], scratch: String, environment: [String: String],
    cancellation: Cancellation
  ) throws -> Result {
    // Files rather than pipes: nothing blocks, however much is written.
    let outputPath = joinedPath(scratch, "output.\(UUID().uuidString)")
    let errorsPath = joinedPath(scratch, "errors.\(UUID().uuidString)")
    for path in [outputPath, errorsPath] {
      guard FileManager.default.createFile(atPath: path, contents: nil) else {
        throw InputError(source: path, problem: "cannot be written", hint: "check the folder and the space left")
      }
    }
    defer {
      for path in [outputPath, errorsPath] { try? FileManager.default.removeItem(atPath: path) }
    }
    let pid = try spawn(
      program, arguments, outputPath: outputPath, errorsPath: errorsPath, environment: environment)
    var state: Int32 = 0
    var isToldToStop = false
    while true {
      let found = waitpid(pid, &state, WNOHANG)
      if found == pid { break }
      if found < 0 && errno != EINTR {
        throw InputError(source: program, problem: "cannot be waited for", found: String(cString: strerror(errno)))
      }
      if cancellation.isCancelled && !isToldToStop {
        isToldToStop = true
        kill(pid, SIGTERM)
      }
      usleep(20_000)
    }
    try cancellation.check()
    // The macros WIFEXITED and WEXITSTATUS of sys/wait.h.
    let signal = state & 0x7f
    let status = signal == 0 ? (state >> 8) & 0xff : 128 + signal
    func text(_ path: String) -> String {
      String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
    return Result(status: status, output: text(outputPath), errors: text(errorsPath))
  }

  private static func spawn(
    _ program: String, _ arguments: [String], outputPath: String, errorsPath: String,
    environment: [String: String]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, outputPath, O_WRONLY | O_TRUNC, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorsPath, O_WRONLY | O_TRUNC, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The caller may ignore SIGINT and SIGTERM in favour of a source of its own; the child must not inherit that.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var variables = environment
    variables["LC_ALL"] = "C"
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + settings { free(word) } }
    var pid: pid_t = 0
    let failure = posix_spawn(&pid, program, &actions, &attributes, words, settings)
    guard failure == 0 else {
      throw InputError(source: program, problem: "cannot be run", found: String(cString: strerror(failure)))
    }
    return pid
  }
}
