import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Writes files whole or not at all: beside the target, synced, then renamed over it.
public enum AtomicFile {
  /// Replaces the file at `path` with `data`, creating missing folders above it.
  ///
  /// A failure (full disk, no permission, a folder in the way) leaves the old file as it was and nothing beside it.
  /// - Throws: `InputError` with the path and the system's reason.
  public static func write(_ data: Data, to path: String) throws {
    try write(to: path) { descriptor in
      try data.withUnsafeBytes { bytes in
        var offset = 0
        while offset < bytes.count {
          let written = Glibc.write(descriptor, bytes.baseAddress! + offset, bytes.count - offset)
          if written < 0 {
            if errno == EINTR { continue }
            throw failure(path, "cannot be written")
          }
          offset += written
        }
      }
    }
  }

  /// Replaces the file at `path` with UTF-8 text.
  public static func write(_ text: String, to path: String) throws {
    try write(Data(text.utf8), to: path)
  }

  private static func write(to path: String, _ body: (Int32) throws -> Void) throws {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty {
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw InputError(
          source: path, problem: "its folder cannot be made", found: folder,
          hint: "check that the folder may be written")
      }
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw InputError(source: path, problem: "cannot be written", found: "a folder", expected: "a file name")
    }
    var template = Array((path + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure(path, "cannot be written") }
    let beside = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do {
      try body(descriptor)
      let mask = umask(0)
      umask(mask)
      guard fchmod(descriptor, 0o666 & ~mask) == 0, fsync(descriptor) == 0 else {
        throw failure(path, "cannot be written")
      }
    } catch {
      close(descriptor)
      unlink(beside)
      throw error
    }
    guard close(descriptor) == 0, rename(beside, path) == 0 else {
      let error = failure(path, "cannot be written")
      unlink(beside)
      throw error
    }
  }

  private static func failure(_ path: String, _ problem: String) -> InputError {
    InputError(source: path, problem: problem, found: String(cString: strerror(errno)))
  }
}
