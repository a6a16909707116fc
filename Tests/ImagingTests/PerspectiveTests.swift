import Execution
import Foundation
import Geometry
import TestSupport
import Testing

@testable import Imaging

@Suite("Perspective")
struct PerspectiveTests {
  @Test("What moves pixels onto pixels changes none, and repeats the border")
  func wholePixels() {
    var random = RandomStream(seed: 4)
    for channels in [1, 3] {
      let image = randomImage(width: 13, height: 9, channelCount: channels, using: &random)
      #expect(image.warped(by: .identity, to: image.size) == image)
      let moved = image.warped(by: .translation(x: -3, y: 4), to: PixelSize(width: 15, height: 12))
      #expect(moved == image.crop(x: -3, y: 4, width: 15, height: 12))
      let mirror = Homography(-1, 0, 13, 0, 1, 0, 0, 0, 1)
      #expect(image.warped(by: mirror, to: image.size) == image.mirrored())
    }
  }

  @Test("Half the size is the mean of four pixels")
  func halved() {
    let image = ByteImage(width: 4, height: 2, channelCount: 1, pixels: [0, 10, 100, 104, 20, 30, 108, 112])
    let half = Homography(2, 0, 0, 0, 2, 0, 0, 0, 1)
    // Both ways: from the halving (for a picture that has one), and from four samples of the picture itself.
    #expect(image.warped(by: half, to: PixelSize(width: 2, height: 1)).pixels == [15, 106])
    let larger = noiseImage(width: 40, height: 20, channelCount: 1, seed: 3)
    let small = larger.warped(by: half, to: PixelSize(width: 20, height: 10))
    let difference = largestDifference(small.pixels, larger.resized(to: small.size, method: .area).pixels)
    #expect((difference ?? 255) <= 1)
  }

  @Test("One colour stays one colour, however it is turned", arguments: testSeeds)
  func constant(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let image = ByteImage(
      width: 31, height: 17, channelCount: 3, pixels: Array(repeating: [9, 130, 255], count: 527).flatMap { $0 })
    let map = Homography.view(
      rotation: (random.uniform(in: -1..<1), random.uniform(in: -1..<1), random.uniform(in: -3..<3)), distance: 80)
    let warped = image.warped(by: map, to: PixelSize(width: 20, height: 20))
    #expect(warped.pixels == Array(repeating: [9, 130, 255], count: 400).flatMap { $0 }, "seed \(seed)")
  }

  @Test("Agrees with many samples of each pixel", arguments: testSeeds)
  func oracle(seed: UInt64) throws {
    var random = RandomStream(seed: seed, stream: 3)
    // Waves, so that the picture has no detail that only some samples hit.
    let pixels = (0..<3000).map { index -> UInt8 in
      let x = Double(index % 60)
      let y = Double(index / 60)
      let wave: Double = 60 * sin(x / 5) + 60 * cos(y / 4 + x / 9)
      return UInt8(127 + wave)
    }
    let image = ByteImage(width: 60, height: 50, channelCount: 1, pixels: pixels)
    let map = Homography.map(Box(x: 0, y: 0, width: 16, height: 14), onto: Box(x: -25, y: -20, width: 50, height: 40))
      .followed(
        by: .view(
          rotation: (random.uniform(in: -0.8..<0.8), random.uniform(in: -0.8..<0.8), random.uniform(in: -1..<1)),
          distance: 120)
      ).followed(by: .translation(x: 30, y: 25))
    let warped = image.warped(by: map, to: PixelSize(width: 16, height: 14))
    var total = 0.0
    for row in 0..<14 {
      for column in 0..<16 {
        var sum = 0.0
        for part in 0..<256 {
          let x = Double(column) + (Double(part % 16) + 0.5) / 16
          let y = Double(row) + (Double(part / 16) + 0.5) / 16
          let point = try #require(map.apply(Point(x: x, y: y)))
          let pixel = image.crop(
            Box(x: point.x - 0.5, y: point.y - 0.5, width: 1, height: 1), to: PixelSize(width: 1, height: 1),
            method: .bilinear)
          sum += Double(pixel.pixels[0]) / 256
        }
        let difference = abs(Double(warped.pixels[row * 16 + column]) - sum)
        total += difference
        #expect(difference <= 8, "seed \(seed), \(column), \(row)")
      }
    }
    // A halving is a little smoother than the mean over a pixel.
    #expect(total / 224 <= 2, "seed \(seed)")
  }

  @Test("A fine chequer becomes grey, not another pattern")
  func antialiased() {
    let board = ByteImage(
      width: 96, height: 96, channelCount: 1, pixels: (0..<96 * 96).map { ($0 / 96 + $0) % 2 == 0 ? 0 : 255 })
    let map = Homography.map(Box(x: 0, y: 0, width: 8, height: 8), onto: Box(x: -30, y: -30, width: 60, height: 60))
      .followed(by: .view(rotation: (0.6, 0.3, 0.4), distance: 150)).followed(by: .translation(x: 48, y: 48))
    #expect(board.warped(by: map, to: PixelSize(width: 8, height: 8)).pixels.allSatisfy { abs(Int($0) - 127) <= 16 })
  }

  private struct Record: Decodable {
    struct Case: Decodable {
      var name: String
      var width: Int
      var height: Int
      var map: [Double]
      var pixels: Data
    }
    var producer: String
    var tolerance: Int
    var width: Int
    var height: Int
    var pixels: Data
    var cases: [Case]
  }

  @Test("OpenCV sees the same, where the picture is enlarged")
  func golden() throws {
    let record = try Fixture.decode(Record.self, "Imaging/perspective.json")
    let image = ByteImage(width: record.width, height: record.height, channelCount: 1, pixels: [UInt8](record.pixels))
    #expect(record.cases.count == 3)
    for item in record.cases {
      let m = item.map
      let map = Homography(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
      let warped = image.warped(by: map, to: PixelSize(width: item.width, height: item.height))
      let difference = try #require(largestDifference(warped.pixels, [UInt8](item.pixels)))
      #expect(difference <= record.tolerance, "\(item.name): \(difference), \(record.producer)")
    }
  }

  @Test("Extremes of map and size do no harm")
  func extremes() {
    let image = noiseImage(width: 5, height: 1, channelCount: 1, seed: 1)
    let size = PixelSize(width: 3, height: 3)
    for map in [
      Homography(1e12, 0, 0, 0, 1e12, 0, 0, 0, 1), Homography(0, 0, 2, 0, 0, 0, 0, 0, 1),
      Homography(1, 0, 0, 0, 1, 0, -1, -1, 1), Homography(1, 0, -1e300, 0, 1, 1e300, 0, 0, 1),
    ] {
      #expect(image.warped(by: map, to: size).size == size)
      let placed = CutOut(image).placed(
        on: ByteImage(width: 3, height: 3, channelCount: 1, filledWith: 7), by: map)
      #expect(placed.image.size == size)
    }
    #expect(image.warped(by: .identity, to: PixelSize(width: 0, height: 4)).pixels.isEmpty)
  }
}
