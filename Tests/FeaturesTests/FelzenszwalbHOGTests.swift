import Execution
import Features
import Geometry
import Imaging
import TestSupport
import Testing

struct FelzenszwalbHOGTests {
  @Test(arguments: Golden.all("dlib"))
  func agreesWithDlib(golden: Golden) throws {
    let image = patternImage(
      width: golden.width, height: golden.height, channelCount: golden.channels, seed: golden.seed)
    let map = FelzenszwalbHOG(cellSize: try #require(golden.cell)).featureMap(of: image)
    let expected = try golden.values()
    let columns = map.columns - 2
    try #require((map.rows - 2) * columns * 31 == expected.count)
    let last = golden.channels == 3 ? lastColumnFree(ofDlibsOtherTies: golden, map) : columns
    try #require(last >= 1)
    var difference: Float = 0
    for row in 0..<map.rows - 2 {
      for column in 0..<last {
        for channel in 0..<31 {
          let value = expected[(row * columns + column) * 31 + channel]
          difference = max(difference, abs(map[row + 1, column + 1, channel] - value))
        }
      }
    }
    #expect(difference < golden.tolerance, "largest difference \(difference)")
  }

  /// dlib works on 8 pixels at once; in the columns left over it breaks ties between colour channels the other way.
  /// The number of its columns that those pixels do not reach, themselves or by normalisation.
  private func lastColumnFree(ofDlibsOtherTies golden: Golden, _ map: FeatureMap) -> Int {
    let cell = golden.cell ?? 8
    let visible = min(map.columns * cell, golden.width) - 1
    var pixel = 1
    while pixel < visible - 7 { pixel += 8 }
    guard pixel < visible else { return map.columns - 2 }
    return max(0, min(map.columns - 2, Int((Float(pixel) + 0.5) / Float(cell) - 2.5)))
  }

  @Test func goldensAreThere() { #expect(Golden.all("dlib").count == 9) }

  @Test(arguments: testSeeds)
  func agreesWithTheOracle(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let cell = 2 + random.index(below: 10)
    let image = noiseImage(
      width: 1 + random.index(below: 70), height: 1 + random.index(below: 70),
      channelCount: seed.isMultiple(of: 2) ? 1 : 3, seed: seed)
    expectOracle(image, cell: cell, "seed \(seed)")
  }

  @Test(arguments: [(1, 1, 2), (2, 2, 2), (3, 3, 2), (3, 2, 2), (2, 9, 3), (40, 1, 8), (4, 4, 8), (5, 3, 4)])
  func tinyImagesAgreeWithTheOracle(width: Int, height: Int, cell: Int) {
    expectOracle(
      noiseImage(width: width, height: height, channelCount: 3, seed: 77), cell: cell, "\(width) x \(height)")
  }

  /// The kernels work on 8 pixels at once and run over a row's end.
  @Test(arguments: 1...40)
  func everyWidthAgreesWithTheOracle(width: Int) {
    for channels in [1, 3] {
      for cell in [4, 7, 8] {
        let image = noiseImage(width: width, height: 19, channelCount: channels, seed: UInt64(width))
        expectOracle(image, cell: cell, "\(width) pixels of \(channels) channels, cells of \(cell)")
      }
    }
  }

  private func expectOracle(_ image: ByteImage, cell: Int, _ comment: String) {
    let expected = HOGOracle.cells(image, cellSize: cell)
    let map = FelzenszwalbHOG(cellSize: cell).featureMap(of: image)
    #expect(map.rows == expected.count && map.channelStride == 32)
    var largest = 0.0
    for row in 0..<map.rows {
      for column in 0..<map.columns {
        for channel in 0..<31 {
          largest = max(largest, abs(Double(map[row, column, channel]) - expected[row][column][channel]))
        }
        #expect(map[row, column, 31] == 0)
      }
    }
    #expect(largest < 2e-5, "\(comment)")
  }

  /// Every gradient that bytes can have falls where the nearest of dlib's directions says.
  @Test func everyGradientFindsItsDirection() {
    // One image column a gradient: pixels left, right, up and down of the centre of a 3 x 3 image.
    var wrong = 0
    for dx in stride(from: -255, through: 255, by: 5) {
      for dy in stride(from: -255, through: 255, by: 3) where dx != 0 || dy != 0 {
        var image = ByteImage(width: 3, height: 3, channelCount: 1, filledWith: 0)
        image.pixels[5] = UInt8(max(dx, 0))
        image.pixels[3] = UInt8(max(-dx, 0))
        image.pixels[7] = UInt8(max(dy, 0))
        image.pixels[1] = UInt8(max(-dy, 0))
        let map = FelzenszwalbHOG(cellSize: 3).featureMap(of: image)
        let expected = HOGOracle.cells(image, cellSize: 3)[0][0]
        let found = (0..<18).filter { map[0, 0, $0] > 0 }
        if found != (0..<18).filter({ expected[$0] > 0 }) { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  @Test func mapSizesAreRounded() {
    let hog = FelzenszwalbHOG(cellSize: 8)
    #expect(hog.mapSize(for: PixelSize(width: 67, height: 68)) == MapSize(rows: 9, columns: 8))
    #expect(hog.mapSize(for: PixelSize(width: 3, height: 100)).count == 0)
    let odd = FelzenszwalbHOG(cellSize: 5)
    #expect(odd.mapSize(for: PixelSize(width: 12, height: 13)) == MapSize(rows: 3, columns: 2))
  }

  @Test func aConstantImageGivesZeros() {
    let image = ByteImage(width: 50, height: 40, channelCount: 3, filledWith: 200)
    #expect(FelzenszwalbHOG(cellSize: 8).featureMap(of: image).values.allSatisfy { $0 == 0 })
  }

  /// Gradients straight up or down lie between two orientations; without them, mirroring is exact.
  @Test(arguments: testSeeds)
  func aMirroredImageGivesTheMirroredMap(seed: UInt64) throws {
    var image = noiseImage(width: 48, height: 40, channelCount: 1, seed: seed)
    for y in 0..<40 {
      for x in 0..<48 {
        // Rising by 3 or more over two columns at any place, so that no gradient is vertical.
        image.pixels[y * 48 + x] = UInt8(4 * x + Int(image.pixels[y * 48 + x]) % 4)
      }
    }
    for cell in [4, 8] {
      let features = HOGFeatures.felzenszwalb(FelzenszwalbHOG(cellSize: cell))
      let map = features.map(of: image)
      let mirror = features.map(of: mirroredImage(image))
      let order = try #require(features.mirroredChannelOrder)
      var largest: Float = 0
      for row in 0..<map.rows {
        for column in 0..<map.columns {
          for channel in 0..<31 {
            largest = max(
              largest, abs(mirror[row, column, channel] - map[row, map.columns - 1 - column, order[channel]]))
          }
        }
      }
      #expect(largest < 1e-5, "seed \(seed), cell \(cell)")
    }
  }

  /// Twice the contrast changes nothing but the small constant's share.
  @Test func contrastHardlyMatters() {
    var dim = noiseImage(width: 40, height: 40, channelCount: 3, seed: 4)
    dim.pixels = dim.pixels.map { $0 / 2 }
    var bright = dim
    bright.pixels = dim.pixels.map { $0 * 2 }
    let hog = FelzenszwalbHOG(cellSize: 8)
    #expect(largestDifference(hog.featureMap(of: dim).values, hog.featureMap(of: bright).values) < 1e-5)
  }

  @Test func paddingSurroundsTheMapWithZeros() {
    let image = noiseImage(width: 40, height: 32, channelCount: 3, seed: 6)
    let features = HOGFeatures.felzenszwalb(FelzenszwalbHOG(cellSize: 8))
    let plain = features.map(of: image)
    // Into memory that holds something else.
    var padded = features.map(of: noiseImage(width: 90, height: 70, channelCount: 1, seed: 8))
    features.fill(&padded, with: image, padding: 2)
    #expect(padded.size == features.mapSize(forImage: image.size, padding: 2))
    for row in 0..<padded.rows {
      for column in 0..<padded.columns {
        let inside = (2..<2 + plain.rows).contains(row) && (2..<2 + plain.columns).contains(column)
        for channel in 0..<31 {
          #expect(padded[row, column, channel] == (inside ? plain[row - 2, column - 2, channel] : 0))
        }
      }
    }
  }
}
