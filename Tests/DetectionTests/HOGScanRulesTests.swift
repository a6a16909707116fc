import Execution
import Features
import Geometry
import Imaging
import Testing

@testable import Detection

/// What a scan promises of its windows, one promise a test.
@Suite struct HOGScanRulesTests {
  private func noise(width: Int, height: Int) -> ByteImage {
    var random = RandomStream(seed: 31)
    return ByteImage(
      width: width, height: height, channelCount: 3,
      pixels: (0..<width * height * 3).map { _ in UInt8(random.index(below: 256)) })
  }

  /// A component that scores every window alike.
  private func flat(_ side: Int, _ features: HOGFeatures, bias: Float) -> HOGComponent {
    let size = PixelSize(width: side, height: side)
    let places = features.windowMapSize(size)
    return HOGComponent(
      label: "thing", name: "\(side)", windowSize: size, objectRegion: Box(x: 0, y: 0, width: 1, height: 1),
      rows: places.rows, columns: places.columns, channelCount: features.channelCount,
      weights: Array(repeating: 0, count: places.count * features.channelCount), bias: bias)
  }

  private let cells = HOGFeatures.felzenszwalb(FelzenszwalbHOG(cellSize: 8))

  @Test func aWindowAtTheThresholdIsFound() {
    let detector = HOGDetector(features: cells, colour: .grey, components: [flat(32, cells, bias: 0.25)])
    let image = noise(width: 64, height: 48)
    #expect(!detector.windows(in: image, scoringAtLeast: 0.25).windows.isEmpty)
    #expect(detector.windows(in: image, scoringAtLeast: 0.250001).windows.isEmpty)
  }

  /// A level that suits one component may show another's objects too small or too large.
  @Test func sizesAreWantedOfEachComponent() {
    let detector = HOGDetector(
      features: cells, colour: .grey, components: [flat(32, cells, bias: 1), flat(64, cells, bias: 1)])
    var options = ScanOptions(scalesPerOctave: 4)
    options.minimumHeight = 40
    options.maximumHeight = 90
    let found = detector.windows(in: noise(width: 200, height: 160), scoringAtLeast: 0, options: options).windows
    for component in 0..<2 {
      let heights = found.filter { $0.component == component }.map(\.box.height)
      // Levels are rounded to whole pixels.
      #expect(!heights.isEmpty && heights.allSatisfy { $0 > 39.5 && $0 < 90.5 }, "component \(component)")
    }
  }

  /// As OpenCV does last of all, after grouping.
  @Test func openCVBoxesEndAtTheBorder() {
    let hog = HOGFeatures.dalalTriggs(DalalTriggsHOG())
    let detector = HOGDetector(features: hog, colour: .rgb, components: [flat(32, hog, bias: 1)])
    var options = ScanOptions.openCV
    options.padding = 2
    options.suppression = .none
    let image = noise(width: 70, height: 50)
    let found = detector.detect(in: image, options: options)
    #expect(found.contains { $0.box.x == 0 && $0.box.width < 32 })
    #expect(found.allSatisfy { $0.box.intersection(Box(image.size)) == $0.box })
  }

  /// Interpolated from the full image, a level of a sixth of its size would see two pixels of six: noise would keep two
  /// thirds of its spread of 74 levels. Halved twice before, it keeps a sixth.
  @Test func smallLevelsAreMadeOfHalvings() {
    let size = PixelSize(width: 40, height: 40)
    var level = ByteImage(width: 0, height: 0, channelCount: 3, pixels: [])
    ImageOctaves(noise(width: 256, height: 256), smallest: size).write(
      level: size, into: &level, left: 0, top: 0, frame: size)
    let values = level.pixels.map(Double.init)
    let mean = values.reduce(0, +) / Double(values.count)
    let spread = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
    #expect(spread > 5 && spread < 20)
  }

  /// A sample of the training is what a scan finds in the same place, whatever the features see beyond the window.
  @Test(arguments: [
    HOGFeatures.dalalTriggs(DalalTriggsHOG()), .felzenszwalb(FelzenszwalbHOG(cellSize: 8)),
    .felzenszwalbWithPatterns(PatternedHOG(cellSize: 8)),
    .dalalTriggsStack(DalalTriggsStack(layers: [DalalTriggsHOG(), DalalTriggsHOG(colourDifference: .blueYellow)])),
    .dalalTriggsStack(DalalTriggsStack(layers: [DalalTriggsHOG(), DalalTriggsHOG(gradientReach: 11)])),
    .dalalTriggs(DalalTriggsHOG(gradientReach: 9)),
  ]) func samplesAreWhatAScanSees(features: HOGFeatures) {
    let image = noise(width: 160, height: 136)
    let size = PixelSize(width: 48, height: 40)
    let cut = WindowCutter(features: features).descriptor(
      ImageOctaves(image, smallest: size), window: Box(x: 56, y: 48, width: 48, height: 40), size: size)
    let places = features.windowMapSize(size)
    let seen = features.map(of: image).part(row: 6, column: 7, rows: places.rows, columns: places.columns)
    #expect(cut.count == seen.count && zip(cut, seen).allSatisfy { abs($0 - $1) < 1e-5 })
  }
}
