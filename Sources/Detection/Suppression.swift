import Geometry

/// How the many windows that answer to one object become one detection.
public enum Suppression: Hashable, Sendable, Codable {
  /// Every window above the threshold is reported.
  case none
  /// The best window is kept, those that overlap it too much go, and so on down the list.
  case greedy(GreedySuppression)
  /// OpenCV's grouping of similar rectangles into their mean.
  case groupRectangles(RectangleGrouping)

  /// Greedy suppression above `overlap`, each label by itself.
  public static func greedy(overlap: Double, by measure: GreedySuppression.Measure = .union) -> Suppression {
    .greedy(GreedySuppression(overlap: overlap, measure: measure))
  }

  /// The detections that are left, best first in the order of ``precedes(_:_:)``.
  ///
  /// The result does not depend on the order of `detections`.
  /// - Complexity: greedy: O(n log n + n m), where m is the number of kept boxes near one candidate (a grid an octave
  ///   of box sizes finds them); grouping: O(n log n + n k), where k is the number of boxes of a similar size and
  ///   place, found by the same grid.
  public func apply(to detections: [Detection]) -> [Detection] {
    switch self {
    case .none: detections.sorted(by: Suppression.precedes)
    case .greedy(let greedy): greedy.apply(to: detections)
    case .groupRectangles(let grouping): grouping.apply(to: detections)
    }
  }

  /// The order of detections: higher score first; equal scores by y, x, width, height (smaller first) and label.
  ///
  /// It is total over finite values, so that ties never depend on which thread found a window first.
  public static func precedes(_ a: Detection, _ b: Detection) -> Bool {
    if a.score != b.score { return a.score > b.score }
    if a.box.y != b.box.y { return a.box.y < b.box.y }
    if a.box.x != b.box.x { return a.box.x < b.box.x }
    if a.box.width != b.box.width { return a.box.width < b.box.width }
    if a.box.height != b.box.height { return a.box.height < b.box.height }
    return a.label < b.label
  }
}
