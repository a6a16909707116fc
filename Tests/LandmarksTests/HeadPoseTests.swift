import Execution
import Foundation
import Geometry
import Testing

@testable import Landmarks

@Suite("Head pose")
struct HeadPoseTests {
  @Test("a pose is found again from its projection", arguments: 0..<40)
  func pose(seed: Int) throws {
    var random = RandomStream(seed: UInt64(seed))
    let pose = HeadPose(
      roll: random.uniform(in: -170..<170), yaw: random.uniform(in: -80..<80), pitch: random.uniform(in: -80..<80),
      scale: random.uniform(in: 5..<300), residual: 0)
    var points: [Point?] = pose.project(center: Point(x: 40, y: -10))
    if seed % 3 == 0 { for k in stride(from: 0, to: 68, by: 3) { points[k] = nil } }
    let found = try #require(HeadPose.estimate(points))
    #expect(abs(found.roll - pose.roll) < 1e-6, "\(found), not \(pose)")
    #expect(abs(found.yaw - pose.yaw) < 1e-6 && abs(found.pitch - pose.pitch) < 1e-6, "\(found), not \(pose)")
    #expect(abs(found.scale - pose.scale) < 1e-6 * pose.scale && found.residual < 1e-6)
  }

  @Test("the residual is the distance from the projected head, in eye distances, whatever the picture's size")
  func residual() throws {
    var random = RandomStream(seed: 12)
    let pose = HeadPose(roll: 12, yaw: -25, pitch: 8, scale: 40, residual: 0)
    let points = pose.project(center: Point(x: 70, y: 60)).map {
      Point(x: $0.x + 3 * random.gaussian(), y: $0.y + 3 * random.gaussian())
    }
    let found = try #require(HeadPose.estimate(points))
    let middle = try #require(LandmarkLayout.center(Array(0..<68), of: points))
    let squares = zip(points, found.project(center: middle)).reduce(0) { $0 + pow($1.0.distance(to: $1.1), 2) }
    let expected = (squares / 68).squareRoot() / found.scale
    #expect(abs(found.residual - expected) < 1e-9 && expected > 0.05, "\(found.residual), not \(expected)")
    let larger = try #require(HeadPose.estimate(points.map { Point(x: 7 * $0.x, y: 7 * $0.y) }))
    #expect(abs(larger.residual - found.residual) < 1e-9)
  }

  @Test("signs: right, down, clockwise are positive")
  func signs() {
    func noseShift(_ pose: HeadPose) -> Point {
      let points = pose.project(center: Point(x: 0, y: 0))
      let middle = Point(x: (points[36].x + points[45].x) / 2, y: (points[36].y + points[45].y) / 2)
      return Point(x: points[30].x - middle.x, y: points[30].y - middle.y)
    }
    let front = HeadPose(roll: 0, yaw: 0, pitch: 0, scale: 100, residual: 0)
    var right = front
    right.yaw = 20
    #expect(noseShift(right).x > noseShift(front).x + 5)
    var down = front
    down.pitch = 20
    #expect(noseShift(down).y > noseShift(front).y + 5)
    var clockwise = front
    clockwise.roll = 20
    let points = clockwise.project(center: Point(x: 0, y: 0))
    // Clockwise in the picture lowers what lies to its right.
    #expect(points[45].y > points[36].y + 20)
  }

  @Test("the head seen in a mirror has the opposite roll and yaw and the same pitch", arguments: 0..<10)
  func mirroredPose(seed: Int) throws {
    var random = RandomStream(seed: UInt64(100 + seed))
    let mirror = LandmarkLayout.ibug68.mirror
    // Points off the model: a face of its own, so that the pose is a fit and no exact answer.
    let pose = HeadPose(
      roll: random.uniform(in: -30..<30), yaw: random.uniform(in: -40..<40), pitch: random.uniform(in: -30..<30),
      scale: 90, residual: 0)
    let points = pose.project(center: Point(x: 0, y: 0)).map {
      Point(x: $0.x + 2 * random.gaussian(), y: $0.y + 2 * random.gaussian())
    }
    let found = try #require(HeadPose.estimate(points))
    let other = try #require(HeadPose.estimate(mirror.map { Point(x: -points[$0].x, y: points[$0].y) }))
    // The mean head itself is the same on both sides to within a degree.
    #expect(abs(found.roll + other.roll) < 2 && abs(found.yaw + other.yaw) < 2, "\(found), mirrored \(other)")
    #expect(abs(found.pitch - other.pitch) < 2)
    #expect(abs(found.residual - other.residual) < 0.01)
  }
}

/// Points that determine no pose give none, whatever least squares would make of them.
@Suite("Points without a head pose")
struct UndefinedHeadPoseTests {
  private static let front = HeadPose(roll: 5, yaw: 10, pitch: -4, scale: 80, residual: 0)

  private static func noisy(_ points: [Point], by deviation: Double, seed: UInt64) -> [Point] {
    var random = RandomStream(seed: seed)
    return points.map { Point(x: $0.x + deviation * random.gaussian(), y: $0.y + deviation * random.gaussian()) }
  }

  @Test("none, too few, infinite ones")
  func few() {
    #expect(HeadPose.estimate([]) == nil)
    var points = [Point?](repeating: nil, count: 68)
    #expect(HeadPose.estimate(points) == nil)
    for (k, place) in [36, 45, 8].enumerated() {
      points[place] = Point(x: Double(10 * k), y: Double(k * k))
      #expect(HeadPose.estimate(points) == nil)
    }
    points = Self.front.project(center: Point(x: 0, y: 0))
    points[7] = Point(x: .infinity, y: 0)
    #expect(HeadPose.estimate(points) == nil)
  }

  @Test(
    "one spot, exactly or with the noise of single precision or of labels, near the corner and far from it",
    arguments: 0..<20)
  func spots(seed: Int) {
    for center in [Point(x: 3, y: 3), Point(x: 4321.37, y: 77.1)] {
      for deviation in [0, 1e-9, 1e-5, 1, 50] {
        let points = Self.noisy(Array(repeating: center, count: 68), by: deviation, seed: UInt64(seed))
        #expect(HeadPose.estimate(points) == nil, "deviation \(deviation) at \(center)")
      }
    }
  }

  @Test("points on a line in any direction, exactly or nearly", arguments: 0..<12)
  func lines(step: Int) {
    let angle = Double.pi * Double(step) / 12
    let direction = SIMD2(cos(angle), sin(angle))
    let face = Self.front.project(center: Point(x: 100, y: 100))
    // Evenly spaced, and a face squeezed onto the line.
    for places in [(0..<68).map { Double($0) }, face.map { $0.x * direction.x + $0.y * direction.y }] {
      let line = places.map { Point(x: $0 * direction.x, y: $0 * direction.y) }
      for deviation in [0, 1e-6, 0.1, 1] {
        let points = Self.noisy(line, by: deviation, seed: UInt64(step))
        #expect(HeadPose.estimate(points) == nil, "deviation \(deviation), \(angle) radians")
      }
    }
  }

  @Test("a picture squeezed to half still has a pose, to a tenth it has none")
  func squeezed() {
    func pose(_ share: Double) -> HeadPose? {
      HeadPose.estimate(Self.front.project(center: Point(x: 0, y: 0)).map { Point(x: $0.x, y: share * $0.y) })
    }
    #expect(pose(1) != nil && pose(0.5) != nil)
    #expect(pose(0.1) == nil && pose(0) == nil)
  }

  @Test("points that are flat on the head: one eye, an eyebrow, the bridge of the nose, both eyes alone")
  func flat() throws {
    let points = Self.front.project(center: Point(x: 50, y: 60))
    func pose(_ there: [Int]) -> HeadPose? { HeadPose.estimate((0..<68).map { there.contains($0) ? points[$0] : nil }) }
    for there in [Array(36..<42), Array(17..<22), Array(27..<31), Array(36..<48), [36, 39, 42, 45]] {
      #expect(pose(there) == nil, "\(there)")
    }
    for there in [Array(27..<48), Array(48..<68), [36, 45, 30, 48, 54], Array(0..<17)] {
      let found = try #require(pose(there), "\(there)")
      #expect(abs(found.yaw - 10) < 1e-6 && abs(found.pitch + 4) < 1e-6)
    }
  }

  @Test("another object's points, in any order, and a face whose left and right are exchanged", arguments: 0..<20)
  func otherObjects(seed: Int) {
    var random = RandomStream(seed: UInt64(300 + seed))
    let square = (0..<68).map { _ in Point(x: 100 * random.uniform(), y: 100 * random.uniform()) }
    #expect(HeadPose.estimate(square) == nil)
    let face = Self.front.project(center: Point(x: 0, y: 0))
    var shuffled = face
    random.shuffle(&shuffled)
    #expect(HeadPose.estimate(shuffled) == nil)
    let mirror = LandmarkLayout.ibug68.mirror
    #expect(HeadPose.estimate(mirror.map { face[$0] }) == nil)
    #expect(HeadPose.estimate(face.map { Point(x: -$0.x, y: $0.y) }) == nil)
  }
}
