import Execution
import Geometry

/// How the overlap of two boxes is measured.
public enum OverlapKind: String, NamedChoice, Sendable {
  /// Intersection over union of continuous boxes (COCO, WIDER FACE, and PASCAL VOC once its corners are read rightly).
  case union
  /// Intersection over union in the arithmetic of the PASCAL VOC development kit, which counts pixels: each side is one
  /// longer than the difference of its corners. For figures of tools that feed continuous corners to that arithmetic.
  case pascal

  /// The overlap, in 0...1; zero where the boxes share nothing.
  public func overlap(_ a: Box, _ b: Box) -> Double {
    let extra = self == .pascal ? 1.0 : 0.0
    let w = min(a.maxX, b.maxX) - max(a.x, b.x) + extra
    let h = min(a.maxY, b.maxY) - max(a.y, b.y) + extra
    guard w > 0, h > 0, !a.isEmpty, !b.isEmpty else { return 0 }
    let common = w * h
    let areaA = (a.width + extra) * (a.height + extra)
    let areaB = (b.width + extra) * (b.height + extra)
    return common / (areaA + areaB - common)
  }

  /// The share of `box` that `region` covers, in the same arithmetic, in 0...1.
  public func coveredShare(of box: Box, by region: Box) -> Double {
    let extra = self == .pascal ? 1.0 : 0.0
    let w = min(box.maxX, region.maxX) - max(box.x, region.x) + extra
    let h = min(box.maxY, region.maxY) - max(box.y, region.y) + extra
    guard w > 0, h > 0, !box.isEmpty, !region.isEmpty else { return 0 }
    return w * h / ((box.width + extra) * (box.height + extra))
  }
}

/// Whether an overlap of exactly the threshold is enough.
public enum OverlapComparison: String, NamedChoice, Sendable {
  /// `overlap >= threshold` (PASCAL VOC's development kit, COCO).
  case atLeast
  /// `overlap > threshold` (Caltech Pedestrians' paper, many re-implementations).
  case above

  /// The sign, for reports.
  public var symbol: String { self == .atLeast ? ">=" : ">" }

  @inline(__always) func accepts(_ overlap: Double, _ threshold: Double) -> Bool {
    self == .atLeast ? overlap >= threshold : overlap > threshold
  }
}
