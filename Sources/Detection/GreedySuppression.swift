import Execution
import Geometry

/// Greedy non-maximum suppression.
///
/// Candidates are visited best first (``Suppression/precedes(_:_:)``). One that overlaps a kept box by *more* than the
/// limit is dropped; else it is kept. Boxes of different labels meet only when `acrossLabels` gives a limit.
public struct GreedySuppression: Hashable, Sendable, Codable {
  /// What the overlap is measured by.
  public enum Measure: String, NamedChoice, Hashable, Sendable {
    /// Intersection over union: the measure of most evaluations.
    case union
    /// Intersection over the smaller box: also drops a small box within a large one (Dollar et al. 2009).
    case smaller
  }

  /// Boxes of one label that overlap by more than this, in 0...1, are one object. 1 keeps everything.
  public var overlap: Double
  public var measure: Measure
  /// The same limit between boxes of different labels; `nil` lets labels be.
  public var acrossLabels: Double?
  /// A kept score grows by this share of what the scores that it suppressed exceed `accumulationFloor` by, in all; 0 leaves
  /// scores alone.
  ///
  /// A candidate is counted for the best kept box that drops it. A true object is usually answered by many windows and
  /// a chance alarm by few, which this lets the score say. A confidence that windows have stays that of the kept window's own score.
  public var accumulation: Double
  /// Scores count for `accumulation` from here on; `nil` is 0. Where a scan's threshold is lower, that is a good floor: the
  /// windows of an object that only just passes speak for it too.
  public var accumulationFloor: Double?

  public init(
    overlap: Double = 0.4, measure: Measure = .union, acrossLabels: Double? = nil, accumulation: Double = 0,
    accumulationFloor: Double? = nil
  ) {
    self.overlap = overlap
    self.measure = measure
    self.acrossLabels = acrossLabels
    self.accumulation = accumulation
    self.accumulationFloor = accumulationFloor
  }

  func apply(to detections: [Detection]) -> [Detection] {
    let sorted = detections.sorted(by: Suppression.precedes)
    var kept: [Detection] = []
    var grown: [Double] = []
    var grid = BoxGrid()
    let floor = accumulationFloor ?? 0
    for candidate in sorted {
      var suppressor: Int?
      grid.visit(near: candidate.box) { rank in
        // Ranks rise as scores fall: the least rank is the best kept box.
        if let best = suppressor, best <= rank { return }
        let other = kept[rank]
        let limit = other.label == candidate.label ? overlap : acrossLabels
        guard let limit else { return }
        let found =
          measure == .union
          ? candidate.box.intersectionOverUnion(other.box) : candidate.box.intersectionOverSmaller(other.box)
        if found > limit { suppressor = rank }
      }
      if let suppressor {
        grown[suppressor] += max(0, candidate.score - floor)
      } else {
        grid.insert(candidate.box, rank: kept.count)
        kept.append(candidate)
        grown.append(0)
      }
    }
    guard accumulation != 0 else { return kept }
    for index in kept.indices { kept[index].score += accumulation * grown[index] }
    return kept.sorted(by: Suppression.precedes)
  }
}
