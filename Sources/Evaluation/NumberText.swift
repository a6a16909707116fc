import Foundation

/// Numbers as reports show them. A missing number is `-`.
enum NumberText {
  /// Four decimals, for shares and rates.
  static func share(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: "%.4f", value)
  }

  /// At most `digits` significant digits without trailing zeros.
  static func short(_ value: Double?, digits: Int = 4) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: "%.\(digits)g", value)
  }

  /// A whole number with thin groups of three: 1 234 567.
  static func count(_ value: Int) -> String {
    let digits = String(value.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { text += "\u{2009}" }
      text.append(digit)
    }
    return value < 0 ? "-" + text : text
  }
}
