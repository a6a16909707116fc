/// A Haar feature: the weighted sum of two or three boxes of pixels in a detection window (Viola and Jones 2001),
/// upright or turned by 45 degrees (Lienhart and Maydt 2002).
public struct HaarFeature: Hashable, Sendable {
  /// A box of whole pixels in the window, and what its sum is multiplied by.
  ///
  /// Where the feature is tilted, (`x`, `y`) is the top corner of the turned box, which extends `width` pixels down to the
  /// right and `height` pixels down to the left, as `TiltedIntegralImage` sums it.
  public struct WeightedBox: Hashable, Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int
    public var weight: Float

    public init(x: Int, y: Int, width: Int, height: Int, weight: Float) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
      self.weight = weight
    }
  }

  /// Two or three boxes; the first is the whole, the others are what is taken again from it.
  public var boxes: [WeightedBox]
  public var isTilted: Bool

  public init(boxes: [WeightedBox], isTilted: Bool = false) {
    self.boxes = boxes
    self.isTilted = isTilted
  }
}
