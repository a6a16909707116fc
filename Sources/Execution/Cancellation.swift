import Synchronization

/// Asks long work to stop soon. Work looks at it between units and throws `CancelledError`, leaving files whole.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  public init() {}

  public var isCancelled: Bool { flag.load(ordering: .relaxed) }

  public func cancel() { flag.store(true, ordering: .relaxed) }

  public func check() throws {
    if isCancelled { throw CancelledError() }
  }
}

public struct CancelledError: Error, CustomStringConvertible {
  public init() {}
  public var description: String { "stopped on request" }
}
