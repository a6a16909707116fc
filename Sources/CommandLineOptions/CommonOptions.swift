import Execution

/// Options that several commands share, so that they read and mean the same everywhere.
extension OptionSpecification {
  public static let threads = OptionSpecification.value(
    "--threads", "N", help: "Threads to use; results do not depend on it. Default: all cores."
  ).unrecorded()

  public static let seed = OptionSpecification.value(
    "--seed", "N", help: "Seed of everything random: the same seed and data give the same bytes.", default: "1")
}

extension ParsedOptions {
  /// The executor that `--threads` asks for.
  public func executor() throws -> ParallelExecutor {
    ParallelExecutor(threadCount: try integer("--threads", in: 1...1024))
  }
}
