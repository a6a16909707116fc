import Execution
import Geometry

/// The header of a portable bit, grey or pixel map (Netpbm's pbm, pgm and ppm).
struct PNMHeader {
  /// The digit after `P`: 1 to 6.
  var kind = 0
  var width = 0
  var height = 0
  /// The value of white; 1 for bit maps.
  var maximum = 1
  /// Where the samples begin.
  var bodyOffset = 0

  var channelCount: Int { kind == 3 || kind == 6 ? 3 : 1 }
  var isBitMap: Bool { kind == 1 || kind == 4 }
  var isText: Bool { kind <= 3 }

  var imageHeader: ImageHeader {
    ImageHeader(size: PixelSize(width: width, height: height), orientation: .up, isComplete: true)
  }

  init(_ bytes: [UInt8], name: String) throws {
    kind = Int(bytes[1] - UInt8(ascii: "0"))
    var offset = 2
    width = try PNMHeader.number(bytes, &offset, "width", name)
    height = try PNMHeader.number(bytes, &offset, "height", name)
    if !isBitMap {
      maximum = try PNMHeader.number(bytes, &offset, "maxval", name)
      guard (1...65535).contains(maximum) else {
        throw InputError(
          source: name, field: "maxval", problem: "is out of range", found: "\(maximum)", expected: "1...65535")
      }
    }
    if !isText {
      guard offset < bytes.count, PNMHeader.isSpace(bytes[offset]) else {
        throw InputError(
          source: name, problem: "is a broken PNM", found: "no white space after the header",
          expected: "one white-space byte, then the samples")
      }
      offset += 1
    }
    bodyOffset = offset
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  /// Steps over white space and comments (`#` to the end of the line).
  static func skipSpace(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int) {
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "#") {
        while offset < bytes.count && bytes[offset] != 10 && bytes[offset] != 13 { offset += 1 }
      } else if isSpace(bytes[offset]) {
        offset += 1
      } else {
        return
      }
    }
  }

  /// What longer numbers are taken for: beyond every limit, and far from overflow.
  private static let greatestNumber = 1_000_000_000_000

  private static func number(_ bytes: [UInt8], _ offset: inout Int, _ field: String, _ name: String) throws -> Int {
    var at = offset
    let value: Int? = bytes.withUnsafeBufferPointer { p in
      skipSpace(p, &at)
      let start = at
      var value = 0
      while at < p.count, (48...57).contains(p[at]) {
        value = min(value * 10 + Int(p[at]) - 48, greatestNumber)
        at += 1
      }
      return at == start ? nil : value
    }
    guard let value else {
      throw InputError(
        source: name, field: field, problem: "is missing in the PNM header",
        found: at < bytes.count ? "byte \(bytes[at]) at offset \(at)" : "the end of the file", expected: "a number")
    }
    offset = at
    return value
  }
}
