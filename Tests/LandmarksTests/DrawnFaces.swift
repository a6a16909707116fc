import Execution
import Geometry
import Imaging
import Landmarks

/// Drawn faces: a light oval with dark eyes, nose and mouth on a shaded ground; made anew from a seed.
enum DrawnFaces {
  struct Face {
    var image: ByteImage
    var points: [Point]
    var box: Box
  }

  /// Eyes, nose tip, corners of the mouth: the mirror map swaps eyes and corners.
  static let mirror = [1, 0, 2, 4, 3]
  private static let places: [(x: Double, y: Double, radius: Double)] = [
    (-0.22, -0.18, 0.08), (0.22, -0.18, 0.08), (0, 0.05, 0.06), (-0.16, 0.25, 0.07), (0.16, 0.25, 0.07),
  ]

  static func make(seed: UInt64, index: Int, side: Int = 96) -> Face {
    var random = RandomStream(seed: seed, stream: UInt64(index))
    let size = Double(side) * random.uniform(in: 0.45..<0.6)
    let center = Point(
      x: Double(side) / 2 + random.uniform(in: -6..<6), y: Double(side) / 2 + random.uniform(in: -6..<6))
    let turn = SimilarityTransform(
      a: size * 1, b: size * random.uniform(in: -0.25..<0.25), tx: center.x, ty: center.y)
    let points = places.map { place in
      turn.apply(
        Point(x: place.x + 0.03 * random.gaussian(), y: place.y + 0.03 * random.gaussian()))
    }
    let tone = 160 + random.index(below: 60)
    let slope = random.uniform(in: -0.5..<0.5)
    var image = ByteImage(width: side, height: side, channelCount: 1, filledWith: 0)
    for row in 0..<side {
      for column in 0..<side {
        let at = Point(x: Double(column) + 0.5, y: Double(row) + 0.5)
        var value = 70 + slope * Double(column - side / 2)
        let dx = (at.x - center.x) / (0.5 * size)
        let dy = (at.y - center.y) / (0.62 * size)
        if dx * dx + dy * dy < 1 { value = Double(tone) + slope * Double(row - side / 2) }
        for (k, point) in points.enumerated() where at.distance(to: point) < places[k].radius * size {
          value = k == 2 ? 120 : 30
        }
        image.pixels[row * side + column] = UInt8(max(0, min(255, value + 6 * random.gaussian())))
      }
    }
    let box = Box(
      center: Point(x: center.x + 0.03 * size * random.gaussian(), y: center.y + 0.03 * size * random.gaussian()),
      width: size * (1 + 0.05 * random.gaussian()), height: size * (1 + 0.05 * random.gaussian()))
    return Face(image: image, points: points, box: box)
  }

  static func training(_ count: Int, seed: UInt64, absentEvery: Int? = nil) -> [LandmarkFace] {
    (0..<count).map { index in
      let face = make(seed: seed, index: index)
      var points: [Point?] = face.points
      if let absentEvery, index % absentEvery == 1 { points[index % 5] = nil }
      return LandmarkFace(
        name: "\(index)", image: face.image, box: face.box, points: points, largestBox: nil, margin: nil)!
    }
  }

  /// Mean distance of fits to the true points over the box's width.
  static func error(_ predictor: ShapePredictor, seed: UInt64, count: Int, starts: Int = 1) -> Double {
    var sum = 0.0
    for index in 0..<count {
      let face = make(seed: seed, index: 10_000 + index)
      let found = predictor.fit(face.image, box: face.box, starts: starts)!
      sum += zip(found, face.points).reduce(0) { $0 + $1.0.distance(to: $1.1) } / 5 / face.box.width
    }
    return sum / Double(count)
  }
}
