import Foundation
import Geometry

extension LandmarkFaceSet {
  static func boxSpread(_ annotations: [[Annotation]], _ matches: [[Box?]]) -> BoxSpread? {
    var x: [Double] = []
    var y: [Double] = []
    var scale: [Double] = []
    var missed = 0
    var asked = false
    for (list, boxes) in zip(annotations, matches) {
      for (annotation, box) in zip(list, boxes) where !annotation.isIgnored && !annotation.landmarks.isEmpty {
        guard let box, annotation.box.area > 0, box.area > 0 else {
          missed += 1
          continue
        }
        asked = true
        let side = annotation.box.area.squareRoot()
        x.append((box.center.x - annotation.box.center.x) / side)
        y.append((box.center.y - annotation.box.center.y) / side)
        scale.append(log(box.area.squareRoot() / side))
      }
    }
    guard asked else { return nil }
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    func deviation(_ values: [Double], about middle: Double) -> Double {
      (values.reduce(0) { $0 + ($1 - middle) * ($1 - middle) } / Double(values.count)).squareRoot()
    }
    let (mx, my, ms) = (median(x), median(y), median(scale))
    let ratio = exp(ms)
    return BoxSpread(
      found: x.count, missed: missed, shiftX: mx, shiftY: my, scale: ratio,
      shiftXDeviation: deviation(x, about: mx) / ratio, shiftYDeviation: deviation(y, about: my) / ratio,
      scaleDeviation: deviation(scale, about: ms), rotationDeviation: rotationDeviation(annotations))
  }

  private static func rotationDeviation(_ annotations: [[Annotation]]) -> Double? {
    let labelled = annotations.flatMap { $0 }.filter { !$0.isIgnored && $0.box.area > 0 }
    let shapes = labelled.compactMap { annotation -> [Point]? in
      let marks = annotation.landmarks.sorted { naturallyPrecedes($0.name, $1.name) }
      let points = marks.compactMap(\.point)
      guard points.count == marks.count, points.count >= 2 else { return nil }
      let side = annotation.box.area.squareRoot()
      return points.map { Point(x: ($0.x - annotation.box.x) / side, y: ($0.y - annotation.box.y) / side) }
    }
    guard shapes.count >= 2, let count = shapes.first?.count, shapes.allSatisfy({ $0.count == count }) else {
      return nil
    }
    let share = 1 / Double(shapes.count)
    let mean = (0..<count).map { k in
      Point(x: share * shapes.reduce(0) { $0 + $1[k].x }, y: share * shapes.reduce(0) { $0 + $1[k].y })
    }
    let turns = shapes.compactMap { SimilarityTransform.fit(from: mean, to: $0) }.map { atan2($0.b, $0.a) * 180 / .pi }
    guard turns.count >= 2 else { return nil }
    let middle = turns.reduce(0, +) / Double(turns.count)
    return (turns.reduce(0) { $0 + ($1 - middle) * ($1 - middle) } / Double(turns.count)).squareRoot()
  }
}

extension LandmarkFaceSet.BoxSpread {
  /// Where the detector's box usually lies for an annotated one.
  public func usual(for box: Box) -> Box {
    let side = box.area.squareRoot()
    let center = Point(x: box.center.x + shiftX * side, y: box.center.y + shiftY * side)
    return Box(center: center, width: side * scale, height: side * scale)
  }

  /// The figures by name, for reports.
  public var figures: [(name: String, value: Double?)] {
    [
      ("faces found", Double(found)), ("faces missed", Double(missed)), ("median shift x, labelled sides", shiftX),
      ("median shift y, labelled sides", shiftY), ("median ratio of sides", scale),
      ("deviation of shift x, box sides", shiftXDeviation), ("deviation of shift y, box sides", shiftYDeviation),
      ("deviation of log scale", scaleDeviation), ("deviation of the faces' turn, degrees", rotationDeviation),
    ]
  }
}
