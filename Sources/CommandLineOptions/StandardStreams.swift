import Execution
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Standard output, with its errors: a full disk behind a redirection is not silently lost.
public enum StandardOutput {
  private static let pending = Mutex<[UInt8]>([])

  /// Writes UTF-8 text; kept back until `flush` or 64 KB, or written at once on a terminal.
  public static func write(_ text: String) throws {
    try pending.withLock { bytes in
      bytes += Array(text.utf8)
      if bytes.count >= 1 << 16 || isTerminal { try drain(&bytes) }
    }
  }

  /// Writes out what was kept back. Programs call it when they end; long-running ones after each record.
  public static func flush() throws {
    try pending.withLock { try drain(&$0) }
  }

  public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  private static func drain(_ bytes: inout [UInt8]) throws {
    defer { bytes.removeAll(keepingCapacity: true) }
    guard writeAll(bytes, to: STDOUT_FILENO) else {
      throw InputError(source: "standard output", problem: "cannot be written", found: String(cString: strerror(errno)))
    }
  }
}

/// Standard error: for progress, warnings and errors. A failure to write there has nowhere to be told.
public enum StandardError {
  public static func write(_ text: String) {
    _ = writeAll(Array(text.utf8), to: STDERR_FILENO)
  }

  public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// Writes all bytes, however many calls it takes; false, with `errno`, where that is not possible.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  bytes.withUnsafeBytes { buffer in
    var offset = 0
    while offset < buffer.count {
      let written = Glibc.write(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
      if written < 0, errno != EINTR { return false }
      offset += max(0, written)
    }
    return true
  }
}
