/// Rotation, uniform scale and translation: `x' = a x - b y + tx`, `y' = b x + a y + ty`.
public struct SimilarityTransform: Hashable, Codable, Sendable {
  /// Scale times the cosine of the angle.
  public var a: Double
  /// Scale times the sine of the angle.
  public var b: Double
  public var tx: Double
  public var ty: Double

  public init(a: Double, b: Double, tx: Double, ty: Double) {
    self.a = a
    self.b = b
    self.tx = tx
    self.ty = ty
  }

  public static let identity = SimilarityTransform(a: 1, b: 0, tx: 0, ty: 0)

  public var scale: Double { (a * a + b * b).squareRoot() }

  public func apply(_ point: Point) -> Point {
    Point(x: a * point.x - b * point.y + tx, y: b * point.x + a * point.y + ty)
  }

  /// The transform that undoes this one, or `nil` where the scale is zero.
  public var inverse: SimilarityTransform? {
    let squared = a * a + b * b
    guard squared > 0 else { return nil }
    let ia = a / squared
    let ib = -b / squared
    return SimilarityTransform(a: ia, b: ib, tx: -(ia * tx - ib * ty), ty: -(ib * tx + ia * ty))
  }

  /// The least-squares transform that carries `source` onto `target` (Umeyama 1991, without reflection).
  ///
  /// - Returns: `nil` where fewer than two points are given, the counts differ, or all source points are one.
  /// - Complexity: O(n).
  public static func fit(from source: [Point], to target: [Point]) -> SimilarityTransform? {
    guard source.count == target.count, source.count >= 2 else { return nil }
    let n = Double(source.count)
    let sx = source.reduce(0) { $0 + $1.x } / n
    let sy = source.reduce(0) { $0 + $1.y } / n
    let ux = target.reduce(0) { $0 + $1.x } / n
    let uy = target.reduce(0) { $0 + $1.y } / n
    var dot = 0.0
    var cross = 0.0
    var norm = 0.0
    for (p, q) in zip(source, target) {
      let px = p.x - sx
      let py = p.y - sy
      let qx = q.x - ux
      let qy = q.y - uy
      dot += px * qx + py * qy
      cross += px * qy - py * qx
      norm += px * px + py * py
    }
    guard norm > 0 else { return nil }
    let a = dot / norm
    let b = cross / norm
    return SimilarityTransform(a: a, b: b, tx: ux - (a * sx - b * sy), ty: uy - (b * sx + a * sy))
  }
}
