import Execution
import Foundation
import Geometry
import Testing

@testable import Landmarks

@Suite("Landmark layouts and head pose")
struct LayoutAndPoseTests {
  @Test("the layouts that come with it are whole")
  func layouts() throws {
    let names = LandmarkLayout.all.map(\.name)
    #expect(names == ["ibug68", "inner51", "five", "regions76", "key6", "contours"])
    for layout in LandmarkLayout.all { try layout.validate(source: "test") }
    let counts = LandmarkLayout.all.map(\.pointCount)
    #expect(Array(counts[0..<5]) == [68, 51, 5, 76, 6])
    let groups = try #require(LandmarkLayout.named("regions76")).groups
    #expect(groups.count == 12)
    let sizes = Dictionary(uniqueKeysWithValues: groups.map { ($0.name, $0.points.count) })
    #expect(
      sizes == [
        "faceContour": 17, "leftEye": 6, "rightEye": 6, "leftPupil": 1, "rightPupil": 1, "leftEyebrow": 6,
        "rightEyebrow": 6, "nose": 8, "noseCrest": 6, "medianLine": 10, "outerLips": 14, "innerLips": 6,
      ])
    #expect(Set(groups.flatMap(\.points)) == Set(0..<76))
  }

  @Test("deriving from a mirrored face is mirroring what was derived")
  func mirrors() throws {
    var random = RandomStream(seed: 1)
    let base = LandmarkLayout.ibug68
    let shape = (0..<68).map { _ in Point(x: 100 * random.uniform(), y: 100 * random.uniform()) }
    func mirrored(_ points: [Point], _ map: [Int]) -> [Point] { map.map { Point(x: -points[$0].x, y: points[$0].y) } }
    for layout in LandmarkLayout.all where layout.base != nil {
      let first = try #require(layout.points(from: mirrored(shape, base.mirror)))
      let second = mirrored(try #require(layout.points(from: shape)), layout.mirror)
      for (a, b) in zip(first, second) { #expect(a.distance(to: b) < 1e-3, "\(layout.name)") }
      #expect(layout.points(from: []) == nil)
    }
  }

  @Test("a mirror map that does not undo itself is an error")
  func involution() {
    var layout = LandmarkLayout.ibug68
    layout.mirror[3] = 4
    #expect(throws: InputError.self) { try layout.validate(source: "test") }
    layout = LandmarkLayout.ibug68
    layout.mirror[0] = 68
    #expect(throws: InputError.self) { try layout.validate(source: "test") }
    #expect(throws: InputError.self) { try LandmarkLayout.read(Data("{}".utf8), name: "test") }
  }

  @Test("a layout is found by its name or in a file, checked, and of the data's number of points")
  func find() throws {
    #expect(try LandmarkLayout.find("five", pointCount: 5).name == "five")
    #expect(throws: InputError.self) { try LandmarkLayout.find("five", pointCount: 6) }
    #expect(throws: InputError.self) { try LandmarkLayout.find("/nowhere/at/all.json", pointCount: 5) }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    func write(_ mirror: String) throws {
      try AtomicFile.write(
        #"[{"name":"pair","summary":"","sides":"image","pointCount":2,"mirror":[\#(mirror)],"groups":[]},"#
          + #"{"name":"three","summary":"","sides":"image","pointCount":3,"mirror":[2,1,0],"groups":[]}]"#, to: path)
    }
    try write("1,0")
    #expect(try LandmarkLayout.find(path, pointCount: 2).name == "pair")
    #expect(try LandmarkLayout.find(path, pointCount: 3).name == "three")
    #expect(throws: InputError.self) { try LandmarkLayout.find(path, pointCount: 4) }
    #expect(throws: InputError.self) { try LandmarkLayout.find("", pointCount: 2) }
    // Two that fit: none is picked.
    let one = #"{"name":"NAME","summary":"","sides":"image","pointCount":2,"mirror":[1,0],"groups":[]}"#
    let both = ["first", "second"].map { one.replacing("NAME", with: $0) }.joined(separator: ",")
    try AtomicFile.write("[\(both)]", to: path)
    let several = #expect(throws: InputError.self) { try LandmarkLayout.find(path, pointCount: 2) }
    #expect(several?.problem == "has several that fit")
    for bad in [
      one.replacing("NAME", with: ""), one.replacing("[]", with: #"[{"name":"g","points":[],"isClosed":true}]"#),
    ] {
      try AtomicFile.write("[\(bad)]", to: path)
      #expect(throws: InputError.self, "\(bad)") { try LandmarkLayout.find(path, pointCount: 2) }
    }
    for bad in ["1,1", "1", "0,2", "0,1,2"] {
      try write(bad)
      #expect(throws: InputError.self, "mirror \(bad)") { try LandmarkLayout.find(path, pointCount: 2) }
    }
  }

  @Test("names say the person's side: the right eye lies left of the left one on the head")
  func sides() {
    let layout = LandmarkLayout.ibug68
    let head = HeadModel.mean68
    func x(_ indices: [Int]?) -> Double { indices!.reduce(0) { $0 + head.points[$1].x } / Double(indices!.count) }
    #expect(x(layout.rightEye) < 0 && x(layout.leftEye) > 0)
    #expect(abs(head.points[45].x - head.points[36].x - 1) < 1e-3)
    // The nose is nearer than the ears.
    #expect(head.points[30].z < head.points[0].z - 0.3)
  }

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

  @Test("points that say nothing give no pose")
  func noPose() {
    #expect(HeadPose.estimate([]) == nil)
    #expect(HeadPose.estimate(Array(repeating: Point(x: 3, y: 3), count: 68)) == nil)
    #expect(HeadPose.estimate((0..<68).map { Point(x: Double($0), y: 0) }) == nil)
    var few = [Point?](repeating: nil, count: 68)
    few[0] = Point(x: 0, y: 0)
    #expect(HeadPose.estimate(few) == nil)
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

  @Test("each group's points are named once but where groups share them, and a layout of one point is a layout")
  func sharing() throws {
    let regions = try #require(LandmarkLayout.named("regions76"))
    let uses = Dictionary(regions.groups.flatMap(\.points).map { ($0, 1) }, uniquingKeysWith: +)
    #expect(uses.values.contains(2))
    for group in regions.groups { #expect(Set(group.points).count == group.points.count, "\(group.name)") }
    let contours = try #require(LandmarkLayout.named("contours"))
    let names = Set(contours.groups.map(\.name))
    #expect(
      names.isSuperset(of: [
        "face", "upperLipTop", "upperLipBottom", "lowerLipTop", "lowerLipBottom", "rightEyebrowTop", "leftEyebrowTop",
        "rightEyebrowBottom", "leftEyebrowBottom", "noseBridge", "noseBottom", "rightCheek", "leftCheek", "rightEye",
        "leftEye",
      ]))
    #expect(try #require(LandmarkLayout.named("key6")).groups.count == 6)
    let one = Data(
      #"[{"name":"one","summary":"","sides":"image","pointCount":1,"mirror":[0],"groups":[]}]"#.utf8)
    #expect(try LandmarkLayout.read(one, name: "test")[0].points(from: [Point(x: 1, y: 2)]) == [Point(x: 1, y: 2)])
  }
}
