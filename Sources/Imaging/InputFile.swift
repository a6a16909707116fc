import Execution
import Foundation

/// A regular file open for reading, with memory bounded by its size and a limit.
struct InputFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private let size: Int

  /// Opens without waiting, so that a pipe without a writer cannot hang, and refuses all but regular files.
  init(path: String) throws {
    guard !path.isEmpty else { throw InputError(source: "(empty path)", problem: "is no file name") }
    guard !path.utf8.contains(0) else {
      throw InputError(source: path, problem: "is no file name", found: "a zero byte in it")
    }
    try FileUse.ofProgram.willRead([path])
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw InputError(source: path, problem: "cannot be opened", found: String(cString: strerror(errno)))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw InputError(source: path, problem: "cannot be opened", found: reason)
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      close(descriptor)
      let found =
        switch kind {
        case S_IFDIR: "a folder"
        case S_IFIFO: "a pipe"
        case S_IFCHR, S_IFBLK: "a device"
        default: "a special file"
        }
      throw InputError(source: path, problem: "cannot be read as an image", found: found, expected: "a regular file")
    }
    self.path = path
    self.descriptor = descriptor
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// The first bytes: `count` of them, or fewer where the file is shorter.
  mutating func prefix(_ count: Int) throws -> [UInt8] {
    try read(min(count, size))
  }

  /// All bytes, where there are at most `limit`.
  mutating func all(limit: Int, limitName: String) throws -> [UInt8] {
    guard size <= limit else {
      throw InputError(
        source: path, problem: "is larger than any image within the pixel limit", found: "\(size) bytes",
        expected: "at most \(limit)", hint: "raise the pixel limit (\(limitName))")
    }
    return try read(size)
  }

  private func read(_ count: Int) throws -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let got = pread(descriptor, buffer.baseAddress! + filled, count - filled, filled)
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { return }
        filled += got
      }
    }
    guard failure == 0 else {
      throw InputError(source: path, problem: "cannot be read", found: String(cString: strerror(failure)))
    }
    return bytes
  }
}
