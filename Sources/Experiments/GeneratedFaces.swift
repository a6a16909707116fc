import Execution
import Foundation
import Geometry
import Imaging

/// Drawn pictures with schematic faces: what the quickstart trains on where no public photos can be fetched.
///
/// They show that everything runs; figures on them say nothing of real faces.
enum GeneratedFaces {
  /// One picture of soft noise and shapes, with `faceCount` faces that do not overlap.
  static func picture(faceCount: Int, using random: inout RandomStream) -> (image: ByteImage, faces: [Box]) {
    var painter = EllipsePainter(width: 320, height: 240, level: random.uniform(in: 60..<180))
    for _ in 0..<40 {
      painter.fill(
        center: Point(x: random.uniform(in: 0..<320), y: random.uniform(in: 0..<240)),
        radiusX: random.uniform(in: 3..<60), radiusY: random.uniform(in: 3..<60), level: random.uniform(in: 20..<230))
    }
    var faces: [Box] = []
    for _ in 0..<faceCount {
      for _ in 0..<100 {
        let side = random.uniform(in: 28..<90)
        let face = Box(
          x: random.uniform(in: 0..<320 - side), y: random.uniform(in: 0..<240 - side), width: side, height: side)
        guard faces.allSatisfy({ $0.intersectionArea(face.resized(by: 1.3)) == 0 }) else { continue }
        faces.append(face)
        drawFace(face, on: &painter, using: &random)
        break
      }
    }
    return (painter.image(noise: 6, using: &random), faces)
  }

  private static func drawFace(_ face: Box, on painter: inout EllipsePainter, using random: inout RandomStream) {
    let skin = random.uniform(in: 140..<230)
    let dark = skin * random.uniform(in: 0.2..<0.45)
    func fill(_ x: Double, _ y: Double, _ radiusX: Double, _ radiusY: Double, _ level: Double) {
      let center = Point(
        x: face.x + (x + random.uniform(in: -0.02..<0.02)) * face.width,
        y: face.y + (y + random.uniform(in: -0.02..<0.02)) * face.height)
      painter.fill(center: center, radiusX: radiusX * face.width, radiusY: radiusY * face.height, level: level)
    }
    fill(0.5, 0.5, 0.46, 0.6, skin)
    for side in [0.3, 0.7] {
      fill(side, 0.34, 0.11, 0.06, dark)
      fill(side, 0.24, 0.13, 0.03, (skin + dark) / 2)
    }
    fill(0.5, 0.55, 0.05, 0.12, skin * 0.85)
    fill(0.5, 0.76, 0.18, 0.06, dark)
  }

  /// Writes pictures and their annotations below a folder.
  ///
  /// - Returns: references to the training set, the test set and the pictures without faces.
  static func write(
    below folder: String, seed: UInt64,
    pictureCounts: (train: Int, test: Int, negatives: Int) = (train: 120, test: 30, negatives: 60)
  ) throws -> (train: String, test: String, negatives: String) {
    func set(_ name: String, count: Int, stream: UInt64) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var lines = ""
      for index in 0..<count {
        var random = RandomStream(seed: seed, stream: stream << 32 | UInt64(index))
        let (image, faces) = picture(faceCount: 3, using: &random)
        let file = "\(name)/\(index).png"
        try ImageFile.write(image, to: "\(folder)/\(file)")
        let annotated = AnnotatedImage(
          name: file, path: file, annotations: faces.map { Annotation(box: $0, label: "face") })
        lines += String(decoding: try encoder.encode(annotated), as: UTF8.self) + "\n"
      }
      try AtomicFile.write(lines, to: "\(folder)/\(name).jsonl")
      return "jsonl:\(folder)/\(name).jsonl"
    }
    let train = try set("train", count: pictureCounts.train, stream: 1)
    let test = try set("test", count: pictureCounts.test, stream: 2)
    for index in 0..<pictureCounts.negatives {
      var random = RandomStream(seed: seed, stream: 3 << 32 | UInt64(index))
      try ImageFile.write(picture(faceCount: 0, using: &random).image, to: "\(folder)/negatives/\(index).png")
    }
    return (train, test, "folder:\(folder)/negatives")
  }
}

/// Fills soft-edged ellipses into a grey picture.
private struct EllipsePainter {
  let width: Int
  let height: Int
  private var levels: [Double]

  init(width: Int, height: Int, level: Double) {
    self.width = width
    self.height = height
    levels = Array(repeating: level, count: width * height)
  }

  mutating func fill(center: Point, radiusX: Double, radiusY: Double, level: Double) {
    let columns = max(0, Int(center.x - radiusX - 1))..<max(0, min(width, Int(center.x + radiusX + 2)))
    let rows = max(0, Int(center.y - radiusY - 1))..<max(0, min(height, Int(center.y + radiusY + 2)))
    guard columns.lowerBound < columns.upperBound else { return }
    for row in rows {
      for column in columns {
        let dx = (Double(column) + 0.5 - center.x) / radiusX
        let dy = (Double(row) + 0.5 - center.y) / radiusY
        let distance = ((dx * dx + dy * dy).squareRoot() - 1) * min(radiusX, radiusY)
        let share = max(0, min(1, 0.5 - distance))
        levels[row * width + column] += share * (level - levels[row * width + column])
      }
    }
  }

  func image(noise: Double, using random: inout RandomStream) -> ByteImage {
    ByteImage(
      width: width, height: height, channelCount: 1,
      pixels: levels.map { UInt8(max(0, min(255, ($0 + random.uniform(in: -noise..<noise)).rounded()))) })
  }
}
