import Geometry

extension ByteImage {
  /// The image seen through a perspective map.
  ///
  /// Each target pixel is the mean of what it covers where the image shrinks (samples of the halving that still has a pixel
  /// for each target pixel, at most 8 x 8 of them), linear between pixels where it grows; a map that moves pixels onto
  /// pixels changes none. Beyond the border, the nearest border pixel is seen.
  ///
  /// - Parameter toSource: carries points of the target to points of this image.
  /// - Precondition: the image has pixels; the size is not negative.
  /// - Complexity: O(pixels + target pixels * samples of each). Memory: 11 bytes a grey pixel, 21 a colour one.
  public func warped(by toSource: Homography, to size: PixelSize) -> ByteImage {
    precondition(width > 0 && height > 0, "an empty image shows nothing")
    precondition(size.width >= 0 && size.height >= 0)
    let values = SamplingPyramid(self, coverage: nil).sampled(
      toSource, columns: 0..<size.width, rows: 0..<size.height, border: .replicate)
    let count = size.width * size.height
    let channels = channelCount
    let pixels = [UInt8](unsafeUninitializedCapacity: count * channels) { buffer, filled in
      filled = count * channels
      for index in 0..<count {
        for channel in 0..<channels {
          buffer[index * channels + channel] = UInt8(max(0, min(255, values[channel * count + index])) + 0.5)
        }
      }
    }
    return ByteImage(width: size.width, height: size.height, channelCount: channels, pixels: pixels)
  }

  /// The image with every value changed alike.
  public func toned(by tone: ToneChange) -> ByteImage {
    guard tone != .none else { return self }
    let table = (0..<256).map { UInt8(tone.apply(Float($0)) + 0.5) }
    var copy = self
    copy.pixels = pixels.map { table[Int($0)] }
    return copy
  }
}

/// A change of all values of a picture: brighter or darker, and its negative.
public struct ToneChange: Hashable, Codable, Sendable {
  /// Added to each value, which then is kept within 0...255.
  public var shift: Double
  /// Whether the negative is taken after that: 255 less the value.
  public var isInverted: Bool

  public init(shift: Double = 0, isInverted: Bool = false) {
    self.shift = shift
    self.isInverted = isInverted
  }

  public static let none = ToneChange()

  func apply(_ value: Float) -> Float {
    let level = max(0, min(255, value + Float(shift)))
    return isInverted ? 255 - level : level
  }
}
