import Geometry
import LinearAlgebra

/// The length that landmark errors are divided by, taken from the true points.
public enum LandmarkNormalizer: Hashable, Sendable {
  /// The distance between the means of two sets of points: pupils as the centres of the eyes' points (as 300-W's
  /// "inter-pupil" figures have it), or outer eye corners.
  case distance([Int], [Int])
  /// The diagonal of the box around the true points.
  case boxDiagonal
  /// The square root of that box's area.
  case faceSize

  /// - Returns: `nil` where a point that it needs is absent, or the length is zero.
  public func length(_ truth: [Point?]) -> Double? {
    switch self {
    case .distance(let first, let second):
      guard let a = LandmarkNormalizer.center(first, truth), let b = LandmarkNormalizer.center(second, truth) else {
        return nil
      }
      let length = a.distance(to: b)
      return length > 0 ? length : nil
    case .boxDiagonal, .faceSize:
      let points = truth.compactMap { $0 }
      guard let x0 = points.map(\.x).min(), let x1 = points.map(\.x).max(), let y0 = points.map(\.y).min(),
        let y1 = points.map(\.y).max()
      else { return nil }
      let (w, h) = (x1 - x0, y1 - y0)
      let length = self == .faceSize ? (w * h).squareRoot() : (w * w + h * h).squareRoot()
      return length > 0 ? length : nil
    }
  }

  private static func center(_ indices: [Int], _ points: [Point?]) -> Point? {
    guard !indices.isEmpty else { return nil }
    var sum = Point(x: 0, y: 0)
    for index in indices {
      guard points.indices.contains(index), let point = points[index] else { return nil }
      sum = Point(x: sum.x + point.x, y: sum.y + point.y)
    }
    return Point(x: sum.x / Double(indices.count), y: sum.y / Double(indices.count))
  }
}

/// One face's true and found points.
public struct LandmarkComparison: Hashable, Sendable {
  public var name: String
  /// `nil` where a point is labelled absent: it is not measured.
  public var truth: [Point?]
  public var found: [Point]

  public init(name: String, truth: [Point?], found: [Point]) {
    self.name = name
    self.truth = truth
    self.found = found
  }
}

/// Point-to-point errors of a set of faces.
///
/// A face's error is the mean distance of its present points to the found ones over the normalising length (Sagonas et
/// al., ICCV Workshops 2013). Faces without a length, or without a present point, are counted and left out.
public struct LandmarkMeasure: Hashable, Sendable {
  /// Errors above this are failures, and the area under the curve ends here.
  public let failureThreshold: Double
  /// The measured faces' errors, in the order that they were given.
  public let errors: [(name: String, error: Double)]
  public let unmeasuredCount: Int
  /// Mean normalised error of each point; `nil` where it is nowhere present.
  public let pointErrors: [Double?]

  public static func == (a: LandmarkMeasure, b: LandmarkMeasure) -> Bool {
    a.failureThreshold == b.failureThreshold && a.unmeasuredCount == b.unmeasuredCount
      && a.pointErrors == b.pointErrors && a.errors.map(\.name) == b.errors.map(\.name)
      && a.errors.map(\.error) == b.errors.map(\.error)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(errors.map(\.error))
    hasher.combine(unmeasuredCount)
  }

  /// - Parameter subset: the points that are measured; `nil` all. The length is taken from all points all the same.
  /// - Precondition: in each face as many points found as true; one number of points in all.
  public init(
    _ faces: [LandmarkComparison], normalizer: LandmarkNormalizer, failureThreshold: Double = 0.08,
    points subset: [Int]? = nil
  ) {
    precondition(failureThreshold > 0)
    self.failureThreshold = failureThreshold
    let points = faces.first?.truth.count ?? 0
    let measured = (subset ?? Array(0..<points)).filter { (0..<points).contains($0) }
    var errors: [(name: String, error: Double)] = []
    var missing = 0
    var sums = [Double](repeating: 0, count: points)
    var counts = [Int](repeating: 0, count: points)
    for face in faces {
      precondition(face.truth.count == points && face.found.count == points, "another number of points: \(face.name)")
      guard let length = normalizer.length(face.truth) else {
        missing += 1
        continue
      }
      var sum = 0.0
      var seen = 0
      for k in measured {
        guard let truth = face.truth[k] else { continue }
        let error = truth.distance(to: face.found[k]) / length
        sum += error
        seen += 1
        sums[k] += error
        counts[k] += 1
      }
      if seen == 0 {
        missing += 1
      } else {
        errors.append((face.name, sum / Double(seen)))
      }
    }
    self.errors = errors
    unmeasuredCount = missing
    pointErrors = (0..<points).map { counts[$0] > 0 ? sums[$0] / Double(counts[$0]) : nil }
  }

  public var mean: Double? { Statistics.mean(errors.map(\.error)) }
  public var median: Double? { Statistics.median(errors.map(\.error)) }

  /// The share of faces whose error is above the threshold.
  public var failureRate: Double? {
    errors.isEmpty ? nil : Double(errors.count { $0.error > failureThreshold }) / Double(errors.count)
  }

  /// The area under the cumulative curve from 0 to the threshold, divided by the threshold: 1 for no error at all.
  ///
  /// Exact: the mean over faces of `1 - error / threshold`, 0 where that is negative.
  public var areaUnderCurve: Double? {
    Statistics.mean(errors.map { max(0, 1 - $0.error / failureThreshold) })
  }

  /// The share of faces whose error is at most `error`.
  public func share(within error: Double) -> Double? {
    errors.isEmpty ? nil : Double(errors.count { $0.error <= error }) / Double(errors.count)
  }

  /// The cumulative curve: each distinct error with the share of faces up to it.
  public var curve: [(error: Double, share: Double)] {
    let sorted = errors.map(\.error).sorted()
    var result: [(error: Double, share: Double)] = []
    for (index, error) in sorted.enumerated() where index + 1 == sorted.count || sorted[index + 1] > error {
      result.append((error, Double(index + 1) / Double(sorted.count)))
    }
    return result
  }

  /// The mean over a group of points of their errors; `nil` where none of them was measured.
  public func error(ofPoints indices: [Int]) -> Double? {
    Statistics.mean(indices.compactMap { pointErrors.indices.contains($0) ? pointErrors[$0] : nil })
  }
}
