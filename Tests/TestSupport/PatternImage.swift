import Execution
import Imaging

/// Triangle waves, a chequer and noise in whole numbers: the image that `Tests/Fixtures/Features/generate.py` makes.
public func patternImage(width: Int, height: Int, channelCount: Int, seed: UInt32) -> ByteImage {
  var state = seed
  var pixels: [UInt8] = []
  pixels.reserveCapacity(width * height * channelCount)
  for y in 0..<height {
    for x in 0..<width {
      for channel in 0..<channelCount {
        state = state &* 1_664_525 &+ 1_013_904_223
        let phase = (x * (2 + channel) + y * (3 - channel)) % 360
        let wave = phase < 180 ? phase : 360 - phase
        let chequer = ((x >> 3) ^ (y >> 3)) & 1 == 1 ? 60 : 0
        pixels.append(UInt8(min(255, wave + chequer + Int(state >> 26))))
      }
    }
  }
  return ByteImage(width: width, height: height, channelCount: channelCount, pixels: pixels)
}

/// Independent bytes, each value as likely as any other.
public func noiseImage(width: Int, height: Int, channelCount: Int, seed: UInt64) -> ByteImage {
  var random = RandomStream(seed: seed)
  return ByteImage(
    width: width, height: height, channelCount: channelCount,
    pixels: (0..<width * height * channelCount).map { _ in UInt8(truncatingIfNeeded: random.next() >> 20) })
}

/// An image mirrored left to right.
public func mirroredImage(_ image: ByteImage) -> ByteImage {
  var copy = image
  for y in 0..<image.height {
    for x in 0..<image.width {
      for channel in 0..<image.channelCount {
        copy.pixels[(y * image.width + x) * image.channelCount + channel] =
          image.pixels[(y * image.width + image.width - 1 - x) * image.channelCount + channel]
      }
    }
  }
  return copy
}
