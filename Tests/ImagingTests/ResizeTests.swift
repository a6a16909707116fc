import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@Suite("Resizing")
struct ResizeTests {
  @Test("Within one level of OpenCV's INTER_LINEAR and INTER_AREA; Float within 1e-5")
  func openCV() throws {
    let fixtures = try Fixtures.load()
    #expect(fixtures.resizes.count == 24)
    for record in fixtures.resizes {
      let source = record.channels == 1 ? fixtures.lumaImage : fixtures.sourceImage
      let size = PixelSize(width: record.width, height: record.height)
      let ours = source.resized(to: size, method: record.method)
      let difference = try #require(largestDifference(ours.pixels, [UInt8](record.pixels)))
      #expect(difference <= 1, "\(record.method) \(size) \(record.channels)")
      guard let expected = record.float else { continue }
      let precise = FloatImage(source).resized(to: size, method: record.method)
      #expect(try #require(largestDifference(precise.values, floats(expected))) < 1e-5, "\(record.method) \(size)")
    }
  }

  @Test("By hand: the middle of two pixels, and the mean of four")
  func byHand() {
    let pair = ByteImage(width: 2, height: 1, channelCount: 1, pixels: [10, 20])
    #expect(pair.resized(to: PixelSize(width: 4, height: 1)).pixels == [10, 13, 18, 20])
    let four = ByteImage(width: 2, height: 2, channelCount: 1, pixels: [10, 20, 30, 44])
    #expect(four.resized(to: PixelSize(width: 1, height: 1)).pixels == [26])
    #expect(four.resized(to: PixelSize(width: 1, height: 1), method: .area).pixels == [26])
    // Three pixels to two: each target takes one and a half.
    let three = ByteImage(width: 3, height: 1, channelCount: 1, pixels: [0, 90, 255])
    #expect(three.resized(to: PixelSize(width: 2, height: 1), method: .area).pixels == [30, 200])
  }

  @Test("Halving is the mean of four, rounded half up, for both methods", arguments: [1, 3])
  func halving(channels: Int) {
    var random = RandomStream(seed: 12)
    let image = randomImage(width: 46, height: 20, channelCount: channels, using: &random)
    let expected = (0..<23 * 10 * channels).map { i -> UInt8 in
      let (x, y, c) = (i / channels % 23, i / channels / 23, i % channels)
      let sum = [(0, 0), (1, 0), (0, 1), (1, 1)].reduce(2) {
        $0 + Int(image.pixels[((2 * y + $1.1) * 46 + 2 * x + $1.0) * channels + c])
      }
      return UInt8(sum / 4)
    }
    for method in ResizeMethod.allCases {
      #expect(image.resized(to: PixelSize(width: 23, height: 10), method: method).pixels == expected)
    }
  }

  @Test("Resized into a frame: the same bytes as resizing and then cropping, whatever the memory held before")
  func framed() {
    var random = RandomStream(seed: 77)
    var target = ByteImage(width: 0, height: 0, channelCount: 1, pixels: [])
    for step in 0..<60 {
      let channels = step % 2 == 0 ? 3 : 1
      let source = randomImage(
        width: 1 + random.index(below: 40), height: 1 + random.index(below: 30), channelCount: channels, using: &random)
      // Among the sizes: the image's own and half of it, which have ways of their own.
      var size = PixelSize(width: 1 + random.index(below: 50), height: 1 + random.index(below: 40))
      if step % 5 == 0 { size = source.size }
      if step % 5 == 1, source.width > 1, source.height > 1 {
        size = PixelSize(width: source.width / 2, height: source.height / 2)
      }
      let (left, top) = (random.index(below: 3), random.index(below: 3))
      let frame = PixelSize(
        width: left + size.width + random.index(below: 9), height: top + size.height + random.index(below: 9))
      target.setToResized(source, size: size, left: left, top: top, frame: frame)
      let expected = source.resized(to: size).crop(x: -left, y: -top, width: frame.width, height: frame.height)
      #expect(target == expected, "seed 77, step \(step): \(source.size) to \(size) at \(left), \(top) in \(frame)")
    }
  }

  @Test("A constant image stays constant at every size", arguments: ResizeMethod.allCases)
  func constant(method: ResizeMethod) {
    for value: UInt8 in [0, 1, 127, 254, 255] {
      for (width, height) in [(1, 1), (2, 7), (19, 5), (64, 64)] {
        for channels in [1, 3] {
          let image = ByteImage(width: width, height: height, channelCount: channels, filledWith: value)
          for target in [(1, 1), (3, 2), (40, 50), (64, 5)] {
            let out = image.resized(to: PixelSize(width: target.0, height: target.1), method: method)
            #expect(out.pixels.allSatisfy { $0 == value })
          }
        }
      }
    }
  }

  @Test("The mirror image resizes to the mirror image, within rounding", arguments: testSeeds)
  func mirror(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    let image = randomImage(
      width: 5 + random.index(below: 40), height: 5 + random.index(below: 40), channelCount: 3, using: &random)
    let size = PixelSize(width: 1 + random.index(below: 60), height: 1 + random.index(below: 60))
    for method in ResizeMethod.allCases {
      let a = image.mirrored().resized(to: size, method: method)
      let b = image.resized(to: size, method: method).mirrored()
      #expect(try #require(largestDifference(a.pixels, b.pixels)) <= 1, "seed \(seed)")
    }
  }

  @Test("Agrees with a plain evaluation in Double", arguments: testSeeds)
  func oracle(seed: UInt64) throws {
    var random = RandomStream(seed: seed, stream: 1)
    for channels in [1, 3] {
      let image = randomImage(
        width: 1 + random.index(below: 33), height: 1 + random.index(below: 33), channelCount: channels, using: &random)
      let size = PixelSize(width: 1 + random.index(below: 50), height: 1 + random.index(below: 50))
      for method in ResizeMethod.allCases {
        let exact = plainResize(image, to: size, method: method)
        let ours = image.resized(to: size, method: method)
        let worst = zip(ours.pixels, exact).map { abs(Double($0) - $1) }.max() ?? 0
        // Half a level of rounding, and what 6 fractional bits lose.
        #expect(worst <= 0.5 + (method == .bilinear ? 0.05 : 1e-3), "seed \(seed) \(method) \(image.size) \(size)")
      }
    }
  }

  /// Pixel by pixel: interpolation at the target's centre, or the integral over the target's square.
  private func plainResize(_ image: ByteImage, to size: PixelSize, method: ResizeMethod) -> [Double] {
    let stepX = Double(image.width) / Double(size.width)
    let stepY = Double(image.height) / Double(size.height)
    func weights(_ i: Int, _ step: Double, _ count: Int) -> [Double] {
      var result = [Double](repeating: 0, count: count)
      if method == .bilinear {
        let position = min(max((Double(i) + 0.5) * step - 0.5, 0), Double(count - 1))
        let low = Int(position)
        result[low] += 1 - (position - Double(low))
        result[min(low + 1, count - 1)] += position - Double(low)
      } else {
        for k in 0..<count {
          let covered = min(Double(i + 1) * step, Double(k + 1)) - max(Double(i) * step, Double(k))
          result[k] = max(0, covered) / step
        }
      }
      return result
    }
    var result: [Double] = []
    for y in 0..<size.height {
      let down = weights(y, stepY, image.height)
      for x in 0..<size.width {
        let across = weights(x, stepX, image.width)
        for c in 0..<image.channelCount {
          var sum = 0.0
          for sy in 0..<image.height where down[sy] > 0 {
            for sx in 0..<image.width {
              sum += down[sy] * across[sx] * Double(image.pixels[(sy * image.width + sx) * image.channelCount + c])
            }
          }
          result.append(sum)
        }
      }
    }
    return result
  }
}
