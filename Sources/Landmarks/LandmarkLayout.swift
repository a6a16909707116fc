import Execution
import Foundation
import Geometry

/// What the points of a shape are: their number, groups, mirror images, and how they follow from another layout's.
///
/// The layouts that come with Windhover are data (`Resources/layouts.json`): `ibug68`, `inner51`, `five`, `regions76`,
/// `key6`, `contours`. Others can be read from a file of the same form, a JSON list of layouts (`find` in Experiments). One of
/// four points, the first and the second of which change places in a mirror; the last two are drawn as a closed and an open group with them:
///
///     [{"name": "muzzle", "summary": "A dog's muzzle", "sides": "person", "pointCount": 4, "mirror": [1, 0, 2, 3],
///       "groups": [{"name": "muzzle", "points": [0, 2, 1, 3], "isClosed": true},
///                  {"name": "middle", "points": [2, 3], "isClosed": false}]}]
///
/// **Left and right** in names: `sides` says whose. In all of ours they are the person's: the person's right eye lies to
/// the left in the picture. Points are counted from 0.
public struct LandmarkLayout: Hashable, Sendable, Codable {
  /// Whose left and right the names speak of.
  public enum Sides: String, NamedChoice, Hashable, Sendable {
    case person
    case image
  }

  /// Points that belong together, in drawing order.
  public struct Group: Hashable, Sendable, Codable {
    public var name: String
    public var points: [Int]
    /// Whether the last point joins the first when it is drawn.
    public var isClosed: Bool
  }

  /// A share of a base point.
  public struct Share: Hashable, Sendable, Codable {
    public var point: Int
    public var weight: Double
  }

  public var name: String
  public var summary: String
  public var sides: Sides
  public var pointCount: Int
  /// For each point the one that takes its place in a mirrored picture.
  public var mirror: [Int]
  public var groups: [Group]
  /// The layout that the points are derived from, where they are.
  public var base: String?
  /// For each point its shares of the base's points.
  public var derivation: [[Share]]?
  /// Points whose mean is an eye's centre.
  public var leftEye: [Int]?
  public var rightEye: [Int]?
  public var leftOuterCorner: [Int]?
  public var rightOuterCorner: [Int]?

  /// Those that come with Windhover, in the resource's order.
  public static let all: [LandmarkLayout] = {
    // The resource is part of the program and is read by a test; a fault in it is a programmer's mistake.
    guard let layouts = try? JSONDecoder().decode([LandmarkLayout].self, from: Data(PackageResources.layouts_json)),
      layouts.allSatisfy({ (try? $0.validate(source: "layouts.json")) != nil })
    else { preconditionFailure("the built-in layouts cannot be read") }
    return layouts
  }()

  public static let ibug68 = named("ibug68")!

  /// The built-in layout of a name.
  public static func named(_ name: String) -> LandmarkLayout? { all.first { $0.name == name } }

  /// - Throws: `InputError` that names the field, for points out of range, a mirror map that is no involution, names that are
  ///   empty or there twice, and shares of points that do not sum to 1.
  public func validate(source: String) throws {
    func fail(_ field: String, _ problem: String, _ found: String, _ expected: String) -> InputError {
      InputError(
        source: source, field: name.isEmpty ? field : "\(name).\(field)", problem: problem, found: found,
        expected: expected)
    }
    guard !name.isEmpty else { throw fail("name", "a layout has an empty name", "\"\"", "a name, kept in models") }
    guard (1...65_535).contains(pointCount) else {
      throw fail("pointCount", "is no number of points", "\(pointCount)", "1 to 65535")
    }
    try LandmarkLayout.checkMirror(mirror, pointCount: pointCount, source: source, field: "\(name).mirror")
    let lists: [(field: String, points: [Int]?)] =
      groups.enumerated().map { ("groups[\($0)].points", $1.points) } + [
        ("leftEye", leftEye), ("rightEye", rightEye), ("leftOuterCorner", leftOuterCorner),
        ("rightOuterCorner", rightOuterCorner),
      ]
    for (field, points) in lists {
      guard let points else { continue }
      if points.isEmpty { throw fail(field, "is empty", "no point", "one at least") }
      if let bad = points.first(where: { !(0..<pointCount).contains($0) }) {
        throw fail(field, "names a point that is not there", "\(bad)", "0 to \(pointCount - 1)")
      }
    }
    for (index, group) in groups.enumerated() where groups[..<index].contains(where: { $0.name == group.name }) {
      throw fail("groups[\(index)].name", "is another group's, too", "\"\(group.name)\"", "a name of its own")
    }
    guard (base == nil) == (derivation == nil) else {
      throw fail(
        base == nil ? "derivation" : "base", "is there alone", base ?? "\(derivation?.count ?? 0) entries",
        "base and derivation, or neither")
    }
    guard let derivation else { return }
    guard derivation.count == pointCount else {
      throw fail("derivation", "has another length", "\(derivation.count)", "\(pointCount), as there are points")
    }
    for (point, shares) in derivation.enumerated() {
      let total = shares.reduce(0) { $0 + $1.weight }
      guard !shares.isEmpty, abs(total - 1) < 1e-4 else {
        throw fail("derivation[\(point)]", "has shares that do not sum to 1", "\(total)", "1")
      }
      if let bad = shares.first(where: { !(abs($0.weight) <= 1000) }) {
        throw fail("derivation[\(point)]", "has a share that no point can have", "\(bad.weight)", "-1000 to 1000")
      }
      if let bad = shares.first(where: { $0.point < 0 }) {
        throw fail("derivation[\(point)]", "names a point that is not there", "\(bad.point)", "0 and more")
      }
    }
  }

  /// - Throws: `InputError` where a map is not its own inverse over all points.
  public static func checkMirror(_ map: [Int], pointCount: Int, source: String, field: String) throws {
    guard map.count == pointCount else {
      throw InputError(
        source: source, field: field, problem: "has a mirror map of another length", found: "\(map.count)",
        expected: "\(pointCount)")
    }
    for (point, image) in map.enumerated() {
      guard (0..<pointCount).contains(image), map[image] == point else {
        throw InputError(
          source: source, field: field, problem: "has a mirror map that does not undo itself",
          found: "\(point) goes to \(image)"
            + ((0..<pointCount).contains(image) ? ", which goes to \(map[image])" : ", which is not there"),
          expected: "each pair named both ways")
      }
    }
  }

  /// This layout's points from a shape of its base (or the shape itself where it has none).
  /// - Returns: `nil` where the shape has too few points.
  public func points(from shape: [Point]) -> [Point]? {
    guard let derivation else { return shape.count == pointCount ? shape : nil }
    guard derivation.allSatisfy({ $0.allSatisfy { $0.point < shape.count } }) else { return nil }
    return derivation.map { shares in
      shares.reduce(Point(x: 0, y: 0)) {
        Point(x: $0.x + $1.weight * shape[$1.point].x, y: $0.y + $1.weight * shape[$1.point].y)
      }
    }
  }

  /// The mean of some points, `nil` where one is absent.
  public static func center(_ indices: [Int]?, of shape: [Point?]) -> Point? {
    guard let indices, !indices.isEmpty else { return nil }
    var sum = Point(x: 0, y: 0)
    for index in indices {
      guard index < shape.count, let point = shape[index] else { return nil }
      sum = Point(x: sum.x + point.x, y: sum.y + point.y)
    }
    return Point(x: sum.x / Double(indices.count), y: sum.y / Double(indices.count))
  }
}
