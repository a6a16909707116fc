/// Reads JSON (RFC 8259) from bytes, value by value, as its caller asks for them.
///
/// Strict: no `NaN`, no comments, no trailing commas, no bytes that are not UTF-8.
package struct JSONScanner {
  /// What was found where something else belongs. The caller adds file and line.
  package struct Failure: Error {
    package var problem: String
    package var found: String?
    package var expected: String?
    package var offset: Int

    package init(problem: String, found: String? = nil, expected: String? = nil, offset: Int) {
      self.problem = problem
      self.found = found
      self.expected = expected
      self.offset = offset
    }
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  package private(set) var offset = 0
  package static let depthLimit = 256

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  package mutating func skipBlanks() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return
      }
    }
  }

  package var isAtEnd: Bool { offset >= bytes.count }

  /// Takes one character if it is next, blanks before it aside.
  package mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  /// Whether a character is next, blanks before it aside.
  package mutating func isNext(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    return offset < bytes.count && bytes[offset] == UInt8(ascii: character)
  }

  package mutating func expect(_ character: Unicode.Scalar, _ place: String) throws {
    guard take(character) else {
      throw failure("the line is not JSON", expected: "\"\(character)\" \(place)")
    }
  }

  /// Calls `body` with each key of an object; `body` must take the value.
  package mutating func object(_ what: String, _ body: (inout JSONScanner, String) throws -> Void) throws {
    try expect("{", "to begin \(what)")
    if take("}") { return }
    repeat {
      let key = try string("a key of \(what)")
      try expect(":", "after the key \"\(key)\"")
      try body(&self, key)
    } while take(",")
    try expect("}", "or \",\" in \(what)")
  }

  /// Calls `body` before each element of an array; `body` must take the value.
  package mutating func array(_ what: String, _ body: (inout JSONScanner) throws -> Void) throws {
    try expect("[", "to begin \(what)")
    if take("]") { return }
    repeat { try body(&self) } while take(",")
    try expect("]", "or \",\" in \(what)")
  }

  package mutating func takeNull() -> Bool {
    skipBlanks()
    guard literal("null") else { return false }
    return true
  }

  /// A number as a Double; one too large for it is not finite, which the caller looks at.
  package mutating func number(_ what: String) throws -> Double {
    skipBlanks()
    let start = offset
    var mantissa: UInt64 = 0
    var digits = 0
    var exponent = 0
    let isNegative = offset < bytes.count && bytes[offset] == UInt8(ascii: "-")
    if isNegative { offset += 1 }
    let whole = offset
    while let digit = digit() {
      if digits < 19 {
        (mantissa, digits) = (mantissa * 10 + digit, digits + (mantissa == 0 && digit == 0 ? 0 : 1))
      } else {
        digits = 99
      }
      offset += 1
    }
    guard offset > whole, bytes[whole] != UInt8(ascii: "0") || offset == whole + 1 else {
      offset = start
      throw failure("not a number", expected: "a number for \(what)")
    }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      let fraction = offset
      while let digit = digit() {
        if digits < 19 {
          (mantissa, digits) = (mantissa * 10 + digit, digits + (mantissa == 0 && digit == 0 ? 0 : 1))
        } else {
          digits = 99
        }
        exponent -= 1
        offset += 1
      }
      guard offset > fraction else {
        offset = start
        throw failure("not a number", expected: "a number for \(what)")
      }
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      digits = 99
      offset += 1
      if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") { offset += 1 }
      let power = offset
      while digit() != nil { offset += 1 }
      guard offset > power else {
        offset = start
        throw failure("not a number", expected: "a number for \(what)")
      }
    }
    // Exact where the digits fit a Double's 53 bits and the power of ten is exact too (Clinger 1990).
    if digits <= 19, mantissa <= 1 << 53, exponent >= -22 {
      let value = Double(mantissa) / JSONScanner.powersOfTen[-exponent]
      return isNegative ? -value : value
    }
    return Double(String(decoding: bytes[start..<offset], as: UTF8.self)) ?? .nan
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  @inline(__always) private func digit() -> UInt64? {
    guard offset < bytes.count, bytes[offset] >= 0x30, bytes[offset] <= 0x39 else { return nil }
    return UInt64(bytes[offset] - 0x30)
  }

  package mutating func string(_ what: String) throws -> String {
    skipBlanks()
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
      throw failure("not a string", expected: "a string for \(what)")
    }
    let start = offset
    offset += 1
    let content = offset
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""), bytes[offset] != UInt8(ascii: "\\") {
      guard bytes[offset] >= 0x20 else { throw failure("a control character in a string", expected: "an escape") }
      offset += 1
    }
    guard offset < bytes.count else {
      throw Failure(problem: "the line ends within a string", offset: start)
    }
    if bytes[offset] == UInt8(ascii: "\"") {
      let text = try utf8(bytes[content..<offset], start)
      offset += 1
      return text
    }
    return try escapedString(from: content, start: start)
  }

  /// The slow way, for a string with escapes: `offset` stands on the first.
  private mutating func escapedString(from content: Int, start: Int) throws -> String {
    var unescaped = Array(bytes[content..<offset])
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        return try unescaped.withUnsafeBufferPointer { try utf8($0[...], start) }
      case UInt8(ascii: "\\"):
        unescaped += try escape()
      case 0..<0x20:
        offset -= 1
        throw failure("a control character in a string", expected: "an escape")
      default:
        unescaped.append(byte)
      }
    }
    throw Failure(problem: "the line ends within a string", offset: start)
  }

  private mutating func escape() throws -> [UInt8] {
    guard offset < bytes.count else { throw failure("the line ends within a string") }
    let kind = bytes[offset]
    offset += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [kind]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var code = try hexCode()
      if (0xD800..<0xDC00).contains(code), offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
        bytes[offset + 1] == UInt8(ascii: "u")
      {
        offset += 2
        let low = try hexCode()
        guard (0xDC00..<0xE000).contains(low) else { throw failure("half a surrogate pair in a string") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair in a string") }
      return Array(String(Character(scalar)).utf8)
    default:
      offset -= 1
      throw failure("an unknown escape in a string")
    }
  }

  private mutating func hexCode() throws -> UInt32 {
    guard offset + 4 <= bytes.count else { throw failure("the line ends within a string") }
    var code: UInt32 = 0
    for byte in bytes[offset..<offset + 4] {
      guard let value = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw failure("an unknown escape in a string", expected: "four hexadecimal digits")
      }
      code = code << 4 | UInt32(value)
    }
    offset += 4
    return code
  }

  private func utf8(_ slice: Slice<UnsafeBufferPointer<UInt8>>, _ start: Int) throws -> String {
    guard let text = String(validating: slice, as: UTF8.self) else {
      throw Failure(problem: "a string is not UTF-8", offset: start)
    }
    return text
  }

  /// Steps over any value.
  package mutating func skipValue(depth: Int = 0) throws {
    guard depth < JSONScanner.depthLimit else {
      throw failure("nested more than \(JSONScanner.depthLimit) deep")
    }
    skipBlanks()
    guard offset < bytes.count else { throw failure("the line ends early", expected: "a value") }
    switch bytes[offset] {
    case UInt8(ascii: "{"): try object("an object") { scanner, _ in try scanner.skipValue(depth: depth + 1) }
    case UInt8(ascii: "["): try array("an array") { try $0.skipValue(depth: depth + 1) }
    case UInt8(ascii: "\""): _ = try string("a value")
    default:
      if literal("true") || literal("false") || literal("null") { return }
      _ = try number("a value")
    }
  }

  private mutating func literal(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard offset + count <= bytes.count else { return false }
    for index in 0..<count where bytes[offset + index] != word.utf8Start[index] { return false }
    offset += count
    return true
  }

  /// A failure here, with a few of the characters that stand here.
  package func failure(_ problem: String, expected: String? = nil) -> Failure {
    var found = "the end of the line"
    if offset < bytes.count {
      var end = min(bytes.count, offset + 16)
      // Not in the middle of a character.
      while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
      let text = String(decoding: bytes[offset..<end], as: UTF8.self)
      found = "\"" + String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 }) + "\""
    }
    return Failure(problem: problem, found: found, expected: expected, offset: offset)
  }
}
