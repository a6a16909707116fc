import Execution

/// An element of an XML document with all that is in it.
struct XMLElement {
  var name: String
  var attributes: [String: String]
  /// Text between the tags, pieces joined by spaces.
  var text = ""
  var children: [XMLElement] = []
  /// 1-based line of the start tag's end.
  var line: Int

  func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// A document's root element.
  ///
  /// - Parameters:
  ///   - elementLimit: bounds memory; nesting is bounded by the scanner.
  /// - Throws: `InputError` with the line where the document is not well formed or holds more elements.
  static func document(_ bytes: [UInt8], source: String, elementLimit: Int) throws -> XMLElement {
    var scanner = try XMLScanner(bytes: bytes, path: source)
    var open: [XMLElement] = []
    var root: XMLElement?
    var count = 0
    while let event = try scanner.next() {
      switch event {
      case .start(let name, let attributes):
        count += 1
        guard count <= elementLimit else {
          throw InputError(
            source: source, line: scanner.line, problem: "holds too many elements", expected: "at most \(elementLimit)")
        }
        open.append(XMLElement(name: name, attributes: attributes, line: scanner.line))
      case .text(let text):
        let last = open.count - 1
        open[last].text += open[last].text.isEmpty ? text : " " + text
      case .end:
        let element = open.removeLast()
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
      }
    }
    guard let root else { throw InputError(source: source, line: scanner.line, problem: "holds no element") }
    return root
  }
}
