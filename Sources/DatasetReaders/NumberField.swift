import Geometry

/// Numbers in annotation files.
enum NumberField {
  /// Coordinates beyond this many pixels are taken for faults: they fit every integer type behind.
  static let magnitudeLimit = Box.magnitudeLimit

  /// A decimal number that is finite and within the limit; `nil` for anything else (`nan`, `inf`, `1e999`, `0x10`, "").
  static func double(_ text: some StringProtocol) -> Double? {
    guard !text.isEmpty,
      text.utf8.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
          UInt8(ascii: "e"), UInt8(ascii: "E"):
          true
        default: false
        }
      }), let value = Double(String(text)), value.isFinite, abs(value) <= magnitudeLimit
    else { return nil }
    return value == 0 ? 0 : value
  }

  /// A whole number that is not negative, below 2^31.
  static func count(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let value = Int(String(text)), value <= Int(Int32.max)
    else { return nil }
    return value
  }

  /// All fields as numbers, or `nil` where one is none.
  static func doubles(_ fields: some Sequence<Substring>) -> [Double]? {
    var values: [Double] = []
    for field in fields {
      guard let value = double(field) else { return nil }
      values.append(value)
    }
    return values
  }
}
