import Execution
import Foundation
import Synchronization

/// Shows progress on standard error: a line with count, rate and time left while it is a terminal; nothing of that when
/// it is piped. Notes and warnings are always written.
public final class TerminalProgress: ProgressSink {
  private struct State {
    var phase = ""
    var total: Int?
    var began = ContinuousClock.now
    var shown = ContinuousClock.now
    var lineIsOpen = false
  }

  private let state = Mutex(State())
  private let isTerminal = StandardError.isTerminal

  public init() {}

  public func receive(_ event: ProgressEvent) {
    state.withLock { state in
      switch event {
      case .began(let phase, let total):
        close(&state)
        state.phase = phase
        state.total = total
        state.began = .now
        state.shown = .now
        draw(0, &state)
      case .advanced(let completed):
        guard ContinuousClock.now - state.shown > .milliseconds(100) || completed == state.total else { return }
        state.shown = .now
        draw(completed, &state)
      case .ended:
        close(&state)
      case .note(let text):
        close(&state)
        StandardError.write(text + "\n")
      case .warning(let text):
        close(&state)
        StandardError.write("warning: \(text)\n")
      }
    }
  }

  private func draw(_ completed: Int, _ state: inout State) {
    guard isTerminal else { return }
    let line = TerminalProgress.line(
      phase: state.phase, completed: completed, total: state.total,
      seconds: (ContinuousClock.now - state.began) / .seconds(1))
    StandardError.write("\r\u{1B}[K" + line)
    state.lineIsOpen = true
  }

  private func close(_ state: inout State) {
    guard state.lineIsOpen else { return }
    StandardError.write("\r\u{1B}[K")
    state.lineIsOpen = false
  }

  /// "mining: 120 of 400, 31.2/s, 9 s left".
  static func line(phase: String, completed: Int, total: Int?, seconds: Double) -> String {
    var text = "\(phase): \(completed)"
    if let total { text += " of \(total)" }
    guard completed > 0, seconds > 0.5 else { return text }
    let rate = Double(completed) / seconds
    text += String(format: rate < 10 ? ", %.2f/s" : ", %.0f/s", rate)
    if let total, total >= completed { text += ", \(duration(Double(total - completed) / rate)) left" }
    return text
  }

  static func duration(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}
