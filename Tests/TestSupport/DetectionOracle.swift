import Geometry

/// Detection measures the slow way, straight from their definitions: every threshold matches anew.
public struct DetectionOracle {
  public struct Point: Equatable {
    public var score: Double
    public var right: Int
    public var wrong: Int
  }

  public var truth: [AnnotatedImage]
  public var results: [ImageDetections]
  /// A right detection overlaps its target by this or more.
  public var threshold: Double

  public init(truth: [AnnotatedImage], results: [ImageDetections], threshold: Double) {
    self.truth = truth
    self.results = results
    self.threshold = threshold
  }

  public var targetCount: Int {
    truth.reduce(0) { $0 + $1.annotations.filter { !$0.isIgnored }.count }
  }

  /// A point for each score that occurs, highest first; points where nothing is counted are left out.
  public func points() -> [Point] {
    let scores = Set(results.flatMap { $0.detections.map(\.score) }).sorted(by: >)
    var points: [Point] = []
    for score in scores {
      var point = Point(score: score, right: 0, wrong: 0)
      for image in truth {
        let kept = results.first { $0.image == image.name }!.detections.filter { $0.score >= score }
        let (right, wrong) = match(kept, image.annotations)
        point.right += right
        point.wrong += wrong
      }
      let last = points.last
      if point.right != last?.right ?? 0 || point.wrong != last?.wrong ?? 0 { points.append(point) }
    }
    return points
  }

  private func match(_ detections: [Detection], _ annotations: [Annotation]) -> (right: Int, wrong: Int) {
    var left = detections
    var free = annotations.filter { !$0.isIgnored }
    let all = free
    var counts = (right: 0, wrong: 0)
    func best(_ detection: Detection, _ targets: [Annotation]) -> Double {
      targets.filter { $0.label == detection.label }.map { overlap($0.box, detection.box) }.max() ?? 0
    }
    func key(_ detection: Detection) -> [Double] {
      let box = detection.box
      return [-detection.score, -best(detection, all), box.x, box.y, box.width, box.height]
    }
    while !left.isEmpty {
      let next = left.indices.min { key(left[$0]).lexicographicallyPrecedes(key(left[$1])) }!
      let detection = left.remove(at: next)
      let wanted = best(detection, free)
      if wanted > 0, wanted >= threshold {
        let place = free.firstIndex { $0.label == detection.label && overlap($0.box, detection.box) == wanted }!
        free.remove(at: place)
        counts.right += 1
      } else if !annotations.contains(where: {
        $0.isIgnored && $0.label == detection.label && hides($0.box, detection.box)
      }) {
        counts.wrong += 1
      }
    }
    return counts
  }

  private func common(_ a: Box, _ b: Box) -> Double {
    let w = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    let h = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    return w > 0 && h > 0 ? w * h : 0
  }

  private func overlap(_ a: Box, _ b: Box) -> Double {
    common(a, b) / (a.width * a.height + b.width * b.height - common(a, b))
  }

  private func hides(_ region: Box, _ box: Box) -> Bool {
    let share = common(region, box) / (box.width * box.height)
    return share > 0 && share >= threshold
  }

  /// For each target in turn the best precision of any threshold that finds as many, averaged.
  public func averagePrecision() -> Double {
    let points = points()
    var sum = 0.0
    for count in 1...targetCount {
      sum += points.filter { $0.right >= count }.map { Double($0.right) / Double($0.right + $0.wrong) }.max() ?? 0
    }
    return sum / Double(targetCount)
  }

  /// At each of the recalls 0, 1 / intervals ... 1 the best precision of any threshold that reaches it, averaged.
  public func averagePrecision(intervals: Int) -> Double {
    let points = points()
    var sum = 0.0
    for sample in 0...intervals {
      let reached = points.filter { $0.right * intervals >= sample * targetCount }
      sum += reached.map { Double($0.right) / Double($0.right + $0.wrong) }.max() ?? 0
    }
    return sum / Double(intervals + 1)
  }

  /// The least miss rate of any threshold with at most this many false positives an image; 1 by keeping nothing.
  public func missRate(falsePositivesPerImage rate: Double) -> Double {
    points().filter { Double($0.wrong) / Double(truth.count) <= rate }
      .map { 1 - Double($0.right) / Double(targetCount) }.min() ?? 1
  }
}
