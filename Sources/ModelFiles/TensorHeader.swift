import Execution

/// The checked header of a safetensors file.
struct TensorHeader {
  struct Entry {
    var type: ElementType
    var shape: [Int]
    /// Bytes after the header.
    var range: Range<Int>
  }

  private(set) var metadata: [String: String] = [:]
  private(set) var entries: [String: Entry] = [:]
  /// Where the tensors' bytes begin in the file.
  let dataStart: Int

  /// Every tensor lies in the data, has as many bytes as its shape asks for, and together they fill the data without
  /// a gap or an overlap.
  ///
  /// - Parameters:
  ///   - bytes: the file's beginning, with the whole header; more may follow.
  ///   - fileSize: bytes of the whole file.
  init(bytes: [UInt8], fileSize: Int, source: String) throws {
    let length = try TensorHeader.length(head: Array(bytes.prefix(8)), fileSize: fileSize, source: source)
    dataStart = 8 + length
    precondition(bytes.count >= dataStart, "the header is not whole")
    var reader = HeaderReader(text: bytes[8..<dataStart], source: source)
    try reader.readObject { reader, name in
      if name == "__metadata__" {
        metadata = try reader.readStrings()
      } else {
        entries[name] = try TensorHeader.readEntry(&reader, name, source)
      }
    }
    try reader.readEnd()
    try checkPlaces(dataSize: fileSize - dataStart, source: source)
  }

  /// The header's length, if the file can hold it.
  static func length(head: [UInt8], fileSize: Int, source: String) throws -> Int {
    guard head.count == 8 else {
      throw InputError(
        source: source, problem: "not a safetensors file: too short", found: "\(fileSize) bytes",
        expected: "8 bytes of header length and more")
    }
    let length = head.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length >= 2, length <= UInt64(ModelFile.headerLimit) else {
      throw InputError(
        source: source, problem: "not a safetensors file: impossible header length", found: "\(length) bytes",
        expected: "2 to \(ModelFile.headerLimit)")
    }
    guard Int(length) <= fileSize - 8 else {
      throw InputError(
        source: source, problem: "the file is cut short, or is no safetensors file",
        found: "\(fileSize) bytes in all", expected: "a header of \(length) bytes after the first 8")
    }
    return Int(length)
  }

  private static func readEntry(_ reader: inout HeaderReader, _ name: String, _ source: String) throws -> Entry {
    var type: ElementType?
    var shape: [Int]?
    var offsets: [Int]?
    try reader.readObject { reader, key in
      switch key {
      case "dtype":
        let text = try reader.readString()
        guard let known = ElementType(rawValue: text) else {
          throw InputError(
            source: source, field: name, problem: "a tensor of unknown type", found: "\"\(text.prefix(64))\"",
            expected: ElementType.allCases.map(\.rawValue).joined(separator: ", "))
        }
        type = known
      case "shape": shape = try reader.readNumbers()
      case "data_offsets": offsets = try reader.readNumbers()
      default:
        throw InputError(
          source: source, field: name, problem: "an unknown key in the header", found: "\"\(key.prefix(64))\"",
          expected: "dtype, shape, data_offsets")
      }
    }
    guard let type, let shape, let offsets else {
      throw InputError(
        source: source, field: name, problem: "an incomplete entry in the header",
        expected: "dtype, shape and data_offsets")
    }
    guard offsets.count == 2, offsets[0] <= offsets[1] else {
      throw InputError(
        source: source, field: name, problem: "impossible data offsets", found: "\(offsets.prefix(8))",
        expected: "a begin and an end not before it")
    }
    guard let size = Tensor.byteCount(type: type, shape: shape) else {
      throw InputError(source: source, field: name, problem: "an impossible shape", found: "\(shape.prefix(16))")
    }
    guard size == offsets[1] - offsets[0] else {
      throw InputError(
        source: source, field: name, problem: "size and shape differ",
        found: "\(offsets[1] - offsets[0]) bytes at \(offsets[0])..<\(offsets[1])",
        expected: "\(size) bytes for \(type.rawValue) of shape \(shape.prefix(16))")
    }
    return Entry(type: type, shape: shape, range: offsets[0]..<offsets[1])
  }

  private func checkPlaces(dataSize: Int, source: String) throws {
    let order = entries.sorted {
      ($0.value.range.lowerBound, $0.value.range.upperBound, $0.key)
        < ($1.value.range.lowerBound, $1.value.range.upperBound, $1.key)
    }
    var end = 0
    for (name, entry) in order {
      guard entry.range.lowerBound == end else {
        throw InputError(
          source: source, field: name,
          problem: entry.range.lowerBound < end ? "overlaps another tensor" : "leaves a gap before it",
          found: "bytes from \(entry.range.lowerBound)", expected: "bytes from \(end)")
      }
      guard entry.range.upperBound <= dataSize else {
        throw InputError(
          source: source, field: name, problem: "the file is cut short",
          found: "\(dataSize) bytes of data", expected: "at least \(entry.range.upperBound)")
      }
      end = entry.range.upperBound
    }
    guard end == dataSize else {
      throw InputError(
        source: source, problem: "bytes follow the last tensor", found: "\(dataSize) bytes of data", expected: "\(end)")
    }
  }
}
