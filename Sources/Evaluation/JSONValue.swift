/// JSON to be written: keys keep their order, and what is undefined is written as null.
enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  struct Member: Hashable, Sendable {
    var key: String
    var value: JSONValue
  }

  static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member(key: $0.key, value: $0.value) })
  }

  static func number(_ value: Double?) -> JSONValue {
    guard let value, value.isFinite else { return .null }
    return .number(value)
  }

  static func integer(_ value: Int?) -> JSONValue {
    guard let value else { return .null }
    return .integer(value)
  }

  static func string(_ value: String?) -> JSONValue {
    guard let value else { return .null }
    return .string(value)
  }

  /// Text on one line.
  var line: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  /// Text with a line an entry; arrays of plain values stay on one line.
  var indented: String {
    var text = ""
    write(to: &text, indent: 0)
    return text + "\n"
  }

  private var isPlain: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }

  private func write(to text: inout String, indent: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value):
      precondition(value.isFinite, "JSON has no number that is not finite")
      let whole = value == value.rounded(.towardZero) && abs(value) < 1e15
      text += whole ? String(Int(value)) : "\(value)"
    case .string(let value): JSONValue.quote(value, into: &text)
    case .array(let values):
      if values.isEmpty {
        text += "[]"
      } else if let indent, !values.allSatisfy(\.isPlain) {
        JSONValue.block(values, "[", "]", indent, &text) { $0.write(to: &$1, indent: indent + 2) }
      } else {
        text += "["
        for (index, value) in values.enumerated() {
          if index > 0 { text += ", " }
          value.write(to: &text, indent: nil)
        }
        text += "]"
      }
    case .object(let members):
      let writeMember: (Member, inout String) -> Void = { member, text in
        JSONValue.quote(member.key, into: &text)
        text += ": "
        member.value.write(to: &text, indent: indent.map { $0 + 2 })
      }
      if members.isEmpty {
        text += "{}"
      } else if let indent {
        JSONValue.block(members, "{", "}", indent, &text, writeMember)
      } else {
        text += "{"
        for (index, member) in members.enumerated() {
          if index > 0 { text += ", " }
          writeMember(member, &text)
        }
        text += "}"
      }
    }
  }

  private static func block<Element>(
    _ elements: [Element], _ opening: String, _ closing: String, _ indent: Int, _ text: inout String,
    _ write: (Element, inout String) -> Void
  ) {
    let margin = String(repeating: " ", count: indent)
    text += opening
    for (index, element) in elements.enumerated() {
      text += (index > 0 ? ",\n" : "\n") + margin + "  "
      write(element, &text)
    }
    text += "\n" + margin + closing
  }

  private static func quote(_ value: String, into text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
