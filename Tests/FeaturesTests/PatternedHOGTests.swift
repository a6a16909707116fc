import Execution
import Features
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

struct PatternedHOGTests {
  /// The bin of a code whose set bits are these.
  private func bin(_ bits: [Int]) -> Int { Int(UniformPatterns.bins[bits.reduce(0) { $0 | 1 << $1 }]) }

  @Test func binsAreWorkedByHand() {
    // In the order of codes: none, bit 0, bit 1, bits 0 and 1, bit 2, (5: two runs), bits 1 and 2, bits 0 to 2.
    #expect(UniformPatterns.bins[0...7] == [0, 1, 2, 3, 4, 58, 5, 6])
    #expect(UniformPatterns.bins[255] == 57)
    #expect(UniformPatterns.bins[0b0101_0101] == 58)
    // A run may go on past the last bit.
    #expect(bin([7, 0, 1]) != 58)
    #expect(Set(UniformPatterns.bins).count == 59)
  }

  @Test func mirroringSwapsRightAndLeft() {
    let order = UniformPatterns.mirroredBinOrder
    #expect(order[bin([0])] == bin([4]))
    #expect(order[bin([1, 2])] == bin([2, 3]))
    #expect(order[bin([5, 6, 7])] == bin([5, 6, 7]))
    #expect(order[bin([7, 0, 1])] == bin([3, 4, 5]))
    #expect(order[58] == 58)
    #expect(order.map { order[$0] } == Array(0..<59))
  }

  /// One inner pixel has a pattern, and its cell that pattern alone.
  @Test func aSinglePatternIsWorkedByHand() {
    // Brighter to the right, equal below, darker elsewhere.
    let image = ByteImage(width: 3, height: 3, channelCount: 1, pixels: [1, 2, 3, 4, 50, 90, 7, 50, 9])
    let map = HOGFeatures.felzenszwalbWithPatterns(PatternedHOG(cellSize: 3, patternNorm: 0.25)).map(of: image)
    #expect(map.size == MapSize(rows: 1, columns: 1))
    // Right and below are two runs: not uniform.
    #expect((31..<90).filter { map[0, 0, $0] != 0 } == [31 + 58])
    #expect(map[0, 0, 31 + 58] == 0.25)
    var other = image
    other.pixels[8] = 50
    let joined = HOGFeatures.felzenszwalbWithPatterns(PatternedHOG(cellSize: 3, patternNorm: 0.25)).map(of: other)
    #expect((31..<90).filter { joined[0, 0, $0] != 0 } == [31 + bin([0, 1, 2])])
  }

  /// Every neighbour is as bright as the pixel itself, in every cell.
  @Test func aConstantImageHasOnePattern() {
    let image = ByteImage(width: 50, height: 41, channelCount: 3, filledWith: 77)
    let map = HOGFeatures.felzenszwalbWithPatterns(PatternedHOG(cellSize: 8, patternNorm: 0.5)).map(of: image)
    for row in 0..<map.rows {
      for column in 0..<map.columns {
        #expect((0..<90).filter { map[row, column, $0] != 0 } == [31 + 57])
        #expect(map[row, column, 31 + 57] == 0.5)
      }
    }
  }

  @Test(arguments: testSeeds)
  func agreesWithTheOracleAndThePlainForm(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let cell = 2 + random.index(below: 10)
    expectOracle(
      noiseImage(
        width: 1 + random.index(below: 70), height: 1 + random.index(below: 70),
        channelCount: seed.isMultiple(of: 2) ? 1 : 3, seed: seed), cell: cell, "seed \(seed)")
  }

  @Test(arguments: [
    (1, 1, 2), (2, 2, 2), (3, 3, 2), (3, 2, 2), (2, 9, 3), (40, 1, 8), (4, 4, 8), (5, 3, 4), (68, 67, 8), (60, 61, 8),
  ])
  func tinyAndUnevenImagesAgreeWithTheOracle(width: Int, height: Int, cell: Int) {
    expectOracle(
      noiseImage(width: width, height: height, channelCount: 3, seed: 77), cell: cell, "\(width) x \(height)")
  }

  private func expectOracle(_ image: ByteImage, cell: Int, _ comment: String) {
    let norm = 0.7
    let expected = PatternOracle.cells(image, cellSize: cell, norm: norm)
    let gradients = FelzenszwalbHOG(cellSize: cell).featureMap(of: image)
    let map = HOGFeatures.felzenszwalbWithPatterns(PatternedHOG(cellSize: cell, patternNorm: norm)).map(of: image)
    #expect(map.size == gradients.size && map.channelCount == 90 && map.channelStride == 92)
    var largest = 0.0
    for row in 0..<map.rows {
      for column in 0..<map.columns {
        for channel in 0..<31 { #expect(map[row, column, channel] == gradients[row, column, channel]) }
        for bin in 0..<59 {
          largest = max(largest, abs(Double(map[row, column, 31 + bin]) - expected[row][column][bin]))
        }
        #expect(map[row, column, 90] == 0 && map[row, column, 91] == 0)
      }
    }
    #expect(largest < 1e-6, "\(comment)")
  }

  @Test(arguments: testSeeds)
  func aMirroredImageGivesExactlyTheMirroredPatterns(seed: UInt64) throws {
    let image = noiseImage(width: 48, height: 40, channelCount: 3, seed: seed)
    for cell in [3, 4, 8, 16] {
      let features = HOGFeatures.felzenszwalbWithPatterns(PatternedHOG(cellSize: cell))
      let map = features.map(of: image)
      let mirror = features.map(of: mirroredImage(image))
      let order = try #require(features.mirroredChannelOrder)
      var wrong = 0
      for row in 0..<map.rows {
        for column in 0..<map.columns {
          for channel in 31..<90
          where mirror[row, column, channel] != map[row, map.columns - 1 - column, order[channel]] { wrong += 1 }
        }
      }
      #expect(wrong == 0, "seed \(seed), cell \(cell)")
    }
  }

  /// Patterns ask for more and less alone.
  @Test func brightnessAndContrastDoNotMatter() {
    var dim = noiseImage(width: 40, height: 40, channelCount: 1, seed: 4)
    dim.pixels = dim.pixels.map { $0 / 4 }
    var bright = dim
    bright.pixels = dim.pixels.map { 3 * $0 + 20 }
    let features = HOGFeatures.felzenszwalbWithPatterns(PatternedHOG())
    let (a, b) = (features.map(of: dim), features.map(of: bright))
    for place in 0..<a.rows * a.columns {
      #expect(a.values[place * 92 + 31..<place * 92 + 90] == b.values[place * 92 + 31..<place * 92 + 90])
    }
  }

  @Test func paddingSurroundsTheMapWithZeros() {
    let image = noiseImage(width: 40, height: 32, channelCount: 3, seed: 6)
    let features = HOGFeatures.felzenszwalbWithPatterns(PatternedHOG())
    let plain = features.map(of: image)
    // Into memory that holds something else.
    var padded = features.map(of: noiseImage(width: 90, height: 70, channelCount: 1, seed: 8))
    features.fill(&padded, with: image, padding: 2)
    #expect(padded.size == features.mapSize(forImage: image.size, padding: 2))
    for row in 0..<padded.rows {
      for column in 0..<padded.columns {
        let inside = (2..<2 + plain.rows).contains(row) && (2..<2 + plain.columns).contains(column)
        for channel in 0..<90 {
          #expect(padded[row, column, channel] == (inside ? plain[row - 2, column - 2, channel] : 0))
        }
      }
    }
  }

  @Test func theNormMayBeLeftOutOfJSON() throws {
    let short = #"{"felzenszwalbWithPatterns":{"cellSize":6}}"#
    #expect(
      try JSONDecoder().decode(HOGFeatures.self, from: Data(short.utf8))
        == .felzenszwalbWithPatterns(PatternedHOG(cellSize: 6)))
  }
}
