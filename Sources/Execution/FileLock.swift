import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A lock that one holder at a time has, in this process or another: a file that names the process, locked by the system.
///
/// The end of a process frees its locks, however it ends: a file that is left behind holds nothing.
public struct FileLock: Sendable {
  public let path: String
  private let descriptor: Int32
  private let uses: FileUse

  /// Takes the lock if it is free.
  /// - Returns: `nil` where another holds it.
  /// - Throws: `InputError` where the file cannot be made or locked; `OverwriteError` where the program reads it.
  public static func attempt(_ path: String, uses: FileUse = .ofProgram) throws -> FileLock? {
    try uses.checkReplacing(FilePlace(path))
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
      guard descriptor >= 0 else {
        throw InputError(source: path, problem: "cannot be written", found: String(cString: strerror(errno)))
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let reason = errno
        close(descriptor)
        if reason == EINTR { continue }
        if reason == EWOULDBLOCK { return nil }
        throw InputError(source: path, problem: "cannot be locked", found: String(cString: strerror(reason)))
      }
      // The holder before us may have removed the file between our opening and our locking it.
      var ours = stat()
      var named = stat()
      guard fstat(descriptor, &ours) == 0, stat(path, &named) == 0, ours.st_ino == named.st_ino,
        ours.st_dev == named.st_dev
      else {
        close(descriptor)
        continue
      }
      guard ours.st_size == 0 || holder(of: path) != nil else {
        close(descriptor)
        throw InputError(
          source: path, problem: "is needed for a lock", found: "a file that is no lock", hint: "move it away")
      }
      let text = Array("\(getpid())\n".utf8)
      // Who holds it is only told: without room for that the lock is still ours.
      if ftruncate(descriptor, 0) == 0 { _ = Glibc.write(descriptor, text, text.count) }
      return FileLock(path: path, descriptor: descriptor, uses: uses)
    }
  }

  /// Takes the lock of an output: `<output>.lock`, beside the file that it leads to. Missing folders are made.
  ///
  /// - Returns: `nil` for a pipe or a device, which nothing is kept beside.
  /// - Throws: `InputError` with the holder's process where another run writes the same output.
  public static func beside(_ output: String) throws -> FileLock? {
    guard let path = try path(beside: output) else { return nil }
    try AtomicFile.makeFolder(above: FilePlace(output))
    if let lock = try attempt(path) { return lock }
    let holder = holder(of: path).map { "process \($0)" } ?? "another process"
    throw InputError(
      source: output, problem: "is being written by another run", found: "\(holder) holding \(path)",
      hint: "wait until it has ended, or give another output")
  }

  /// Where the lock of an output is: see `beside`.
  public static func path(beside output: String) throws -> String? {
    let place = try FilePlace(output)
    guard place.kind != .stream else { return nil }
    var target = place.resolved
    while target.count > 1, target.hasSuffix("/") { target.removeLast() }
    return target + ".lock"
  }

  /// The process that a lock's file names.
  public static func holder(of path: String) -> Int? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Frees the lock and removes its file, unless the program reads that. Call it once.
  public func release() {
    try? AtomicFile.remove(path, uses: uses)
    close(descriptor)
  }
}
