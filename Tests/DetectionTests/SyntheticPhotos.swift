import Detection
import Execution
import Foundation
import Geometry
import Imaging

/// Photos that are made up: bright crosses (the object) among discs and bars on noise.
///
/// The same index and seed give the same photo.
struct SyntheticPhotos: TrainingImageSource {
  var count: Int
  var seed: UInt64
  var width = 160
  var height = 120
  /// Without crosses when false.
  var hasObjects = true
  var isIgnored = false
  var objectSize = 28.0..<56.0
  /// Changes one photo's pixels but not its name.
  var touched: Int?

  func name(at index: Int) -> String { "synthetic-\(seed)-\(index)" }

  func annotations(at index: Int) -> [Annotation] {
    guard hasObjects else { return [] }
    return crosses(at: index).map { Annotation(box: $0, label: "cross", isIgnored: isIgnored) }
  }

  private func crosses(at index: Int) -> [Box] {
    var random = RandomStream(seed: seed, stream: UInt64(index) * 2)
    let side = random.uniform(in: objectSize).rounded()
    let x = random.uniform(in: 0..<max(1, Double(width) - side)).rounded()
    let y = random.uniform(in: 0..<max(1, Double(height) - side)).rounded()
    return [Box(x: x, y: y, width: side, height: side)]
  }

  func image(at index: Int) throws -> ByteImage {
    var random = RandomStream(seed: seed, stream: UInt64(index) * 2 + 1)
    var values = (0..<width * height).map { _ in 90 + 12 * random.gaussian() }
    func fill(_ box: Box, _ value: Double, _ holds: (Double, Double) -> Bool) {
      for y in max(0, Int(box.y))..<max(0, min(height, Int(box.maxY))) {
        for x in max(0, Int(box.x))..<max(0, min(width, Int(box.maxX))) {
          let u = (Double(x) + 0.5 - box.x) / box.width * 2 - 1
          let v = (Double(y) + 0.5 - box.y) / box.height * 2 - 1
          if holds(u, v) { values[y * width + x] += value }
        }
      }
    }
    for _ in 0..<5 {
      let side = random.uniform(in: 15..<50)
      let box = Box(
        x: random.uniform(in: -10..<Double(width)), y: random.uniform(in: -10..<Double(height)), width: side,
        height: side)
      let isDisc = random.uniform() < 0.5
      fill(box, random.uniform(in: -60..<60)) { u, v in isDisc ? u * u + v * v < 1 : abs(u) < 0.3 }
    }
    if hasObjects {
      for box in crosses(at: index) {
        fill(box, 90) { u, v in abs(u) < 0.25 || abs(v) < 0.25 }
      }
    }
    if touched == index { values[0] += 50 }
    let pixels = values.map { UInt8(max(0, min(255, $0))) }
    return ByteImage(width: width, height: height, channelCount: 1, pixels: pixels)
  }
}

extension HOGTrainerOptions {
  /// Crosses of 24 pixels in windows of 32, few samples.
  static var crosses: HOGTrainerOptions {
    var options = HOGTrainerOptions(
      features: .felzenszwalb(.init(cellSize: 4)), colour: .grey, windowSize: PixelSize(width: 32, height: 32),
      objectRegion: Box(x: 0.125, y: 0.125, width: 0.75, height: 0.75), boxMapping: .area,
      components: [Component(name: "upright", label: "cross")])
    options.jitterCopies = 1
    options.randomNegatives = 300
    options.rounds = 2
    options.negativesPerRound = 200
    options.negativesPerPhoto = 10
    options.sampleMemory = 60
    options.scan.scaleFactor = 1.19
    options.seed = 5
    return options
  }
}
