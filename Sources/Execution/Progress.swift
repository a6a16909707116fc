/// What a long piece of work tells of itself.
public enum ProgressEvent: Sendable {
  /// A phase begins. `total` is the number of units to come, or `nil` where it is not known.
  case began(phase: String, total: Int?)
  /// `completed` units of the current phase are done.
  case advanced(completed: Int)
  /// The current phase is over.
  case ended
  /// A line worth keeping, for example a round's figures.
  case note(String)
  /// Something is not as it should be, though the work goes on.
  case warning(String)
}

/// Takes the events of a long piece of work. Libraries never print: programs pass a sink that does.
public protocol ProgressSink: Sendable {
  func receive(_ event: ProgressEvent)
}

/// Takes every event and does nothing.
public struct SilentProgress: ProgressSink {
  public init() {}
  public func receive(_ event: ProgressEvent) {}
}
