/// Text for HTML and SVG.
enum Markup {
  /// The text with the characters that markup gives a meaning, or forbids, replaced.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n", "\t": result += " "
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// At most `limit` characters, the middle of a longer text left out.
  static func shortened(_ text: String, to limit: Int) -> String {
    guard text.count > limit else { return text }
    let head = (limit - 1) / 2
    return text.prefix(head) + "\u{2026}" + text.suffix(limit - 1 - head)
  }

  /// A coordinate with at most two decimals.
  static func number(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() && abs(rounded) < 1e9 ? String(Int(rounded)) : "\(rounded)"
  }
}
