import Execution
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

extension ModelFile {
  /// Reads a model file. The header's length is checked against the file's size, and every tensor's place, shape and size
  /// against each other, before memory is taken for them.
  /// - Throws: `InputError` with the path, the tensor and the numbers that do not fit.
  public init(path: String) throws {
    try self.init(bytes: try ModelFile.contents(of: path), name: path)
  }

  /// Reads a model from memory.
  /// - Parameter name: what errors call it.
  public init(bytes: [UInt8], name: String) throws {
    let header = try TensorHeader(bytes: bytes, fileSize: bytes.count, source: name)
    func field(_ key: String) throws -> String {
      guard let value = header.metadata[key] else {
        throw InputError(
          source: name, field: "__metadata__", problem: "not a Windhover model: no \"\(key)\"",
          hint: "it may be another program's safetensors file")
      }
      return value
    }
    let format = try field("format")
    guard format == "windhover" else {
      throw InputError(
        source: name, field: "format", problem: "not a Windhover model", found: "\"\(format.prefix(64))\"",
        expected: "\"windhover\"")
    }
    let versionText = try field("version")
    guard let version = Int(versionText), version >= 1 else {
      throw InputError(
        source: name, field: "version", problem: "not a version", found: "\"\(versionText.prefix(64))\"",
        expected: "a whole number from 1")
    }
    let provenance = try ModelFile.decode(
      Provenance.self, from: try field("provenance"), field: "provenance", source: name)
    let tensors = header.entries.mapValues { entry in
      Tensor(
        type: entry.type, shape: entry.shape,
        bytes: Array(bytes[header.dataStart + entry.range.lowerBound..<header.dataStart + entry.range.upperBound]))
    }
    self.init(
      kind: try field("kind"), version: version, options: try field("options"), provenance: provenance,
      tensors: tensors, source: name)
  }

  /// Whether a file that begins with these bytes is a safetensors file: a header length in its limit and a JSON object.
  public static func isLikely(_ head: [UInt8]) -> Bool {
    head.count > 8 && head[4..<8].allSatisfy { $0 == 0 } && head[8] == UInt8(ascii: "{")
  }

  /// The first bytes of a plain file, fewer where it is shorter: for telling formats apart.
  /// - Throws: `InputError` for what cannot be read or is no plain file.
  public static func head(of path: String, count: Int) throws -> [UInt8] {
    try withPlainFile(path) { descriptor, size in try read(descriptor, 0..<min(size, count), path) }
  }

  private static func contents(of path: String) throws -> [UInt8] {
    try withPlainFile(path) { descriptor, size in
      guard size <= sizeLimit else {
        throw InputError(
          source: path, problem: "too large for a model", found: "\(size) bytes", expected: "at most \(sizeLimit)")
      }
      // The header is read and checked before memory is taken for what it promises.
      let head = try read(descriptor, 0..<min(size, 8), path)
      let length = try TensorHeader.length(head: head, fileSize: size, source: path)
      _ = try TensorHeader(bytes: try read(descriptor, 0..<8 + length, path), fileSize: size, source: path)
      return try read(descriptor, 0..<size, path)
    }
  }

  private static func withPlainFile(_ path: String, _ body: (Int32, _ size: Int) throws -> [UInt8]) throws -> [UInt8] {
    // Without waiting, or a named pipe would hold the program for ever.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw InputError(
        source: path, problem: "cannot be read",
        found: status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no plain file",
        expected: "a model file")
    }
    return try body(descriptor, Int(status.st_size))
  }

  private static func read(_ descriptor: Int32, _ range: Range<Int>, _ path: String) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var offset = 0
    while offset < range.count {
      let count = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + offset, range.count - offset, off_t(range.lowerBound + offset))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 {
        throw InputError(
          source: path, problem: "became shorter while it was read", found: "\(range.lowerBound + offset) bytes",
          expected: "\(range.upperBound)")
      }
      offset += count
    }
    return bytes
  }

  private static func failure(_ path: String) -> InputError {
    InputError(source: path, problem: "cannot be read", found: String(cString: strerror(errno)))
  }
}
