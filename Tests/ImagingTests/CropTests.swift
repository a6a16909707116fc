import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@Suite("Crops")
struct CropTests {
  @Test("Pixels within and beyond the border, by hand")
  func byHand() {
    let image = ByteImage(width: 3, height: 2, channelCount: 1, pixels: [1, 2, 3, 4, 5, 6])
    #expect(image.crop(x: 1, y: 0, width: 2, height: 2).pixels == [2, 3, 5, 6])
    #expect(image.crop(x: -2, y: -1, width: 4, height: 2).pixels == [1, 1, 1, 2, 1, 1, 1, 2])
    #expect(image.crop(x: 2, y: 1, width: 3, height: 2).pixels == [6, 6, 6, 6, 6, 6])
    #expect(image.crop(x: 900, y: -900, width: 2, height: 1).pixels == [3, 3])
    #expect(image.crop(x: 0, y: 0, width: 0, height: 5).pixels.isEmpty)
  }

  @Test("Every pixel is the nearest one of the image", arguments: testSeeds)
  func oracle(seed: UInt64) {
    var random = RandomStream(seed: seed)
    for channels in [1, 3] {
      let image = randomImage(width: 7, height: 5, channelCount: channels, using: &random)
      let (x, y) = (random.index(below: 21) - 10, random.index(below: 17) - 8)
      let (width, height) = (1 + random.index(below: 20), 1 + random.index(below: 20))
      let crop = image.crop(x: x, y: y, width: width, height: height)
      for row in 0..<height {
        for column in 0..<width {
          let from = (min(max(y + row, 0), 4) * 7 + min(max(x + column, 0), 6)) * channels
          let to = (row * width + column) * channels
          #expect(crop.pixels[to..<to + channels] == image.pixels[from..<from + channels], "seed \(seed)")
        }
      }
    }
  }

  @Test("A box on whole pixels at scale 1 is the plain crop", arguments: ResizeMethod.allCases)
  func wholePixels(method: ResizeMethod) {
    var random = RandomStream(seed: 3)
    let image = randomImage(width: 20, height: 15, channelCount: 3, using: &random)
    for (x, y) in [(0, 0), (4, 3), (-6, -2), (15, 12), (-40, 30)] {
      let box = Box(x: Double(x), y: Double(y), width: 9, height: 7)
      let resampled = image.crop(box, to: PixelSize(width: 9, height: 7), method: method)
      #expect(resampled == image.crop(x: x, y: y, width: 9, height: 7))
    }
  }

  @Test("The whole image as a box is the resized image")
  func wholeImage() throws {
    var random = RandomStream(seed: 4)
    let image = randomImage(width: 41, height: 33, channelCount: 3, using: &random)
    let small = PixelSize(width: 16, height: 12)
    #expect(image.crop(Box(image.size), to: small) == image.resized(to: small, method: .area))
    for size in [small, PixelSize(width: 60, height: 70)] {
      let crop = image.crop(Box(image.size), to: size, method: .bilinear)
      #expect(try #require(largestDifference(crop.pixels, image.resized(to: size).pixels)) <= 1)
    }
  }

  @Test("Boxes beyond the border: as if the image had been padded first", arguments: testSeeds)
  func padding(seed: UInt64) throws {
    var random = RandomStream(seed: seed, stream: 2)
    let image = randomImage(width: 12, height: 9, channelCount: 1, using: &random)
    let padded = image.crop(x: -30, y: -30, width: 72, height: 69)
    let box = Box(
      x: random.uniform(in: -25..<25), y: random.uniform(in: -25..<25), width: random.uniform(in: 0.5..<12),
      height: random.uniform(in: 0.5..<12))
    let size = PixelSize(width: 1 + random.index(below: 12), height: 1 + random.index(below: 12))
    for method in ResizeMethod.allCases {
      let a = image.crop(box, to: size, method: method)
      let b = padded.crop(box.translated(x: 30, y: 30), to: size, method: method)
      #expect(try #require(largestDifference(a.pixels, b.pixels)) <= 1, "seed \(seed) \(method) \(box) \(size)")
    }
  }

  @Test("Shrinking averages: a fine checkerboard becomes grey")
  func antialiased() {
    let board = ByteImage(
      width: 64, height: 64, channelCount: 1, pixels: (0..<64 * 64).map { ($0 / 64 + $0) % 2 == 0 ? 0 : 255 })
    let crop = board.crop(Box(x: 3.3, y: 5.7, width: 48, height: 48), to: PixelSize(width: 6, height: 6))
    #expect(crop.pixels.allSatisfy { abs(Int($0) - 127) <= 4 })
  }

  @Test("Boxes far away and very large do no harm")
  func extremes() {
    var random = RandomStream(seed: 9)
    let image = randomImage(width: 10, height: 8, channelCount: 3, using: &random)
    let size = PixelSize(width: 4, height: 4)
    for method in ResizeMethod.allCases {
      let far = image.crop(Box(x: 1e12, y: -1e12, width: 1e-3, height: 1e-3), to: size, method: method)
      let corner = Array(image.pixels[27..<30])
      #expect(far.pixels == Array(repeating: corner, count: 16).flatMap { $0 })
      let huge = image.crop(Box(x: -1e15, y: -1e15, width: 2e15, height: 2e15), to: size, method: method)
      #expect(huge.size == size)
    }
  }
}
