import Execution
import Features
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

@testable import Detection

/// Scans whose neighbouring levels share one computed feature map.
struct SharedLevelsTests {
  private let variants: [HOGFeatures] = [
    .felzenszwalb(FelzenszwalbHOG(cellSize: 8)), .dalalTriggs(DalalTriggsHOG()),
    .dalalTriggsStack(DalalTriggsStack(layers: [DalalTriggsHOG(), DalalTriggsHOG(colourDifference: .redGreen)])),
  ]

  /// - Parameter smooth: weights alike in all places; otherwise each is drawn for itself.
  private func detector(_ features: HOGFeatures, smooth: Bool = false) -> HOGDetector {
    var random = RandomStream(seed: 5)
    let places = features.windowMapSize(PixelSize(width: 40, height: 48))
    let drawn = (0..<places.count * features.channelCount).map { _ in Float(random.gaussian()) * 0.1 }
    let weights = smooth ? drawn.indices.map { drawn[$0 % features.channelCount] } : drawn
    return HOGDetector(
      features: features, colour: .rgb,
      components: [
        HOGComponent(
          label: "a", name: "0", windowSize: features.windowSize(places),
          objectRegion: Box(x: 0, y: 0, width: 1, height: 1),
          rows: places.rows, columns: places.columns, channelCount: features.channelCount,
          weights: weights, bias: 0)
      ])
  }

  private func options(_ sharedLevels: Int) -> ScanOptions {
    var options = ScanOptions(upsampling: .none)
    options.scaleFactor = 1.05
    options.sharedLevels = sharedLevels
    return options
  }

  private func photo() throws -> ByteImage {
    try SyntheticPhotos(count: 1, seed: 8, width: 163, height: 141).image(at: 0)
  }

  /// Levels in the middle of a group are computed: their windows are those of the plain scan. All levels are scanned,
  /// at the same places.
  @Test(arguments: [0, 1, 2]) func middleLevelsAreExact(kind: Int) throws {
    let detector = detector(variants[kind])
    let image = try photo()
    let plain = detector.windows(in: image, scoringAtLeast: -.infinity, options: options(1))
    let shared = detector.windows(in: image, scoringAtLeast: -.infinity, options: options(3))
    let levelCount = try #require(plain.windows.map(\.level).max()) + 1
    #expect(levelCount > 6 && shared.scannedCounts == plain.scannedCounts)
    #expect(shared.windows.map(\.box) == plain.windows.map(\.box))
    for level in stride(from: 1, to: levelCount / 3 * 3, by: 3) {
      #expect(shared.windows.filter { $0.level == level } == plain.windows.filter { $0.level == level })
    }
  }

  /// Interpolated scores follow the computed ones. The bounds are correlations, not differences: weights drawn place by
  /// place hear every shift of a part of a cell (a trained filter's neighbours are alike), so they have the lower bound.
  @Test(arguments: [(0, true, 0.85), (1, true, 0.85), (0, false, 0.6), (1, false, 0.6)])
  func interpolatedScoresFollowComputedOnes(kind: Int, smooth: Bool, least: Double) throws {
    let detector = detector(variants[kind], smooth: smooth)
    let image = try photo()
    let plain = detector.windows(in: image, scoringAtLeast: -.infinity, options: options(1)).windows
    let shared = detector.windows(in: image, scoringAtLeast: -.infinity, options: options(3)).windows
    let pairs = zip(plain, shared).filter { $0.0.level % 3 != 1 }.map { ($0.score, $1.score) }
    #expect(pairs.count > 100)
    let count = Double(pairs.count)
    let first = pairs.reduce(0) { $0 + $1.0 } / count
    let second = pairs.reduce(0) { $0 + $1.1 } / count
    let covariance = pairs.reduce(0) { $0 + ($1.0 - first) * ($1.1 - second) }
    let spread = pairs.reduce(0) { $0 + ($1.0 - first) * ($1.0 - first) }
    let otherSpread = pairs.reduce(0) { $0 + ($1.1 - second) * ($1.1 - second) }
    let correlation = covariance / (spread * otherSpread).squareRoot()
    #expect(correlation > least, "correlation \(correlation)")
  }

  @Test func threadsDoNotMatter() throws {
    let detector = detector(variants[0])
    let image = try photo()
    let one = detector.windows(in: image, scoringAtLeast: 0.1, options: options(2), executor: .serial)
    #expect(!one.windows.isEmpty)
    for threads in [2, 5] {
      let executor = ParallelExecutor(threadCount: threads)
      #expect(detector.windows(in: image, scoringAtLeast: 0.1, options: options(2), executor: executor) == one)
    }
  }

  @Test func optionSurvivesJSON() throws {
    let data = try JSONEncoder().encode(options(3))
    #expect(try JSONDecoder().decode(ScanOptions.self, from: data) == options(3))
    #expect(try JSONDecoder().decode(ScanOptions.self, from: Data("{}".utf8)).sharedLevels == 1)
    // Model files from before the option keep their bytes.
    #expect(!String(decoding: try JSONEncoder().encode(options(1)), as: UTF8.self).contains("sharedLevels"))
  }
}
