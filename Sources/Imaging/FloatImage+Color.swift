import Foundation

extension FloatImage {
  /// The same picture with values in 0...1 (bytes over 255) and the channels in planes.
  public init(_ image: ByteImage) {
    let (width, height, channels) = (image.width, image.height, image.channelCount)
    let area = width * height
    let values = [Float](unsafeUninitializedCapacity: area * channels) { buffer, filled in
      filled = area * channels
      guard filled > 0 else { return }
      image.pixels.withUnsafeBufferPointer { source in
        let p = source.baseAddress!
        // Division, not a product with 1/255: 255 becomes 1 exactly and every value is the nearest Float.
        for c in 0..<channels {
          let plane = buffer.baseAddress! + c * area
          for i in 0..<area { plane[i] = Float(p[i * channels + c]) / 255 }
        }
      }
    }
    self.init(width: width, height: height, channelCount: channels, values: values)
  }

  /// Bytes of an image of 1 or 3 channels in 0...1: times 255, rounded; values outside are clamped, NaN becomes 0.
  ///
  /// - Precondition: 1 or 3 channels.
  public func bytes() -> ByteImage {
    precondition(channelCount == 1 || channelCount == 3, "1 or 3 channels expected, got \(channelCount)")
    let area = width * height
    let pixels = [UInt8](unsafeUninitializedCapacity: area * channelCount) { buffer, filled in
      filled = area * channelCount
      values.withUnsafeBufferPointer { p in
        for c in 0..<channelCount {
          for i in 0..<area {
            let value = p[c * area + i]
            buffer[i * channelCount + c] = value > 0 ? UInt8(min(value, 1) * 255 + 0.5) : 0
          }
        }
      }
    }
    return ByteImage(width: width, height: height, channelCount: channelCount, pixels: pixels)
  }

  /// One plane of BT.601 luma, `0.299 R + 0.587 G + 0.114 B`; a grey image comes back as it is.
  ///
  /// - Precondition: 1 or 3 channels.
  public func grey() -> FloatImage {
    precondition(channelCount == 1 || channelCount == 3, "1 or 3 channels expected, got \(channelCount)")
    guard channelCount == 3 else { return self }
    let area = width * height
    let luma = [Float](unsafeUninitializedCapacity: area) { buffer, filled in
      filled = area
      guard area > 0 else { return }
      values.withUnsafeBufferPointer { source in
        let p = source.baseAddress!
        for i in 0..<area { buffer[i] = 0.299 * p[i] + 0.587 * p[area + i] + 0.114 * p[2 * area + i] }
      }
    }
    return FloatImage(width: width, height: height, channelCount: 1, values: luma)
  }
}
