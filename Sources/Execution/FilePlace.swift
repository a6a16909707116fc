import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Where a path leads once links are followed, and what is there.
///
/// An output that is named by a link belongs where the link points, and two names can mean one file: what writes files
/// asks here first.
public struct FilePlace: Sendable {
  public enum Kind: Sendable {
    case missing, regular, folder
    /// A character device or a pipe: it is written to as it stands, and cannot be replaced by another file.
    case stream
    /// A socket or a block device.
    case other
  }

  /// What makes two paths the same place.
  public enum Identity: Hashable, Sendable {
    case existing(device: UInt64, inode: UInt64)
    /// Nothing is there yet: the nearest folder that exists, and the way on from it.
    case missing(path: String)
  }

  /// As it was given.
  public let path: String
  /// The path behind all links. For a stream it is `path`, since what `/dev/stdout` leads to has no path.
  public let resolved: String
  public let kind: Kind
  public let identity: Identity

  /// - Throws: `InputError` where the path is empty, holds a zero byte, runs through a file or in a circle, or may not be
  ///   looked at.
  public init(_ path: String) throws {
    guard !path.isEmpty else {
      throw InputError(source: "(empty path)", problem: "is no file name", found: "an empty name")
    }
    guard !path.utf8.contains(0) else {
      throw InputError(source: path, problem: "is no file name", found: "a zero byte in it")
    }
    self.path = path
    var status = stat()
    if stat(path, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFREG: kind = .regular
      case S_IFDIR: kind = .folder
      case S_IFCHR, S_IFIFO: kind = .stream
      default: kind = .other
      }
      resolved = kind == .regular ? FilePlace.realPath(path) ?? path : path
      identity = .existing(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
      return
    }
    guard errno == ENOENT else {
      throw InputError(source: path, problem: "cannot be reached", found: String(cString: strerror(errno)))
    }
    kind = .missing
    resolved = FilePlace.endOfLinks(path)
    identity = .missing(path: FilePlace.wholePath(resolved))
  }

  /// Whether a file can be written here, as far as that can be known beforehand. Nothing is made or changed.
  /// - Throws: `InputError` where a folder, a socket or a block device is in the way, the nearest folder that exists may
  ///   not be written, or a stream may not.
  public func checkFile() throws {
    switch kind {
    case .folder:
      throw InputError(source: path, problem: "cannot be written", found: "a folder", expected: "a file name")
    case .other:
      throw InputError(
        source: path, problem: "cannot be written", found: "a socket or block device",
        expected: "a file, a pipe or a character device")
    case .stream:
      guard access(path, W_OK) == 0 else { throw failure(String(cString: strerror(errno))) }
    case .missing, .regular:
      guard !path.hasSuffix("/") else {
        throw InputError(source: path, problem: "cannot be written", found: "a folder's name", expected: "a file name")
      }
      try FilePlace.checkFolder(above: resolved, for: path)
    }
  }

  /// As `checkFile`, for a folder that files are to be written into and that is made where it is missing.
  public func checkFolder() throws {
    switch kind {
    case .folder:
      guard access(path, W_OK | X_OK) == 0 else { throw failure("a folder that may not be written") }
    case .missing: try FilePlace.checkFolder(above: resolved, for: path)
    case .regular, .stream, .other:
      throw InputError(source: path, problem: "is no folder", found: "a file", expected: "a folder's name")
    }
  }

  private func failure(_ reason: String) -> InputError {
    InputError(source: path, problem: "cannot be written", found: reason)
  }

  private static func checkFolder(above resolved: String, for path: String) throws {
    let folder = nearestFolder(above: resolved)
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw InputError(
        source: path, problem: "its folder cannot be made", found: "\(folder), which is no folder",
        hint: "give another name")
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      throw InputError(
        source: path, problem: "cannot be written", found: "\(folder): \(String(cString: strerror(errno)))",
        expected: "a folder that may be written")
    }
  }

  /// The nearest thing above a path that exists: a folder, if the path can be made at all.
  private static func nearestFolder(above path: String) -> String {
    var folder = parent(path)
    var status = stat()
    while stat(folder, &status) != 0, folder != parent(folder) { folder = parent(folder) }
    return folder
  }

  /// The folder that a path lies in: `"."` above a plain name, and the root above itself.
  ///
  /// By hand: Foundation's `deletingLastPathComponent` stops the program at a name of one character (Swift 6 on Linux).
  static func parent(_ path: String) -> String {
    let slash = UInt8(ascii: "/")
    var bytes = Array(path.utf8)[...]
    while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
    guard let place = bytes.lastIndex(of: slash) else { return "." }
    bytes = bytes[..<place]
    while bytes.last == slash { bytes.removeLast() }
    return bytes.isEmpty ? "/" : String(decoding: bytes, as: UTF8.self)
  }

  private static func realPath(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// Where a link leads that points at nothing yet. A circle cannot come here: the system has told it before.
  private static func endOfLinks(_ path: String) -> String {
    var path = path
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    for _ in 0..<40 {
      let count = buffer.withUnsafeMutableBytes {
        readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
      }
      guard count > 0 else { break }
      let target = String(decoding: buffer[..<count], as: UTF8.self)
      path = target.hasPrefix("/") ? target : "\(parent(path))/\(target)"
    }
    return path
  }

  /// The real path of the nearest folder that exists, with the parts that are to be made behind it.
  private static func wholePath(_ path: String) -> String {
    let folder = nearestFolder(above: path)
    let missing = (path as NSString).pathComponents.dropFirst((folder as NSString).pathComponents.count)
    // A plain name has no folder before it that could be dropped.
    let rest = folder == "." && !path.hasPrefix("./") ? (path as NSString).pathComponents[...] : missing
    return rest.filter { $0 != "." && $0 != "/" }.reduce(realPath(folder) ?? folder) { "\($0)/\($1)" }
  }
}
