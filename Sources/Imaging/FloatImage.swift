import Geometry

/// An image of floats in planes: `channelCount` planes one after the other, each row-major without padding.
///
/// Values are in 0...1 unless a function says otherwise.
public struct FloatImage: Hashable, Sendable {
  public let width: Int
  public let height: Int
  public let channelCount: Int
  /// `channelCount * height * width` values: column fastest, then row, then plane.
  public var values: [Float]

  /// - Precondition: sizes are not negative and `values` has the size that they give.
  public init(width: Int, height: Int, channelCount: Int, values: [Float]) {
    precondition(width >= 0 && height >= 0 && channelCount >= 1)
    precondition(
      values.count == width * height * channelCount,
      "\(width) x \(height) x \(channelCount) values expected, got \(values.count)")
    self.width = width
    self.height = height
    self.channelCount = channelCount
    self.values = values
  }

  public var size: PixelSize { PixelSize(width: width, height: height) }
}
