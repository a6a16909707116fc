import Foundation

/// What is JSON at all. Foundation's reader takes a key that is there twice, the last one winning, and trailing commas.
package enum JSONSyntax {
  /// - Parameter first: the line of the file that `data` begins in.
  /// - Throws: `InputError` with the line of what is no JSON (RFC 8259), and of a key that its object has already.
  package static func check(_ data: Data, source: String, line first: Int = 1) throws {
    guard !data.starts(with: [0xFE, 0xFF]), !data.starts(with: [0xFF, 0xFE]) else {
      throw InputError(source: source, problem: "is no JSON", found: "UTF-16", expected: "UTF-8")
    }
    // A byte-order mark is taken off, as Foundation's reader does.
    let bytes = Array(data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
    func line(_ offset: Int) -> Int { first + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } }
    try bytes.withUnsafeBufferPointer { buffer in
      var scanner = JSONScanner(buffer)
      scanner.skipBlanks()
      guard !scanner.isAtEnd else { throw InputError(source: source, problem: "is no JSON", found: "nothing") }
      do {
        try checkKeys(&scanner, place: "", depth: 0)
        scanner.skipBlanks()
        guard scanner.isAtEnd else { throw scanner.failure("not the end", expected: "nothing behind the value") }
      } catch let error as RepeatedKey {
        throw InputError(
          source: source, line: line(error.offset), field: error.place, problem: "is there twice in one object",
          hint: "keep one of the two")
      } catch let failure as JSONScanner.Failure {
        throw syntaxError(failure, bytes, line: line(failure.offset), source)
      }
    }
  }

  private struct RepeatedKey: Error {
    var place: String
    var offset: Int
  }

  private static func checkKeys(_ scanner: inout JSONScanner, place: String, depth: Int) throws {
    if scanner.isNext("{"), depth < JSONScanner.depthLimit {
      var seen: Set<String> = []
      try scanner.object("an object") { scanner, key in
        let inner = place.isEmpty ? key : "\(place).\(key)"
        guard seen.insert(key).inserted else { throw RepeatedKey(place: inner, offset: scanner.offset) }
        try checkKeys(&scanner, place: inner, depth: depth + 1)
      }
    } else if scanner.isNext("["), depth < JSONScanner.depthLimit {
      var index = 0
      try scanner.array("a list") { scanner in
        try checkKeys(&scanner, place: "\(place)[\(index)]", depth: depth + 1)
        index += 1
      }
    } else {
      try scanner.skipValue(depth: depth)
    }
  }

  private static func syntaxError(
    _ failure: JSONScanner.Failure, _ bytes: [UInt8], line: Int, _ source: String
  ) -> InputError {
    var result = InputError(source: source, line: line, problem: "is no JSON", expected: failure.expected)
    if failure.expected == nil { result.problem += ": \(failure.problem)" }
    let rest = String(decoding: bytes.dropFirst(failure.offset).prefix(20), as: UTF8.self)
    result.found = failure.offset >= bytes.count ? "the end of the file" : "\"\(rest.prefix { !$0.isNewline })\""
    return result
  }
}
