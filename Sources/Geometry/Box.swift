/// An axis-parallel rectangle in continuous pixel coordinates.
///
/// A box covers `[x, x + width) x [y, y + height)`; its area is `width * height`, with no "+ 1".
/// Readers of data sets convert from each format's own rule (inclusive corners, 1-based, centre-based) to this one.
public struct Box: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The box that covers a whole image.
  public init(_ size: PixelSize) {
    self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }

  public init(center: Point, width: Double, height: Double) {
    self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
  }

  public var maxX: Double { x + width }
  public var maxY: Double { y + height }
  public var center: Point { Point(x: x + width / 2, y: y + height / 2) }

  /// Square pixels; zero where a side is zero or negative.
  public var area: Double { isEmpty ? 0 : width * height }

  /// Whether the box covers nothing: a side that is zero, negative or not a number.
  public var isEmpty: Bool { !(width > 0 && height > 0) }

  /// Whether all four numbers are finite.
  public var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }

  /// Coordinates and sides beyond this many pixels are faults of whoever wrote them: no picture is so large, and products of
  /// such numbers soon are none.
  public static let magnitudeLimit = 1e9

  /// Whether all four numbers are finite and within `magnitudeLimit`.
  public var isWithinLimit: Bool {
    [x, y, width, height].allSatisfy { abs($0) <= Box.magnitudeLimit }
  }

  /// What makes a box of no use in a picture of this size; `nil` where it covers some of the picture.
  public func fault(in size: PixelSize) -> String? {
    if !isWithinLimit { return "has a number beyond 10^9 pixels" }
    if isEmpty { return "has no area" }
    if intersectionArea(Box(size)) <= 0 { return "lies outside the picture of \(size.width) x \(size.height)" }
    return nil
  }
}

extension Box: Codable {
  /// Reads `[x, y, width, height]`.
  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    x = try list.decode(Double.self)
    y = try list.decode(Double.self)
    width = try list.decode(Double.self)
    height = try list.decode(Double.self)
    guard list.isAtEnd else {
      throw DecodingError.dataCorruptedError(
        in: list, debugDescription: "a box is [x, y, width, height]: four numbers, found more")
    }
  }

  /// Writes `[x, y, width, height]`.
  public func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(x)
    try list.encode(y)
    try list.encode(width)
    try list.encode(height)
  }
}
