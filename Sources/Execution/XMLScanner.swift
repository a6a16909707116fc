import CExpat

/// Reads XML as a run of events, from memory, with the library Expat.
///
/// Foundation's parser is not used: it cannot tell a document type with entities of its own from one without, and statically
/// linked programs would have to find its libxml2 at run time. A document type that declares entities, or names a file that
/// might, is refused: no file can pull in another or blow itself up. Namespaces are part of the name.
package final class XMLScanner {
  package enum Event: Hashable {
    case start(name: String, attributes: [String: String])
    case end(name: String)
    /// All text between two tags, references replaced; none where it is blank.
    case text(String)
  }

  package static let depthLimit = 64

  /// 1-based line of the newest event's tag, or of the end of its text.
  package private(set) var line = 1

  private let path: String
  private let bytes: [UInt8]
  private let parser: XML_Parser
  /// Bytes that the parser has been given.
  private var position = 0
  /// How many it is given next: more while no tag ends, since it looks at an unfinished one from its beginning each time.
  private var pieceSize = XMLScanner.leastPiece
  private static let leastPiece = 1 << 14
  private var events: [(event: Event, line: Int)] = []
  private var nextEvent = 0
  private var text = ""
  private var depth = 0
  private var failure: InputError?
  private var isDone = false

  /// - Parameter path: what errors call the document.
  package init(bytes: [UInt8], path: String) throws {
    guard let parser = XML_ParserCreate(nil) else { throw InputError(source: path, problem: "no memory to read it") }
    self.path = path
    self.bytes = bytes
    self.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser, { XMLScanner.from($0).began($1, $2) }, { data, name in XMLScanner.from(data).ended(name) })
    XML_SetCharacterDataHandler(parser) { data, bytes, count in
      guard let bytes else { return }
      let piece = UnsafeRawBufferPointer(start: bytes, count: Int(count))
      XMLScanner.from(data).text += String(decoding: piece, as: UTF8.self)
    }
    // Of an encoding that Expat does not know, the characters of ASCII can be read: most files have no others.
    XML_SetUnknownEncodingHandler(
      parser,
      { _, _, encoding in
        guard let encoding else { return 0 }
        withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
          for byte in 0..<256 {
            map.storeBytes(of: byte < 128 ? CInt(byte) : -1, toByteOffset: 4 * byte, as: CInt.self)
          }
        }
        return 1
      }, nil)
    XML_SetStartDoctypeDeclHandler(parser) { data, _, system, _, hasDeclarations in
      guard system != nil || hasDeclarations != 0 else { return }
      XMLScanner.from(data).fail("has a document type that may declare entities", hint: "delete <!DOCTYPE ...>")
    }
  }

  deinit { XML_ParserFree(parser) }

  /// The next event, or `nil` at the end of a whole document.
  /// - Throws: `InputError` with the line where the document is not well formed.
  package func next() throws -> Event? {
    while nextEvent == events.count {
      if let failure { throw failure }
      if isDone { return nil }
      events.removeAll(keepingCapacity: true)
      nextEvent = 0
      parse()
    }
    line = events[nextEvent].line
    nextEvent += 1
    return events[nextEvent - 1].event
  }

  /// Gives the parser the next piece. What comes before a fault in it is handed out before the fault is.
  private func parse() {
    let count = min(pieceSize, bytes.count - position)
    let isLast = position + count == bytes.count
    let status = bytes.withUnsafeBytes {
      let piece = $0.baseAddress.map { ($0 + position).assumingMemoryBound(to: CChar.self) }
      return XML_Parse(parser, piece, Int32(count), isLast ? 1 : 0)
    }
    position += count
    isDone = isLast
    pieceSize = events.isEmpty ? min(2 * pieceSize, 1 << 30) : XMLScanner.leastPiece
    guard status != XML_STATUS_OK, failure == nil else { return }
    let code = XML_GetErrorCode(parser)
    var fault = InputError(source: path, line: currentLine, problem: "is not well-formed XML: ")
    if code == XML_ERROR_INVALID_TOKEN {
      let place = Int(XML_GetCurrentByteIndex(parser))
      let byte = bytes.indices.contains(place) ? bytes[place] : 0x20
      fault.problem += byte < 0x20 ? "a control character" : "invalid token"
      if byte < 0x20 { fault.found = "the byte \(byte)" }
      if byte >= 0x80 {
        fault.hint = "text must be UTF-8, or what encoding=\"...\" in its first line says: ISO-8859-1 or UTF-16"
      }
    } else {
      fault.problem += XML_ErrorString(code).map { String(cString: $0) } ?? "unknown fault"
    }
    failure = fault
  }

  private var currentLine: Int { Int(XML_GetCurrentLineNumber(parser)) }

  private static func from(_ data: UnsafeMutableRawPointer?) -> XMLScanner {
    guard let data else { preconditionFailure("the parser lost its scanner") }
    return Unmanaged<XMLScanner>.fromOpaque(data).takeUnretainedValue()
  }

  private func fail(_ problem: String, hint: String? = nil) {
    failure = InputError(source: path, line: currentLine, problem: problem, hint: hint)
    XML_StopParser(parser, 0)
  }

  private func began(_ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    depth += 1
    guard depth <= XMLScanner.depthLimit else {
      return fail("elements nest deeper than \(XMLScanner.depthLimit)")
    }
    var attributes: [String: String] = [:]
    var at = 0
    while let list, let key = list[at], let value = list[at + 1] {
      attributes[String(cString: key)] = String(cString: value)
      at += 2
    }
    add(.start(name: name.map { String(cString: $0) } ?? "", attributes: attributes))
  }

  private func ended(_ name: UnsafePointer<CChar>?) {
    depth -= 1
    add(.end(name: name.map { String(cString: $0) } ?? ""))
  }

  private func add(_ event: Event) {
    if failure != nil { return }
    if !text.utf8.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { events.append((.text(text), currentLine)) }
    text = ""
    events.append((event, currentLine))
  }
}
