import Geometry

/// A decoded image of bytes: grey (1 channel) or RGB (3 channels, interleaved), row after row without padding.
public struct ByteImage: Hashable, Sendable {
  public let width: Int
  public let height: Int
  /// 1 for grey, 3 for red, green, blue.
  public let channelCount: Int
  /// `height * width * channelCount` bytes: channel fastest, then column, then row.
  public var pixels: [UInt8]

  /// - Precondition: sizes are not negative, `channelCount` is 1 or 3, and `pixels` has the size that they give.
  public init(width: Int, height: Int, channelCount: Int, pixels: [UInt8]) {
    precondition(width >= 0 && height >= 0 && (channelCount == 1 || channelCount == 3))
    precondition(
      pixels.count == width * height * channelCount,
      "\(width) x \(height) x \(channelCount) bytes expected, got \(pixels.count)")
    self.width = width
    self.height = height
    self.channelCount = channelCount
    self.pixels = pixels
  }

  /// An image of one value.
  public init(width: Int, height: Int, channelCount: Int, filledWith value: UInt8) {
    self.init(
      width: width, height: height, channelCount: channelCount,
      pixels: Array(repeating: value, count: width * height * channelCount))
  }

  public var size: PixelSize { PixelSize(width: width, height: height) }
}
