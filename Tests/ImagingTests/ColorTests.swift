import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@Suite("Colour and smoothing")
struct ColorTests {
  @Test("Luma has OpenCV's bytes")
  func luma() throws {
    let fixtures = try Fixtures.load()
    #expect(fixtures.sourceImage.grey() == fixtures.lumaImage)
    #expect(fixtures.lumaImage.grey() == fixtures.lumaImage)
  }

  @Test("Grey to RGB and back changes nothing")
  func greyAndBack() {
    let ramp = ByteImage(width: 256, height: 1, channelCount: 1, pixels: (0...255).map(UInt8.init))
    #expect(ramp.rgb().grey() == ramp)
    #expect(ramp.rgb().rgb() == ramp.rgb())
  }

  @Test("Floats hold bytes over 255 in planes, and come back")
  func floatsAndBack() {
    let image = ByteImage(width: 2, height: 1, channelCount: 3, pixels: [0, 51, 255, 102, 204, 153])
    let float = FloatImage(image)
    #expect(float.values == [0, 0.4, 0.2, 0.8, 1, 0.6])
    var random = RandomStream(seed: 1)
    for channels in [1, 3] {
      let noise = randomImage(width: 37, height: 21, channelCount: channels, using: &random)
      #expect(FloatImage(noise).bytes() == noise)
    }
    #expect(
      FloatImage(width: 4, height: 1, channelCount: 1, values: [-1, 2, .nan, .infinity]).bytes().pixels
        == [0, 255, 0, 255])
  }

  @Test("L*u*v* agrees with scikit-image", arguments: TransferFunction.allCases)
  func luv(transfer: TransferFunction) throws {
    let fixtures = try Fixtures.load()
    let expected = floats(try #require(fixtures.luv[transfer.rawValue]))
    let ours = FloatImage(fixtures.sourceImage).luv(transfer: transfer)
    let area = ours.width * ours.height
    var worst: Float = 0
    for i in 0..<area {
      worst = max(worst, abs(ours.values[i] * 270 - expected[3 * i]))
      worst = max(worst, abs(ours.values[area + i] * 270 - 88 - expected[3 * i + 1]))
      worst = max(worst, abs(ours.values[2 * area + i] * 270 - 134 - expected[3 * i + 2]))
    }
    // Units of L*: scikit-image's white point is rounded differently in the fourth digit.
    #expect(worst < 0.05)
  }

  @Test("Black, white and greys of L*u*v*")
  func luvGreys() {
    let greys = FloatImage(width: 3, height: 1, channelCount: 3, values: [0, 1, 0.5, 0, 1, 0.5, 0, 1, 0.5])
    let luv = greys.luv().values
    #expect(luv[0] == 0)
    #expect(abs(luv[1] - 100.0 / 270) < 1e-5)
    for i in 0..<3 {
      #expect(abs(luv[3 + i] - 88.0 / 270) < 1e-4)
      #expect(abs(luv[6 + i] - 134.0 / 270) < 1e-4)
    }
    var random = RandomStream(seed: 2)
    let all = FloatImage(randomImage(width: 90, height: 90, channelCount: 3, using: &random)).luv()
    #expect(all.values.allSatisfy { (0...1).contains($0) })
  }

  @Test("[1 2 1] / 4 by hand, with the border repeated")
  func triangleByHand() {
    let row = FloatImage(width: 3, height: 1, channelCount: 1, values: [0, 1, 0])
    #expect(row.triangleFiltered().values == [0.25, 0.5, 0.25])
    #expect(row.triangleFiltered(p: 0).values == [0.5, 0, 0.5])
    let edge = FloatImage(width: 1, height: 3, channelCount: 1, values: [4, 0, 0])
    #expect(edge.triangleFiltered().values == [3, 1, 0])
  }

  @Test("Smoothing agrees with a plain double loop on every plane", arguments: testSeeds)
  func triangleOracle(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    let (width, height) = (1 + random.index(below: 12), 1 + random.index(below: 12))
    let p = Float(random.uniform(in: 0..<4))
    let image = FloatImage(
      width: width, height: height, channelCount: 2,
      values: (0..<2 * width * height).map { _ in Float(random.uniform()) })
    var expected: [Float] = []
    let weights = [1 / (2 + p), p / (2 + p), 1 / (2 + p)]
    for plane in 0..<2 {
      for y in 0..<height {
        for x in 0..<width {
          var sum: Float = 0
          for dy in -1...1 {
            for dx in -1...1 {
              let at = (plane * height + min(max(y + dy, 0), height - 1)) * width + min(max(x + dx, 0), width - 1)
              sum += weights[dy + 1] * weights[dx + 1] * image.values[at]
            }
          }
          expected.append(sum)
        }
      }
    }
    #expect(try #require(largestDifference(image.triangleFiltered(p: p).values, expected)) < 1e-6, "seed \(seed)")
  }
}
