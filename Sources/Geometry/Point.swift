/// A position in continuous pixel coordinates: origin at the image's top left, x right, y down.
///
/// The pixel in column `c` and row `r` covers `[c, c + 1) x [r, r + 1)`, so its centre is `(c + 0.5, r + 0.5)`.
public struct Point: Hashable, Codable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// Whether both numbers are finite and within ``Box/magnitudeLimit``.
  public var isWithinLimit: Bool { abs(x) <= Box.magnitudeLimit && abs(y) <= Box.magnitudeLimit }

  /// Euclidean distance in pixels.
  public func distance(to other: Point) -> Double {
    let dx = x - other.x
    let dy = y - other.y
    return (dx * dx + dy * dy).squareRoot()
  }
}

/// A whole number of columns and rows of pixels.
public struct PixelSize: Hashable, Codable, Sendable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}
