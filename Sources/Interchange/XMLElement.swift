import Execution

/// An element of an XML document with all that is in it.
struct XMLElement {
  var name: String
  var attributes: [String: String]
  /// Text between the tags; pieces between its children are joined by spaces.
  var text = ""
  var children: [XMLElement] = []
  /// 1-based line of the start tag.
  var line: Int

  func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// A document's root element, of the kind that OpenCV stores: children are the elements of a list, all of them named `_`,
  /// or have names of their own, each once.
  ///
  /// - Parameters:
  ///   - elementLimit: bounds memory; nesting is bounded by the scanner.
  /// - Throws: `InputError` with the line where the document is not well formed, holds more elements, or an element holds
  ///   two of one name.
  static func document(_ bytes: [UInt8], source: String, elementLimit: Int) throws -> XMLElement {
    try checkCount(bytes, source: source, elementLimit: elementLimit)
    let scanner = try XMLScanner(bytes: bytes, path: source)
    var open: [XMLElement] = []
    // Of each open element the names of its children.
    var names: [Set<String>] = []
    var root: XMLElement?
    while let event = try scanner.next() {
      switch event {
      case .start(let name, let attributes):
        if name != "_", let last = names.indices.last, !names[last].insert(name).inserted {
          throw InputError(
            source: source, line: scanner.line, field: String(open[last].name.prefix(40)),
            problem: "has <\(name.prefix(40))> twice", expected: "it once")
        }
        names.append([])
        open.append(XMLElement(name: name, attributes: attributes, line: scanner.line))
      case .text(let text):
        let last = open.count - 1
        open[last].text += open[last].text.isEmpty ? text : " " + text
      case .end:
        let element = open.removeLast()
        names.removeLast()
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
      }
    }
    guard let root else { throw InputError(source: source, line: scanner.line, problem: "holds no element") }
    return root
  }

  /// Counts start tags before anything is made of them: no file is read for seconds to be refused then.
  private static func checkCount(_ bytes: [UInt8], source: String, elementLimit: Int) throws {
    var count = 0
    var line = 1
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\n") { line += 1 }
      guard byte == UInt8(ascii: "<"), index + 1 < bytes.count else { continue }
      switch bytes[index + 1] {
      case UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?"): continue
      default: count += 1
      }
      guard count <= elementLimit else {
        throw InputError(
          source: source, line: line, problem: "holds too many elements", expected: "at most \(elementLimit)")
      }
    }
  }
}
