import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Reads plain files whole, refusing what would block or fill the memory.
package enum FileBytes {
  package enum Kind {
    case missing
    case file(size: Int, device: UInt64, inode: UInt64)
    case folder(device: UInt64, inode: UInt64)
    case other
  }

  /// What is at a path, links followed.
  package static func kind(of path: String) -> Kind {
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else { return .missing }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file(size: Int(status.st_size), device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    case S_IFDIR: return .folder(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    default: return .other
    }
  }

  package static func isFile(_ path: String) -> Bool {
    if case .file = kind(of: path) { return true }
    return false
  }

  package static func isFolder(_ path: String) -> Bool {
    if case .folder = kind(of: path) { return true }
    return false
  }

  /// - Throws: `InputError` where there is no plain file, it is larger than `limit` bytes, or it cannot be read.
  package static func read(_ path: String, limit: Int) throws -> [UInt8] {
    try FileUse.ofProgram.willRead([path])
    switch kind(of: path) {
    case .missing:
      throw InputError(source: path, problem: "no such file")
    case .folder:
      throw InputError(source: path, problem: "cannot be read", found: "a folder", expected: "a file")
    case .other:
      throw InputError(source: path, problem: "cannot be read", found: "a device or pipe", expected: "a file")
    case .file(let size, _, _):
      guard size <= limit else {
        throw InputError(
          source: path, problem: "is too large", found: "\(size) bytes", expected: "at most \(limit) bytes")
      }
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw InputError(source: path, problem: "cannot be read", hint: "check its permissions")
    }
    return [UInt8](data)
  }

  /// The first bytes of a file; fewer where it is shorter, none where it cannot be read.
  package static func prefix(of path: String, count: Int) -> [UInt8] {
    guard isFile(path), let handle = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: count)).flatMap { $0 }.map { [UInt8]($0) } ?? []
  }
}
