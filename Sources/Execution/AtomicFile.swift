import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Writes files whole or not at all: beside the target, synced, then renamed over it.
///
/// Links are followed: the file that a link names is replaced, and the link stays. A pipe or a character device cannot be
/// replaced; it is written to as it stands, so that there a failure can leave a part.
public enum AtomicFile {
  /// Replaces the file at `path` with `data`, creating missing folders above it.
  ///
  /// A failure (full disk, no permission, a folder in the way) leaves the old file as it was and nothing beside it. A pipe
  /// waits for its reader.
  /// - Throws: `InputError` with the path and the system's reason; also for an empty path, a socket and a block device.
  ///   `OverwriteError` for a file that the program reads (`FileUse`).
  public static func write(_ data: Data, to path: String) throws {
    try write([data], to: path)
  }

  /// As above, for content in parts that follow each other: a large file needs no second copy of itself in memory.
  ///
  /// A part is asked for when those before it are written, so a lazy collection may make each as it is needed.
  public static func write(_ parts: some Sequence<Data>, to path: String) throws {
    try write(to: path) { output in
      for part in parts { try output.append(part) }
    }
  }

  /// As above, for content that is made while it is written. An error that `body` throws leaves the old file as it was.
  public static func write(to path: String, _ body: (Output) throws -> Void) throws {
    let place = try FilePlace(path)
    try place.checkFile()
    try FileUse.ofProgram.checkReplacing(place)
    let put = { (descriptor: Int32) in try body(Output(descriptor: descriptor, path: path)) }
    if place.kind == .stream { try writeThrough(to: path, put) } else { try replace(place, put) }
  }

  /// Takes the content of a file that is being written, part after part. Of no use when the writing is over.
  public struct Output {
    fileprivate let descriptor: Int32
    fileprivate let path: String

    public func append(_ data: Data) throws { try AtomicFile.writeAll(data, to: descriptor, path) }
  }

  /// Replaces the file at `path` with UTF-8 text.
  public static func write(_ text: String, to path: String) throws {
    try write(Data(text.utf8), to: path)
  }

  /// Deletes the file at `path`: a link itself, not what it leads to. Where nothing is, nothing is done.
  /// - Throws: `InputError` with the path and the system's reason; `OverwriteError` for a file that the program reads.
  public static func remove(_ path: String, uses: FileUse = .ofProgram) throws {
    try uses.checkReplacing(FilePlace(path))
    guard unlink(path) == 0 || errno == ENOENT else { throw failure(path, "cannot be deleted") }
  }

  private static func writeThrough(to path: String, _ body: (Int32) throws -> Void) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(path, "cannot be written") }
    do {
      try body(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw failure(path, "cannot be written") }
  }

  fileprivate static func writeAll(_ data: Data, to descriptor: Int32, _ path: String) throws {
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

  private static func replace(_ place: FilePlace, _ body: (Int32) throws -> Void) throws {
    let (path, target) = (place.path, place.resolved)
    try makeFolder(above: place)
    var template = Array((target + ".XXXXXX").utf8CString)
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
    guard close(descriptor) == 0, rename(beside, target) == 0 else {
      let error = failure(path, "cannot be written")
      unlink(beside)
      throw error
    }
  }

  static func makeFolder(above place: FilePlace) throws {
    let folder = FilePlace.parent(place.resolved)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw InputError(
        source: place.path, problem: "its folder cannot be made", found: folder,
        hint: "check that the folder may be written")
    }
  }

  private static func failure(_ path: String, _ problem: String) -> InputError {
    InputError(source: path, problem: problem, found: String(cString: strerror(errno)))
  }
}
