#if canImport(Glibc)
  import Glibc
#endif

/// A perspective map of the plane: `(x, y)` goes to `(a x + b y + c, d x + e y + f) / (g x + h y + i)`.
public struct Homography: Hashable, Codable, Sendable {
  public var a, b, c: Double
  public var d, e, f: Double
  public var g, h, i: Double

  public init(
    _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double, _ g: Double, _ h: Double, _ i: Double
  ) {
    (self.a, self.b, self.c) = (a, b, c)
    (self.d, self.e, self.f) = (d, e, f)
    (self.g, self.h, self.i) = (g, h, i)
  }

  public static let identity = Homography(1, 0, 0, 0, 1, 0, 0, 0, 1)

  public static func translation(x: Double, y: Double) -> Homography { Homography(1, 0, x, 0, 1, y, 0, 0, 1) }

  /// Carries one box onto another, each axis by its own factor.
  /// - Precondition: the first box is not empty.
  public static func map(_ from: Box, onto to: Box) -> Homography {
    precondition(!from.isEmpty, "a box without area cannot be mapped")
    let (sx, sy) = (to.width / from.width, to.height / from.height)
    return Homography(sx, 0, to.x - sx * from.x, 0, sy, to.y - sy * from.y, 0, 0, 1)
  }

  /// How a plane looks when it is turned before a camera.
  ///
  /// The plane's origin stays where it is, at `distance` from the camera along the axis of view; what comes nearer grows. A
  /// plane that is not turned is seen as it is.
  ///
  /// - Parameters:
  ///   - rotation: a rotation vector: its direction is the axis (x right, y down, z away), its length the angle in radians. A
  ///     turn about z alone is clockwise as seen.
  ///   - distance: in the plane's units, above 0. Points that the turn carries behind the camera have no image.
  /// - Reference: O. Rodrigues' formula, as in R. Hartley, A. Zisserman, "Multiple view geometry", A4.3.2.
  public static func view(rotation: (x: Double, y: Double, z: Double), distance: Double) -> Homography {
    precondition(distance > 0, "the camera must stand before the plane")
    let angle = (rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z).squareRoot()
    guard angle > 0 else { return .identity }
    let (x, y, z) = (rotation.x / angle, rotation.y / angle, rotation.z / angle)
    let (cosine, sine) = (cos(angle), sin(angle))
    let rest = 1 - cosine
    // The first two columns of the rotation: where the plane's axes point.
    let xAxis = (cosine + x * x * rest, x * y * rest + z * sine, x * z * rest - y * sine)
    let yAxis = (x * y * rest - z * sine, cosine + y * y * rest, y * z * rest + x * sine)
    return Homography(
      distance * xAxis.0, distance * yAxis.0, 0, distance * xAxis.1, distance * yAxis.1, 0, xAxis.2, yAxis.2, distance)
  }

  /// Where a point goes; `nil` where it has no image (it lies on or behind the line that goes to infinity).
  public func apply(_ point: Point) -> Point? {
    let weight = g * point.x + h * point.y + i
    guard weight > 0 else { return nil }
    return Point(x: (a * point.x + b * point.y + c) / weight, y: (d * point.x + e * point.y + f) / weight)
  }

  /// The least box that holds the image of a box; `nil` where a corner has none.
  public func bounds(of box: Box) -> Box? {
    let corners = [
      Point(x: box.x, y: box.y), Point(x: box.maxX, y: box.y), Point(x: box.x, y: box.maxY),
      Point(x: box.maxX, y: box.maxY),
    ].compactMap { apply($0) }
    guard corners.count == 4 else { return nil }
    let xs = corners.map(\.x)
    let ys = corners.map(\.y)
    let (left, top) = (xs.min()!, ys.min()!)
    return Box(x: left, y: top, width: xs.max()! - left, height: ys.max()! - top)
  }

  /// This map, and then `next`.
  public func followed(by next: Homography) -> Homography {
    func row(_ p: Double, _ q: Double, _ r: Double) -> (Double, Double, Double) {
      (p * a + q * d + r * g, p * b + q * e + r * h, p * c + q * f + r * i)
    }
    let first = row(next.a, next.b, next.c)
    let second = row(next.d, next.e, next.f)
    let third = row(next.g, next.h, next.i)
    return Homography(first.0, first.1, first.2, second.0, second.1, second.2, third.0, third.1, third.2)
  }

  /// The map that undoes this one; `nil` where it carries the plane onto a line.
  ///
  /// What has an image under a map comes back under its inverse.
  public var inverse: Homography? {
    let (p, q, r) = (e * i - f * h, f * g - d * i, d * h - e * g)
    let determinant = a * p + b * q + c * r
    guard determinant.isFinite, determinant != 0 else { return nil }
    // Divided by the determinant, so that weights that were positive come out positive.
    return Homography(
      p / determinant, (c * h - b * i) / determinant, (b * f - c * e) / determinant, q / determinant,
      (a * i - c * g) / determinant, (c * d - a * f) / determinant, r / determinant, (b * g - a * h) / determinant,
      (a * e - b * d) / determinant)
  }
}
