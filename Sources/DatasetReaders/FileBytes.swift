import Execution
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Reads plain files whole, refusing what would block or fill the memory.
enum FileBytes {
  enum Kind {
    case missing
    case file(size: Int, device: UInt64, inode: UInt64)
    case folder(device: UInt64, inode: UInt64)
    case other
  }

  /// What is at a path, links followed.
  static func kind(of path: String) -> Kind {
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else { return .missing }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file(size: Int(status.st_size), device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    case S_IFDIR: return .folder(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    default: return .other
    }
  }

  static func isFile(_ path: String) -> Bool {
    if case .file = kind(of: path) { return true }
    return false
  }

  static func isFolder(_ path: String) -> Bool {
    if case .folder = kind(of: path) { return true }
    return false
  }

  /// - Throws: `InputError` where there is no plain file, it is larger than `limit` bytes, or it cannot be read.
  static func read(_ path: String, limit: Int) throws -> [UInt8] {
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
  static func prefix(of path: String, count: Int) -> [UInt8] {
    guard isFile(path), let handle = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: count)).flatMap { $0 }.map { [UInt8]($0) } ?? []
  }
}

/// `folder/name`, or `name` itself where it is absolute or the folder is empty.
func joinedPath(_ folder: String, _ name: some StringProtocol) -> String {
  if name.hasPrefix("/") || folder.isEmpty { return String(name) }
  return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
}

/// The part of a path before the last slash: `""` where there is none.
func folderName(of path: some StringProtocol) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "" }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The part of a path behind the last slash.
func fileName(of path: some StringProtocol) -> String {
  path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? String(path)
}

/// A path without the suffix of its file name; a name that begins with its only dot has none.
func withoutSuffix(_ path: some StringProtocol) -> String {
  let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
  guard let dot = path[start...].lastIndex(of: "."), dot > start else { return String(path) }
  return String(path[..<dot])
}

/// The suffix of a file name in lower case, without the dot: `""` where there is none.
func lowercasedSuffix(_ path: some StringProtocol) -> String {
  let stem = withoutSuffix(path)
  return stem.count == path.count ? "" : path.dropFirst(stem.count + 1).lowercased()
}

/// Order by bytes of UTF-8, the same in every locale.
func bytewise(_ a: String, _ b: String) -> Bool {
  a.utf8.lexicographicallyPrecedes(b.utf8)
}
