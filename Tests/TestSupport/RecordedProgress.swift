import Execution
import Synchronization

/// Keeps what a piece of work tells of itself.
public final class RecordedProgress: ProgressSink {
  private let kept = Mutex<(notes: [String], warnings: [String], advances: [String], phase: String)>(([], [], [], ""))

  public init() {}

  public func receive(_ event: ProgressEvent) {
    kept.withLock { kept in
      switch event {
      case .note(let text): kept.notes.append(text)
      case .warning(let text): kept.warnings.append(text)
      case .began(let name, _): kept.phase = name
      case .advanced: kept.advances.append(kept.phase)
      default: break
      }
    }
  }

  /// Notes, then warnings, a line each.
  public var told: String { kept.withLock { ($0.notes + $0.warnings).joined(separator: "\n") } }
  public var notes: [String] { kept.withLock { $0.notes } }
  public var warnings: [String] { kept.withLock { $0.warnings } }
  /// The phase of every advance.
  public var advances: [String] { kept.withLock { $0.advances } }
}
