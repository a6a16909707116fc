/// A colour of three bytes, as the screen takes them.
public struct RGBColor: Hashable, Codable, Sendable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  public static let white = RGBColor(red: 255, green: 255, blue: 255)
  public static let black = RGBColor(red: 0, green: 0, blue: 0)

  /// Colours that stay apart for colour-blind readers (Okabe and Ito 2008, without black), brightest first.
  public static let palette: [RGBColor] = [
    RGBColor(red: 240, green: 228, blue: 66), RGBColor(red: 86, green: 180, blue: 233),
    RGBColor(red: 230, green: 159, blue: 0), RGBColor(red: 0, green: 158, blue: 115),
    RGBColor(red: 204, green: 121, blue: 167), RGBColor(red: 213, green: 94, blue: 0),
    RGBColor(red: 0, green: 114, blue: 178),
  ]

  /// The palette's colour for a label: the same on every image and in every run (FNV-1a of its UTF-8).
  ///
  /// Two labels may share a colour; give colours by name where that matters.
  public static func forLabel(_ label: String) -> RGBColor {
    let hash = label.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return palette[Int(hash % UInt32(palette.count))]
  }

  /// Whether black reads better on this colour than white does.
  public var isLight: Bool {
    299 * Int(red) + 587 * Int(green) + 114 * Int(blue) > 140_000
  }
}
