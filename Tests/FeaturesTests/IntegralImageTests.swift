import Execution
import Features
import Imaging
import TestSupport
import Testing

struct IntegralImageTests {
  @Test func sumsOfASmallImageByHand() {
    let image = ByteImage(width: 3, height: 2, channelCount: 1, pixels: [1, 2, 3, 4, 5, 6])
    #expect(IntegralImage(image).sums == [0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 21])
    #expect(SquaredIntegralImage(image).sums == [0, 0, 0, 0, 0, 1, 5, 14, 0, 17, 46, 91])
    // Row 2: the tips are pixels (-1, 1), (0, 1), (1, 1), (2, 1).
    #expect(TiltedIntegralImage(image).sums == [0, 0, 0, 0, 0, 1, 2, 3, 1, 7, 11, 11])
  }

  @Test(arguments: Golden.all("integral"))
  func equalsOpenCV(golden: Golden) throws {
    let image = patternImage(width: golden.width, height: golden.height, channelCount: 1, seed: golden.seed)
    let expected = try golden.values()
    let sums: [Float]
    switch golden.name.split(separator: "-").last {
    case "sums": sums = IntegralImage(image).sums.map { Float($0) }
    case "squares": sums = SquaredIntegralImage(image).sums.map { Float($0) }
    default: sums = TiltedIntegralImage(image).sums.map { Float($0) }
    }
    #expect(sums == expected)
  }

  @Test func goldensAreThere() { #expect(Golden.all("integral").count == 3) }

  @Test(arguments: testSeeds)
  func boxesEqualPlainSums(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let width = 1 + random.index(below: 40)
    let height = 1 + random.index(below: 40)
    let image = noiseImage(width: width, height: height, channelCount: 1, seed: seed)
    let sums = IntegralImage(image)
    let squares = SquaredIntegralImage(image)
    for _ in 0..<50 {
      let x = random.index(below: width + 1)
      let y = random.index(below: height + 1)
      let w = random.index(below: width - x + 1)
      let h = random.index(below: height - y + 1)
      var sum: UInt64 = 0
      var square: UInt64 = 0
      for row in y..<y + h {
        for column in x..<x + w {
          let value = UInt64(image.pixels[row * width + column])
          sum += value
          square += value * value
        }
      }
      #expect(sums.sum(x: x, y: y, width: w, height: h) == sum, "seed \(seed)")
      #expect(squares.sum(x: x, y: y, width: w, height: h) == square, "seed \(seed)")
    }
  }

  @Test(arguments: testSeeds)
  func tiltedSumsEqualTheirDefinition(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let width = 1 + random.index(below: 14)
    let height = 1 + random.index(below: 14)
    let image = noiseImage(width: width, height: height, channelCount: 1, seed: seed)
    let tilted = TiltedIntegralImage(image)
    for row in 0...height {
      for column in 0...width {
        var sum: UInt32 = 0
        for y in 0..<row {
          for x in 0..<width where abs(x - column + 1) <= row - y - 1 { sum += UInt32(image.pixels[y * width + x]) }
        }
        #expect(tilted.sums[row * tilted.stride + column] == sum, "seed \(seed), \(row), \(column)")
      }
    }
  }

  @Test func tiltedBoxCoversItsPixels() {
    // Of a constant image, a tilted box holds 2 w h pixels, wherever it lies.
    let image = ByteImage(width: 20, height: 17, channelCount: 1, filledWith: 3)
    let tilted = TiltedIntegralImage(image)
    for (x, y, w, h) in [(5, 0, 4, 5), (9, 2, 6, 7), (1, 3, 10, 1), (12, 1, 0, 3), (3, 14, 1, 2)] {
      #expect(tilted.sum(x: x, y: y, width: w, height: h) == UInt64(3 * 2 * w * h))
    }
  }

  /// 25 million white pixels: their sum is beyond 32 bits, and their squares' far beyond.
  @Test func largeBrightImageDoesNotOverflow() {
    let image = ByteImage(width: 5000, height: 5000, channelCount: 1, filledWith: 255)
    #expect(IntegralImage(image).sum(x: 0, y: 0, width: 5000, height: 5000) == 25_000_000 * 255)
    #expect(IntegralImage(image).sum(x: 1, y: 2, width: 4999, height: 4998) == 4999 * 4998 * 255)
    #expect(SquaredIntegralImage(image).sum(x: 0, y: 0, width: 5000, height: 5000) == 25_000_000 * 255 * 255)
    let tilted = TiltedIntegralImage(image)
    #expect(tilted.sum(x: 2500, y: 0, width: 2500, height: 2500) == 2 * 2500 * 2500 * 255)
    #expect(tilted.sum(x: 2400, y: 10, width: 2300, height: 2400) == 2 * 2300 * 2400 * 255)
  }

  @Test func emptyImagesHaveZeroSums() {
    for (width, height) in [(0, 0), (0, 5), (5, 0)] {
      let image = ByteImage(width: width, height: height, channelCount: 1, pixels: [])
      let zeros = (width + 1) * (height + 1)
      #expect(IntegralImage(image).sums == [UInt32](repeating: 0, count: zeros))
      #expect(SquaredIntegralImage(image).sums == [UInt64](repeating: 0, count: zeros))
      #expect(TiltedIntegralImage(image).sums == [UInt32](repeating: 0, count: zeros))
    }
  }
}
