import Dispatch
import Execution
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Turns the first SIGINT or SIGTERM into a request to stop; the second has its usual effect.
final class Interrupt {
  let cancellation = Cancellation()
  private let sources: [any DispatchSourceSignal]

  init() {
    let cancellation = cancellation
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if !cancellation.isCancelled { StandardError.write("\nStopping; once more to end at once.\n") }
        cancellation.cancel()
        signal(number, SIG_DFL)
      }
      source.resume()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
  }
}
