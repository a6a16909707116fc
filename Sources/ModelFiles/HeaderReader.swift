import Execution

/// Reads the JSON of a safetensors header: objects of objects, strings, and lists of whole numbers, no deeper.
///
/// Because each place allows one kind of value, nesting cannot grow and a header of a million brackets is an error at its
/// second byte. Repeated keys are errors too: readers differ in which they would take.
struct HeaderReader {
  private let text: ArraySlice<UInt8>
  private let source: String
  private var place: Int

  init(text: ArraySlice<UInt8>, source: String) {
    self.text = text
    self.source = source
    place = text.startIndex
  }

  private func failure(_ expected: String) -> InputError {
    let found =
      place < text.endIndex
      ? (text[place] > 0x20 && text[place] < 0x7F
        ? "\"\(Character(UnicodeScalar(text[place])))\"" : "byte \(text[place])") : "its end"
    return InputError(
      source: source, field: "header byte \(place - text.startIndex)", problem: "not a safetensors header",
      found: found, expected: expected)
  }

  private mutating func skipSpace() {
    while place < text.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(text[place]) { place += 1 }
  }

  /// Takes a character if it comes next, after space.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard place < text.endIndex, text[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func need(_ character: Unicode.Scalar) throws {
    guard take(character) else { throw failure("\"\(character)\"") }
  }

  /// Calls `body` after each key; it must read the value.
  mutating func readObject(_ body: (inout HeaderReader, String) throws -> Void) throws {
    try need("{")
    if take("}") { return }
    var keys = Set<[UInt8]>()
    repeat {
      skipSpace()
      let start = place
      let key = try readString()
      // Bytes, not characters: two spellings of one accented letter are two keys.
      guard keys.insert(Array(key.utf8)).inserted else {
        throw InputError(
          source: source, field: "header byte \(start - text.startIndex)", problem: "a key is given twice",
          found: "\"\(key.prefix(64))\"")
      }
      try need(":")
      try body(&self, key)
    } while take(",")
    try need("}")
  }

  /// An object whose values are strings.
  mutating func readStrings() throws -> [String: String] {
    var result: [String: String] = [:]
    try readObject { reader, key in result[key] = try reader.readString() }
    return result
  }

  /// A list of whole numbers of 0 or more.
  mutating func readNumbers() throws -> [Int] {
    try need("[")
    if take("]") { return [] }
    var result: [Int] = []
    repeat {
      skipSpace()
      var value = 0
      let start = place
      while place < text.endIndex, text[place] >= UInt8(ascii: "0"), text[place] <= UInt8(ascii: "9") {
        let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, more) = tens.addingReportingOverflow(Int(text[place] - UInt8(ascii: "0")))
        guard !overflow, !more else { throw failure("a number below 2^63") }
        value = sum
        place += 1
      }
      guard place > start else { throw failure("a whole number") }
      guard place == start + 1 || text[start] != UInt8(ascii: "0") else {
        place = start
        throw failure("a number without leading zeros")
      }
      result.append(value)
    } while take(",")
    try need("]")
    return result
  }

  mutating func readString() throws -> String {
    try need("\"")
    var bytes: [UInt8] = []
    while place < text.endIndex, text[place] != UInt8(ascii: "\"") {
      let byte = text[place]
      guard byte >= 0x20 else { throw failure("a character of a string") }
      place += 1
      if byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: UTF8.encode(try readEscape()).unsafelyUnwrapped)
      } else {
        bytes.append(byte)
      }
    }
    try need("\"")
    guard let string = String(validating: bytes, as: UTF8.self) else { throw failure("UTF-8 text before it") }
    return string
  }

  private mutating func readEscape() throws -> Unicode.Scalar {
    guard place < text.endIndex else { throw failure("an escaped character") }
    let byte = text[place]
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let first = try readHexadecimal()
      if let scalar = Unicode.Scalar(first) { return scalar }
      // A lone surrogate is no scalar; a high one must be followed by a low one.
      guard first < 0xDC00, place + 1 < text.endIndex, text[place] == UInt8(ascii: "\\"),
        text[place + 1] == UInt8(ascii: "u")
      else { throw failure("the second half of a surrogate pair") }
      place += 2
      let second = try readHexadecimal()
      guard second >= 0xDC00, second <= 0xDFFF,
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      else { throw failure("the second half of a surrogate pair before it") }
      return scalar
    default:
      place -= 1
      throw failure("a known escape")
    }
  }

  private mutating func readHexadecimal() throws -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard place < text.endIndex, let digit = Character(Unicode.Scalar(text[place])).hexDigitValue, text[place] < 0x80
      else { throw failure("a hexadecimal digit") }
      value = value << 4 | UInt32(digit)
      place += 1
    }
    return value
  }

  /// Nothing but space may follow.
  mutating func readEnd() throws {
    skipSpace()
    guard place == text.endIndex else { throw failure("the header's end") }
  }
}
