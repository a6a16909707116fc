extension ByteImage {
  /// One channel of luma: `(9798 R + 19235 G + 3735 B + 16384) >> 15`, the weights of ITU-R BT.601 in 15 bits.
  ///
  /// The same integers as OpenCV's `cvtColor(RGB2GRAY)` of 8-bit images, so the bytes agree. A grey image comes back as
  /// it is.
  public func grey() -> ByteImage {
    guard channelCount == 3 else { return self }
    let count = width * height
    let luma = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = count
      pixels.withUnsafeBufferPointer { source in
        guard count > 0 else { return }
        let p = source.baseAddress!
        let q = buffer.baseAddress!
        for i in 0..<count {
          let sum = 9798 * UInt32(p[3 * i]) + 19235 * UInt32(p[3 * i + 1]) + 3735 * UInt32(p[3 * i + 2])
          q[i] = UInt8(truncatingIfNeeded: (sum + 16384) >> 15)
        }
      }
    }
    return ByteImage(width: width, height: height, channelCount: 1, pixels: luma)
  }

  /// Three equal channels from a grey image; an RGB image comes back as it is.
  public func rgb() -> ByteImage {
    guard channelCount == 1 else { return self }
    let count = width * height
    let colors = [UInt8](unsafeUninitializedCapacity: 3 * count) { buffer, filled in
      filled = 3 * count
      pixels.withUnsafeBufferPointer { p in
        for i in 0..<count {
          buffer[3 * i] = p[i]
          buffer[3 * i + 1] = p[i]
          buffer[3 * i + 2] = p[i]
        }
      }
    }
    return ByteImage(width: width, height: height, channelCount: 3, pixels: colors)
  }
}
