import Execution
import Foundation
import Geometry
import Testing

@testable import Landmarks

@Suite("Landmark layouts")
struct LandmarkLayoutTests {
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
    let one = LandmarkLayout(name: "one", summary: "", sides: .image, pointCount: 1, mirror: [0], groups: [])
    try one.validate(source: "test")
    #expect(one.points(from: [Point(x: 1, y: 2)]) == [Point(x: 1, y: 2)])
  }
}
