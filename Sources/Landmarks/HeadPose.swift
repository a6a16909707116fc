import Foundation
import Geometry

/// How a head is turned, from its landmarks, by a 3D mean shape seen in weak perspective.
///
/// Axes are the picture's: x right, y down, z away from the viewer. The head is turned by pitch about x first, then by yaw
/// about y, then by roll about z.
///
/// **Signs:** roll is positive where the head leans clockwise in the picture; yaw is positive where the face turns to the
/// picture's right; pitch is positive where it looks down. All are zero for the mean view of 300-W's faces, which is nearly
/// frontal.
///
/// The 3D shape (`Resources/head68.json`) was found from 300-W's training landmarks by factorisation (Tomasi and Kanade,
/// IJCV 1992): data, not measurement of heads, so yaw and pitch have the scale that it gives.
public struct HeadPose: Hashable, Sendable, Codable {
  /// Degrees.
  public var roll: Double
  public var yaw: Double
  public var pitch: Double
  /// Pixels to the distance of the outer eye corners, face on.
  public var scale: Double
  /// Root mean square distance of the points from the projected 3D shape, in that same unit.
  public var residual: Double

  /// The pose that fits points best, by least squares.
  ///
  /// There is none, and `nil` comes back, where
  /// - fewer than four points are there, or those that are there are so flat on the head (one eye, a line) that labels which
  ///   err by 2 % of the distance of the eyes would turn the pose by some 16 degrees or more;
  /// - the points lie on a line, or nearly: the picture would have to be squeezed to a quarter;
  /// - more than a quarter of their squared spread is not the head's: points of one spot, noise, another object;
  /// - only a head seen from behind would look so: left and right are exchanged.
  ///
  /// All labelled faces of 300-W's training part have a pose.
  ///
  /// - Parameters:
  ///   - points: of layout `ibug68`; absent ones are left out.
  ///   - model: the 3D shape, a point each.
  public static func estimate(_ points: [Point?], model: HeadModel = .mean68) -> HeadPose? {
    guard points.count == model.points.count else { return nil }
    var flat: [SIMD2<Double>] = []
    var solid: [SIMD3<Double>] = []
    for (point, place) in zip(points, model.points) {
      guard let point else { continue }
      guard point.x.isFinite, point.y.isFinite else { return nil }
      flat.append(SIMD2(point.x, point.y))
      solid.append(place)
    }
    guard flat.count >= 4 else { return nil }
    let flatMean = flat.reduce(.zero, +) / Double(flat.count)
    let solidMean = solid.reduce(.zero, +) / Double(solid.count)
    // Least squares for the 2 x 3 camera A: (sum q p^T)(sum p p^T)^-1.
    var cross = (SIMD3<Double>.zero, SIMD3<Double>.zero)
    var square = (SIMD3<Double>.zero, SIMD3<Double>.zero, SIMD3<Double>.zero)
    for (q, p) in zip(flat, solid) {
      let (q, p) = (q - flatMean, p - solidMean)
      cross.0 += q.x * p
      cross.1 += q.y * p
      square.0 += p.x * p
      square.1 += p.y * p
      square.2 += p.z * p
    }
    // The variance of the camera's rows is the labels' times the inverse's trace; a model's unit has no part in it.
    guard let inverse = inverted(square),
      inverse.0.x + inverse.1.y + inverse.2.z <= greatestUncertainty / model.meanSquaredRadius
    else { return nil }
    let first = cross.0.x * inverse.0 + cross.0.y * inverse.1 + cross.0.z * inverse.2
    let second = cross.1.x * inverse.0 + cross.1.y * inverse.1 + cross.1.z * inverse.2
    guard let (scale, r0, r1) = nearestRows(first, second) else { return nil }
    // The third row is the cross product of the first two.
    let r2 = SIMD3(r0.y * r1.z - r0.z * r1.y, r0.z * r1.x - r0.x * r1.z, r0.x * r1.y - r0.y * r1.x)
    guard r2.z > 0 else { return nil }
    var sum = 0.0
    var spread = 0.0
    for (q, p) in zip(flat, solid) {
      let (q, p) = (q - flatMean, p - solidMean)
      let d = q - scale * SIMD2((r0 * p).sum(), (r1 * p).sum())
      sum += (d * d).sum()
      spread += (q * q).sum()
    }
    guard sum <= greatestUnexplained * spread else { return nil }
    // R = Rz(roll) Ry(yaw) Rx(pitch); the face looks along -z, so that a turn to the right is a negative turn about y.
    let yaw = -asin(max(-1, min(1, -r2.x)))
    let roll = atan2(r1.x, r0.x)
    let pitch = atan2(r2.y, r2.z)
    let degrees = 180 / Double.pi
    return HeadPose(
      roll: roll * degrees, yaw: yaw * degrees, pitch: pitch * degrees, scale: scale,
      residual: (sum / Double(flat.count)).squareRoot() / scale)
  }

  /// Of the trace of the points' inverse scatter, in the model's mean squared radius.
  private static let greatestUncertainty = 75.0
  /// Of the points' squared spread.
  private static let greatestUnexplained = 0.25
  /// Of a picture along one direction against the other.
  private static let leastSqueeze = 0.25

  /// Where a model's points lie in a picture for this pose, its middle at `center`: what `estimate` undoes.
  public func project(_ model: HeadModel = .mean68, center: Point) -> [Point] {
    let radians = Double.pi / 180
    let (cz, sz) = (cos(roll * radians), sin(roll * radians))
    let (cy, sy) = (cos(-yaw * radians), sin(-yaw * radians))
    let (cx, sx) = (cos(pitch * radians), sin(pitch * radians))
    let r0 = SIMD3(cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx)
    let r1 = SIMD3(sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx)
    let mean = model.points.reduce(.zero, +) / Double(max(1, model.points.count))
    return model.points.map {
      let p = $0 - mean
      return Point(x: center.x + scale * (r0 * p).sum(), y: center.y + scale * (r1 * p).sum())
    }
  }

  private typealias Rows = (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  private static func inverted(_ m: Rows) -> Rows? {
    let c0 = SIMD3(m.1.y * m.2.z - m.1.z * m.2.y, m.0.z * m.2.y - m.0.y * m.2.z, m.0.y * m.1.z - m.0.z * m.1.y)
    let c1 = SIMD3(m.1.z * m.2.x - m.1.x * m.2.z, m.0.x * m.2.z - m.0.z * m.2.x, m.0.z * m.1.x - m.0.x * m.1.z)
    let c2 = SIMD3(m.1.x * m.2.y - m.1.y * m.2.x, m.0.y * m.2.x - m.0.x * m.2.y, m.0.x * m.1.y - m.0.y * m.1.x)
    let determinant = m.0.x * c0.x + m.0.y * c1.x + m.0.z * c2.x
    let size = m.0.x + m.1.y + m.2.z
    guard abs(determinant) > 1e-12 * size * size * size else { return nil }
    return (c0 / determinant, c1 / determinant, c2 / determinant)
  }

  /// The scaled rows of a rotation nearest to two rows: their polar factor, by the square root of a 2 x 2 matrix.
  private static func nearestRows(
    _ a: SIMD3<Double>, _ b: SIMD3<Double>
  ) -> (scale: Double, SIMD3<Double>, SIMD3<Double>)? {
    let (aa, ab, bb) = ((a * a).sum(), (a * b).sum(), (b * b).sum())
    let determinant = aa * bb - ab * ab
    // With singular values s and t, determinant / trace^2 is (st / (s^2 + t^2))^2.
    let least = leastSqueeze / (1 + leastSqueeze * leastSqueeze)
    guard determinant > least * least * (aa + bb) * (aa + bb), (aa + bb).isFinite else { return nil }
    // S = sqrt(A A^T) = (A A^T + sqrt(det) I) / sqrt(trace + 2 sqrt(det)); the rows are S^-1 A, the scale trace(S) / 2.
    let root = determinant.squareRoot()
    let divisor = (aa + bb + 2 * root).squareRoot()
    let (s00, s01, s11) = ((aa + root) / divisor, ab / divisor, (bb + root) / divisor)
    let det = s00 * s11 - s01 * s01
    return ((s00 + s11) / 2, (s11 * a - s01 * b) / det, (s00 * b - s01 * a) / det)
  }
}

/// A 3D shape of a head: x to the picture's right, y down, z away from the viewer.
public struct HeadModel: Hashable, Sendable {
  public let points: [SIMD3<Double>]

  public init(points: [SIMD3<Double>]) { self.points = points }

  /// Mean squared distance of the points from their mean; 0 without points.
  var meanSquaredRadius: Double {
    let count = Double(max(1, points.count))
    let mean = points.reduce(.zero, +) / count
    return points.reduce(0) { $0 + (($1 - mean) * ($1 - mean)).sum() } / count
  }

  private struct Stored: Decodable {
    var points: [[Double]]
  }

  /// The mean of 300-W's training faces for layout `ibug68`; the outer eye corners are 1 apart.
  public static let mean68: HeadModel = {
    // The resource is part of the program and is read by a test.
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(PackageResources.head68_json)),
      stored.points.count == 68, stored.points.allSatisfy({ $0.count == 3 })
    else { preconditionFailure("the built-in head cannot be read") }
    return HeadModel(points: stored.points.map { SIMD3($0[0], $0[1], $0[2]) })
  }()
}
