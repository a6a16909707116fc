/// Reads XML (the part of XML 1.0 that data files use) as a run of events, from memory.
///
/// Foundation's parser is not used: it needs a shared libxml2, which statically linked programs would have to find at run
/// time. Entities other than the five predefined ones and character references do not exist here, so no file can pull in
/// another or blow itself up; a document type with declarations of its own is refused. Namespaces are part of the name.
package struct XMLScanner {
  package enum Event: Hashable {
    case start(name: String, attributes: [String: String])
    case end(name: String)
    /// Text and CDATA between tags, references replaced; may come in several pieces.
    case text(String)
  }

  package static let depthLimit = 64

  private let path: String
  private let bytes: [UInt8]
  private let isLatin1: Bool
  private var position = 0
  /// 1-based line of `position`.
  package private(set) var line = 1
  private var open: [String] = []
  private var pendingEnd: String?
  private var hasRoot = false

  /// - Parameter path: what errors call the document.
  package init(bytes: [UInt8], path: String) throws {
    self.path = path
    self.bytes = bytes
    var start = 0
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw InputError(source: path, problem: "is UTF-16", expected: "UTF-8 or ISO-8859-1")
    }
    let head = String(decoding: bytes[start..<min(bytes.count, start + 200)], as: UTF8.self).lowercased()
    let declaration = head.hasPrefix("<?xml") ? head.prefix { $0 != ">" } : ""
    isLatin1 = declaration.contains("iso-8859-1") || declaration.contains("latin1")
    position = start
    if !isLatin1, String(validating: bytes[start...], as: UTF8.self) == nil {
      throw InputError(
        source: path, problem: "is not UTF-8 text",
        hint: "if it is Latin-1, its first line must say encoding=\"ISO-8859-1\"")
    }
    if let place = bytes.firstIndex(where: { $0 < 0x20 && !XMLScanner.isBlank($0) }) {
      throw InputError(
        source: path, line: 1 + bytes[..<place].count { $0 == UInt8(ascii: "\n") },
        problem: "is not well-formed XML: a control character", found: "the byte \(bytes[place])", expected: "text")
    }
  }

  /// The next event, or `nil` at the end of a whole document.
  /// - Throws: `InputError` with the line where the document is not well formed.
  package mutating func next() throws -> Event? {
    if let name = pendingEnd {
      pendingEnd = nil
      return .end(name: name)
    }
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") {
        if let text = try readText() { return .text(text) }
        continue
      }
      if starts(with: "<!--") {
        try skip(past: "-->", from: 4, "a comment")
      } else if starts(with: "<![CDATA[") {
        guard !open.isEmpty else { throw failure("text outside the root element") }
        let begin = position + 9
        try skip(past: "]]>", from: 9, "a CDATA section")
        return .text(string(bytes[begin..<position - 3]))
      } else if starts(with: "<!DOCTYPE") {
        try skipDocumentType()
      } else if starts(with: "<?") {
        try skip(past: "?>", from: 2, "a processing instruction")
      } else if starts(with: "</") {
        return try readEndTag()
      } else {
        return try readStartTag()
      }
    }
    if let name = open.last { throw failure("ends before </\(name)>") }
    if !hasRoot { throw failure("holds no element") }
    return nil
  }

  // MARK: Pieces

  private func failure(_ problem: String) -> InputError {
    InputError(source: path, line: line, problem: "is not well-formed XML: \(problem)")
  }

  private func starts(with text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
  }

  private func string(_ slice: ArraySlice<UInt8>) -> String {
    isLatin1
      ? String(String.UnicodeScalarView(slice.map { Unicode.Scalar($0) })) : String(decoding: slice, as: UTF8.self)
  }

  private mutating func advance(by count: Int) {
    for _ in 0..<count {
      if bytes[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
  }

  private mutating func skip(past end: StaticString, from offset: Int, _ what: String) throws {
    let begin = line
    advance(by: offset)
    while position < bytes.count {
      if starts(with: end) {
        advance(by: end.utf8CodeUnitCount)
        return
      }
      advance(by: 1)
    }
    line = begin
    throw failure("\(what) does not end")
  }

  private mutating func skipDocumentType() throws {
    guard !hasRoot else { throw failure("a document type inside the document") }
    let begin = line
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "[") {
        throw failure("its document type declares entities, which are not read")
      }
      let isEnd = bytes[position] == UInt8(ascii: ">")
      advance(by: 1)
      if isEnd { return }
    }
    line = begin
    throw failure("a document type does not end")
  }

  private mutating func readText() throws -> String? {
    let begin = position
    let firstLine = line
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") { advance(by: 1) }
    let slice = bytes[begin..<position]
    let isBlank = slice.allSatisfy { XMLScanner.isSpace($0) }
    if isBlank { return nil }
    guard !open.isEmpty else {
      line = firstLine
      throw failure("text outside the root element")
    }
    return try unescaped(slice)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || isBlank(byte) }

  /// The control characters that XML allows.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: ":"), 0x80...0xFF:
      true
    default: false
    }
  }

  private mutating func skipSpace() {
    while position < bytes.count, XMLScanner.isSpace(bytes[position]) { advance(by: 1) }
  }

  private mutating func readName(_ what: String) throws -> String {
    let begin = position
    while position < bytes.count, XMLScanner.isNameByte(bytes[position]) { position += 1 }
    guard position > begin else { throw failure("\(what) has no name") }
    return string(bytes[begin..<position])
  }

  private mutating func expect(_ byte: UInt8, _ what: String) throws {
    guard position < bytes.count, bytes[position] == byte else {
      throw failure("\(what) lacks \"\(Character(Unicode.Scalar(byte)))\"")
    }
    advance(by: 1)
  }

  private mutating func readEndTag() throws -> Event {
    position += 2
    let name = try readName("an end tag")
    skipSpace()
    try expect(UInt8(ascii: ">"), "</\(name)")
    guard let expected = open.popLast() else { throw failure("</\(name)> closes nothing") }
    guard expected == name else { throw failure("</\(name)> where </\(expected)> is due") }
    return .end(name: name)
  }

  private mutating func readStartTag() throws -> Event {
    position += 1
    let name = try readName("a tag")
    if open.isEmpty {
      guard !hasRoot else { throw failure("a second root element <\(name)>") }
      hasRoot = true
    }
    guard open.count < XMLScanner.depthLimit else {
      throw failure("elements nest deeper than \(XMLScanner.depthLimit)")
    }
    var attributes: [String: String] = [:]
    while true {
      skipSpace()
      guard position < bytes.count else { throw failure("<\(name) does not end") }
      if starts(with: "/>") {
        position += 2
        pendingEnd = name
        return .start(name: name, attributes: attributes)
      }
      if bytes[position] == UInt8(ascii: ">") {
        position += 1
        open.append(name)
        return .start(name: name, attributes: attributes)
      }
      let key = try readName("an attribute of <\(name)>")
      skipSpace()
      try expect(UInt8(ascii: "="), "attribute \(key)")
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
        throw failure("attribute \(key) has no quotes")
      }
      let quote = bytes[position]
      position += 1
      let begin = position
      while position < bytes.count, bytes[position] != quote {
        if bytes[position] == UInt8(ascii: "<") { throw failure("\"<\" in attribute \(key)") }
        advance(by: 1)
      }
      guard position < bytes.count else { throw failure("attribute \(key) does not end") }
      let value = try unescaped(bytes[begin..<position])
      position += 1
      guard attributes.updateValue(value, forKey: key) == nil else { throw failure("attribute \(key) is there twice") }
    }
  }

  private func unescaped(_ slice: ArraySlice<UInt8>) throws -> String {
    guard slice.contains(UInt8(ascii: "&")) else { return string(slice) }
    var result = ""
    var rest = slice
    while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
      result += string(rest[..<mark])
      guard let end = rest[mark...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
        throw failure("\"&\" without \";\"")
      }
      let reference = string(rest[(mark + 1)..<end])
      guard let character = XMLScanner.character(reference) else {
        throw failure("&\(reference); is not known")
      }
      result.unicodeScalars.append(character)
      rest = rest[(end + 1)...]
    }
    return result + string(rest)
  }

  private static func character(_ reference: String) -> Unicode.Scalar? {
    switch reference {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let number: UInt32?
      if reference.hasPrefix("#x") {
        number = UInt32(reference.dropFirst(2), radix: 16)
      } else if reference.hasPrefix("#") {
        number = UInt32(reference.dropFirst())
      } else {
        number = nil
      }
      return number.flatMap { $0 < 0x20 && !(UInt8(exactly: $0).map(isBlank) ?? false) ? nil : Unicode.Scalar($0) }
    }
  }
}
