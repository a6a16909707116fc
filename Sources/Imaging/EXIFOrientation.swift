import Geometry

/// The orientation tag of an EXIF block (CIPA DC-008; TIFF 6.0 layout), every offset checked.
enum EXIFOrientation {
  /// Reads tag 0x0112 of the first directory of a TIFF block that begins at the byte-order mark.
  ///
  /// - Returns: `nil` where the block has no such tag, is damaged, or states a value outside 1...8.
  static func parse(_ tiff: UnsafeBufferPointer<UInt8>) -> Orientation? {
    guard tiff.count >= 8 else { return nil }
    let isLittle: Bool
    switch (tiff[0], tiff[1]) {
    case (0x49, 0x49): isLittle = true
    case (0x4D, 0x4D): isLittle = false
    default: return nil
    }
    func half(_ at: Int) -> Int? {
      guard at >= 0 && at + 2 <= tiff.count else { return nil }
      let (a, b) = (Int(tiff[at]), Int(tiff[at + 1]))
      return isLittle ? b << 8 | a : a << 8 | b
    }
    func word(_ at: Int) -> Int? {
      guard let a = half(at), let b = half(at + 2) else { return nil }
      return isLittle ? b << 16 | a : a << 16 | b
    }
    guard half(2) == 42, let directory = word(4), let count = half(directory) else { return nil }
    for entry in 0..<count {
      let at = directory + 2 + 12 * entry
      guard let tag = half(at) else { return nil }
      guard tag == 0x0112 else { continue }
      // Writers are at odds over the type: SHORT is the rule, LONG and BYTE occur.
      let value: Int? =
        switch half(at + 2) {
        case 3: half(at + 8)
        case 4: word(at + 8)
        case 1: at + 8 < tiff.count ? Int(tiff[at + 8]) : nil
        default: nil
        }
      return value.flatMap(Orientation.init(rawValue:))
    }
    return nil
  }
}
