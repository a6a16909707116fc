import Geometry

#if canImport(Glibc)
  import Glibc
#endif

/// OpenCV's grouping of rectangles (`HOGDescriptor::groupRectangles`, `cv::groupRectangles`), for results that can be compared with its own.
///
/// Two boxes are similar when all four sides differ by at most `epsilon` times the mean of the smaller width and the
/// smaller height; groups are the transitive closure within a label. A group of more than `threshold` boxes becomes
/// its mean (rounded to whole pixels, half to even, as OpenCV does) with the best score of its members. A group that
/// lies within another by the same tolerance is dropped when the other is larger than both three and itself, or when
/// it has fewer than three members.
///
/// Unlike greedy suppression the boxes are means, and one lone window is never enough unless `threshold` is 0, which
/// leaves the windows ungrouped as OpenCV does.
public struct RectangleGrouping: Hashable, Sendable, Codable {
  public var threshold: Int
  public var epsilon: Double

  /// The defaults are those of `HOGDescriptor::detectMultiScale`.
  public init(threshold: Int = 2, epsilon: Double = 0.2) {
    self.threshold = threshold
    self.epsilon = epsilon
  }

  /// How a group's sides are averaged.
  enum MeanPrecision {
    /// `HOGDescriptor::groupRectangles`.
    case double
    /// `cv::groupRectangles`, which cascades go through.
    case single
  }

  private struct Group {
    var count = 0
    var x = 0.0
    var y = 0.0
    var width = 0.0
    var height = 0.0
    var score = -Double.infinity
    var confidence: Double?

    mutating func add(_ detection: Detection) {
      count += 1
      x += detection.box.x
      y += detection.box.y
      width += detection.box.width
      height += detection.box.height
      if detection.score > score {
        score = detection.score
        confidence = detection.confidence
      }
    }

    func mean(_ precision: MeanPrecision) -> Box {
      func mean(_ sum: Double) -> Double {
        switch precision {
        case .double: (sum * (1 / Double(count))).rounded(.toNearestOrEven)
        case .single: Double((Float(sum) * (1 / Float(count))).rounded(.toNearestOrEven))
        }
      }
      return Box(x: mean(x), y: mean(y), width: mean(width), height: mean(height))
    }
  }

  func apply(to detections: [Detection], means precision: MeanPrecision = .double) -> [Detection] {
    let sorted = detections.sorted(by: Suppression.precedes)
    guard threshold > 0 else { return sorted }
    var result: [Detection] = []
    for label in Set(sorted.map(\.label)).sorted() {
      result += group(sorted.filter { $0.label == label }, label, precision)
    }
    return result.sorted(by: Suppression.precedes)
  }

  private func group(_ detections: [Detection], _ label: String, _ precision: MeanPrecision) -> [Detection] {
    var parents = Array(detections.indices)
    var grid = BoxGrid()
    for (index, detection) in detections.enumerated() {
      grid.visit(near: detection.box) { other in
        if areSimilar(detection.box, detections[other].box) { RectangleGrouping.join(index, other, &parents) }
      }
      grid.insert(detection.box, rank: index)
    }
    var groups: [Int: Group] = [:]
    for (index, detection) in detections.enumerated() {
      groups[RectangleGrouping.root(index, &parents), default: Group()].add(detection)
    }
    let large = groups.sorted { $0.key < $1.key }.map(\.value).filter { $0.count > threshold }
    let means = large.map { $0.mean(precision) }
    return large.indices.compactMap { i in
      let isWithinAnother = large.indices.contains { j in
        j != i && isWithin(means[i], means[j])
          && (large[j].count > max(3, large[i].count) || large[i].count < 3)
      }
      return isWithinAnother
        ? nil : Detection(box: means[i], score: large[i].score, confidence: large[i].confidence, label: label)
    }
  }

  private func areSimilar(_ a: Box, _ b: Box) -> Bool {
    let delta = epsilon * (min(a.width, b.width) + min(a.height, b.height)) * 0.5
    return abs(a.x - b.x) <= delta && abs(a.y - b.y) <= delta && abs(a.maxX - b.maxX) <= delta
      && abs(a.maxY - b.maxY) <= delta
  }

  private func isWithin(_ inner: Box, _ outer: Box) -> Bool {
    let dx = (outer.width * epsilon).rounded(.toNearestOrEven)
    let dy = (outer.height * epsilon).rounded(.toNearestOrEven)
    return inner.x >= outer.x - dx && inner.y >= outer.y - dy && inner.maxX <= outer.maxX + dx
      && inner.maxY <= outer.maxY + dy
  }

  private static func root(_ index: Int, _ parents: inout [Int]) -> Int {
    var index = index
    while parents[index] != index {
      parents[index] = parents[parents[index]]
      index = parents[index]
    }
    return index
  }

  /// The lower root wins: ranks are by score, so that a group is named by its best member.
  private static func join(_ a: Int, _ b: Int, _ parents: inout [Int]) {
    let rootA = root(a, &parents)
    let rootB = root(b, &parents)
    if rootA != rootB { parents[max(rootA, rootB)] = min(rootA, rootB) }
  }
}
