import Execution
import Synchronization

/// Counts finished units from any thread and tells the sink of each.
final class ProgressCounter: Sendable {
  private let completed = Mutex(0)
  private let sink: any ProgressSink

  init(_ sink: any ProgressSink) { self.sink = sink }

  func advance() {
    completed.withLock { count in
      count += 1
      sink.receive(.advanced(completed: count))
    }
  }
}
