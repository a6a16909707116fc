import Execution
import Foundation
import Geometry

#if canImport(Glibc)
  import Glibc
#endif

/// A detector's results as a file of JSON lines, one image a line (`Geometry.ImageDetections`).
///
/// `{"image": "a/b.jpg", "width": 640, "height": 480, "detections": [{"box": [x, y, w, h], "score": 1.5, "confidence": 0.9,
/// "label": "face"}]}`. Boxes are in the upright image's continuous pixels. `image`, `detections` and each detection's
/// `box`, `score` and `label` are needed; `width` and `height` are 0 where absent, `confidence` may be absent or null. Keys
/// that are not known are passed over. A byte-order mark, CR LF, blank lines and a missing last newline are accepted.
public struct ResultsFile: Sendable {
  /// The file's path, or "standard input".
  public let source: String
  /// SHA-256 of the file's bytes, 64 hexadecimal digits.
  public let checksum: String
  /// In the file's order. Every name occurs once.
  public let images: [ImageDetections]

  public var detectionCount: Int { images.reduce(0) { $0 + $1.detections.count } }

  /// Reads a whole file.
  ///
  /// - Parameter path: `-` reads standard input.
  /// - Throws: `InputError` with file and line where it is not JSON, a value is missing or of the wrong kind, a number is
  ///   not finite, a size is negative, a confidence lies outside 0...1, an image occurs twice, or there is no line at all.
  /// - Complexity: O(bytes), on all cores. The file is mapped, not copied.
  public static func read(_ path: String, executor: ParallelExecutor = .init()) throws -> ResultsFile {
    let source = path == "-" ? "standard input" : path
    return try parse(try contents(path), source: source, executor: executor)
  }

  private static func contents(_ path: String) throws -> Data {
    if path == "-" {
      // A file, perhaps.
      try FileUse.ofProgram.willRead(["/dev/stdin"])
      return try bytes(of: STDIN_FILENO, name: "standard input")
    }
    let place = try FilePlace(path)
    switch place.kind {
    case .regular: break
    case .missing:
      throw InputError(source: path, problem: "there is no such file", expected: "a results file (JSON lines)")
    case .folder:
      throw InputError(
        source: path, problem: "cannot be read", found: "a folder", expected: "a results file (JSON lines)")
    case .stream, .other:
      throw InputError(
        source: path, problem: "is not a regular file", found: "a pipe or device",
        expected: "a results file (JSON lines), or - for standard input")
    }
    try FileUse.ofProgram.willRead([path])
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw InputError(source: path, problem: "cannot be read", found: (error as NSError).localizedDescription)
    }
  }

  /// All that an open file has to give.
  /// - Throws: `InputError` with the system's reason, as for a standard input that is closed.
  static func bytes(of descriptor: Int32, name: String) throws -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return data }
      if count > 0 {
        data.append(contentsOf: buffer[..<count])
      } else if errno != EINTR {
        throw InputError(source: name, problem: "cannot be read", found: String(cString: strerror(errno)))
      }
    }
  }

  /// As `read`, from bytes at hand.
  public static func parse(_ data: Data, source: String, executor: ParallelExecutor = .init()) throws -> ResultsFile {
    let parts = try data.withUnsafeBytes { raw -> [[Line]] in
      let lines = LineIndex(raw.bindMemory(to: UInt8.self))
      return try executor.map(lines.chunks.count) { chunk in
        try lines.chunks[chunk].compactMap { try parse(line: lines.lines[$0], in: lines.bytes, $0 + 1, source) }
      }
    }
    let checksum = data.withUnsafeBytes { raw in
      var hash = SHA256()
      hash.update(raw)
      return hash.hexDigest()
    }
    var images: [ImageDetections] = []
    var firstLines: [String: Int] = [:]
    for line in parts.joined() {
      if let first = firstLines.updateValue(line.number, forKey: line.image.image) {
        throw InputError(
          source: source, line: line.number, field: "image", problem: "the image occurs twice",
          found: "\"\(line.image.image)\"", expected: "one line an image; line \(first) has it too")
      }
      images.append(line.image)
    }
    guard !images.isEmpty else {
      throw InputError(
        source: source, problem: "holds no results", found: data.isEmpty ? "an empty file" : "blank lines",
        expected: "one JSON object a line")
    }
    return ResultsFile(source: source, checksum: checksum, images: images)
  }

  private struct Line: Sendable {
    var number: Int
    var image: ImageDetections
  }

  private static func parse(
    line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>, _ number: Int, _ source: String
  ) throws -> Line? {
    var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[line]))
    scanner.skipBlanks()
    if scanner.isAtEnd { return nil }
    do {
      let image = try ResultLine.parse(&scanner)
      scanner.skipBlanks()
      guard scanner.isAtEnd else {
        throw scanner.failure("something follows the object", expected: "one object a line")
      }
      return Line(number: number, image: image)
    } catch let failure as JSONScanner.Failure {
      throw InputError(
        source: source, line: number, field: "column \(failure.offset + 1)", problem: failure.problem,
        found: failure.found, expected: failure.expected)
    }
  }
}

/// Where the lines of a text are, in runs of about a megabyte.
private struct LineIndex: @unchecked Sendable {
  let bytes: UnsafeBufferPointer<UInt8>
  var lines: [Range<Int>] = []
  var chunks: [Range<Int>] = []

  /// - Parameter bytes: must outlive the index, and are only read: that makes sharing them safe.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var firstOfChunk = 0
    var chunkStart = start
    while start < bytes.count {
      let rest = bytes.baseAddress! + start
      let newline = memchr(rest, 0x0A, bytes.count - start).map {
        UnsafeRawPointer($0) - UnsafeRawPointer(rest) + start
      }
      let end = newline ?? bytes.count
      lines.append(start..<end)
      start = end + 1
      if start - chunkStart > 1 << 20 || start >= bytes.count {
        chunks.append(firstOfChunk..<lines.count)
        (firstOfChunk, chunkStart) = (lines.count, start)
      }
    }
  }
}
