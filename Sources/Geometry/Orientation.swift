/// How a stored image must be turned to stand upright: the EXIF tag 0x0112 (CIPA DC-008, "Orientation").
public enum Orientation: Int, Hashable, Codable, Sendable, CaseIterable {
  case up = 1
  case upMirrored = 2
  case down = 3
  case downMirrored = 4
  case leftMirrored = 5
  case right = 6
  case rightMirrored = 7
  case left = 8

  /// Whether columns and rows change places.
  public var swapsAxes: Bool { rawValue >= 5 }
}
