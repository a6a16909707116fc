import Execution
import Features
import Geometry
import Imaging
import TestSupport
import Testing

@Suite("Features over blocks of windows")
struct WindowBlockTests {
  private func windows(_ count: Int, _ size: PixelSize, seed: UInt64) -> [ByteImage] {
    (0..<count).map {
      noiseImage(width: size.width, height: size.height, channelCount: 1, seed: seed &* 1000 + UInt64($0))
    }
  }

  private func block(_ windows: [ByteImage], hasTilted: Bool) -> WindowBlock {
    let block = WindowBlock(windowSize: windows[0].size, hasTilted: hasTilted)
    for (lane, window) in windows.enumerated() {
      window.pixels.withUnsafeBufferPointer { block.fill(lane, $0.baseAddress!) }
    }
    return block
  }

  /// The sum of a box's pixels, pixel by pixel; a turned box is the pixels that its two triangles' differences leave.
  private func sum(_ box: HaarFeature.WeightedBox, _ isTilted: Bool, _ image: ByteImage) -> Int {
    func pixel(_ x: Int, _ y: Int) -> Int { Int(image.pixels[y * image.width + x]) }
    guard isTilted else {
      return (box.y..<box.y + box.height).reduce(0) { total, y in
        total + (box.x..<box.x + box.width).reduce(0) { $0 + pixel($1, y) }
      }
    }
    func triangle(_ column: Int, _ row: Int) -> Int {
      var total = 0
      for y in 0..<row {
        for x in 0..<image.width where abs(x - column + 1) <= row - y - 1 { total += pixel(x, y) }
      }
      return total
    }
    let (x, y, w, h) = (box.x, box.y, box.width, box.height)
    return triangle(x, y) - triangle(x - h, y + h) - triangle(x + w, y + w) + triangle(x + w - h, y + w + h)
  }

  private func contrast(_ image: ByteImage) -> Double {
    var values: [Double] = []
    for y in 1..<image.height - 1 {
      for x in 1..<image.width - 1 { values.append(Double(image.pixels[y * image.width + x])) }
    }
    let area = Double(values.count)
    let total = values.reduce(0, +)
    return (area * values.reduce(0) { $0 + $1 * $1 } - total * total).squareRoot()
  }

  @Test("Haar values are the weighted sums over the contrast", arguments: testSeeds.prefix(4))
  func haarOracle(_ seed: UInt64) {
    let size = PixelSize(width: 7, height: 9)
    let windows = windows(5, size, seed: seed)
    let block = block(windows, hasTilted: true)
    defer { block.release() }
    let features = HaarFeatureSet.all.features(in: size)
    let table = HaarFeatureTable(features, windowSize: size)
    var values = [Float](repeating: 0, count: WindowBlock.width)
    for (index, feature) in features.enumerated() {
      table.fill(index, of: block, into: &values)
      for (lane, window) in windows.enumerated() {
        let expected =
          feature.boxes.reduce(0.0) { $0 + Double($1.weight) * Double(sum($1, feature.isTilted, window)) }
          / contrast(window)
        #expect(abs(Double(values[lane]) - expected) < 1e-5, "seed \(seed), feature \(index)")
      }
    }
  }

  @Test("bins are steps of the value, cut at both ends", arguments: testSeeds.prefix(3))
  func bins(_ seed: UInt64) {
    let size = PixelSize(width: 6, height: 5)
    let windows = windows(9, size, seed: seed)
    let block = block(windows, hasTilted: false)
    defer { block.release() }
    let features = HaarFeatureSet.basic.features(in: size)
    let table = HaarFeatureTable(features, windowSize: size)
    let binnings = [SIMD2<Float>](repeating: SIMD2(-0.05, 2000), count: features.count)
    var bytes = [UInt8](repeating: 7, count: features.count * 9)
    table.fillBins(0..<features.count, of: block, binnings: binnings, count: 9, into: &bytes, stride: 9)
    var values = [Float](repeating: 0, count: WindowBlock.width)
    for index in features.indices {
      table.fill(index, of: block, into: &values)
      for lane in 0..<9 {
        let place = (values[lane] + 0.05) * 2000
        let nearest = place <= 0 ? 0 : place >= 255 ? 255 : Int(place.rounded())
        #expect(abs(Int(bytes[index * 9 + lane]) - nearest) <= 1)
      }
    }
  }

  @Test("patterns compare the blocks around the middle, clockwise from the top left", arguments: testSeeds.prefix(4))
  func patternOracle(_ seed: UInt64) {
    let size = PixelSize(width: 10, height: 8)
    let windows = windows(6, size, seed: seed)
    let block = block(windows, hasTilted: false)
    defer { block.release() }
    let patterns = BlockPattern.all(in: size)
    let table = BlockPatternTable(patterns, windowSize: size)
    var bytes = [UInt8](repeating: 0, count: patterns.count * 6)
    table.fill(0..<patterns.count, of: block, count: 6, into: &bytes, stride: 6)
    for (index, pattern) in patterns.enumerated() {
      for (lane, window) in windows.enumerated() {
        func block(_ column: Int, _ row: Int) -> Int {
          sum(
            HaarFeature.WeightedBox(
              x: pattern.x + column * pattern.blockWidth, y: pattern.y + row * pattern.blockHeight,
              width: pattern.blockWidth, height: pattern.blockHeight, weight: 1), false, window)
        }
        let ring = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
        let expected = ring.reduce(0) { $0 * 2 + (block($1.0, $1.1) >= block(1, 1) ? 1 : 0) }
        #expect(Int(bytes[index * 6 + lane]) == expected, "seed \(seed), pattern \(index)")
      }
    }
  }

  @Test("a window of one value has no contrast and Haar values of 0; its patterns are all ones")
  func constant() {
    let size = PixelSize(width: 6, height: 6)
    let window = ByteImage(width: 6, height: 6, channelCount: 1, filledWith: 90)
    let block = block([window], hasTilted: false)
    defer { block.release() }
    var values = [Float](repeating: 1, count: WindowBlock.width)
    HaarFeatureTable(HaarFeatureSet.basic.features(in: size), windowSize: size).fill(3, of: block, into: &values)
    #expect(values[0] == 0)
    var byte: UInt8 = 0
    BlockPatternTable(BlockPattern.all(in: size), windowSize: size).fill(
      0..<1, of: block, count: 1, into: &byte, stride: 1)
    #expect(byte == 255)
  }

  @Test("the contrast of a window worked by hand")
  func contrastByHand() {
    // The border is left out: 10, 20, 30, 40 remain, of the sum 100 and the squares 3000.
    let pixels: [UInt8] = [0, 9, 9, 0, 9, 10, 20, 9, 9, 30, 40, 9, 0, 9, 9, 0]
    let scale = WindowContrast.scale(pixels, PixelSize(width: 4, height: 4))
    #expect(abs(Double(scale) - 1 / (4 * 3000 - 10000).squareRoot()) < 1e-9)
    // A standard deviation of 11.2: seen. One of 10 is not.
    #expect(WindowContrast.isSeen(area: 4, scale: scale))
    #expect(!WindowContrast.isSeen(area: 4, scale: WindowContrast.scale(area: 4, sum: 40, squares: 800)))
    #expect(!WindowContrast.isSeen(area: 4, scale: 0))
  }

}

extension Int {
  fileprivate func squareRoot() -> Double { Double(self).squareRoot() }
}
