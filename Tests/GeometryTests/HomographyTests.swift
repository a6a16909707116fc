import Execution
import Foundation
import Geometry
import TestSupport
import Testing

@Suite("Perspective maps")
struct HomographyTests {
  private func isNear(_ a: Point?, _ b: Point, _ tolerance: Double = 1e-9) -> Bool {
    a.map { $0.distance(to: b) <= tolerance } ?? false
  }

  @Test("A map by hand, and points without an image")
  func byHand() {
    let map = Homography(2, 0, 1, 0, 3, 0, 0, 0.5, 1)
    // (2 * 4 + 1) / (0.5 * 2 + 1), 3 * 2 / 2.
    #expect(map.apply(Point(x: 4, y: 2)) == Point(x: 4.5, y: 3))
    #expect(map.apply(Point(x: 4, y: -2)) == nil)
    #expect(map.apply(Point(x: 4, y: -3)) == nil)
    #expect(map.bounds(of: Box(x: 0, y: 0, width: 2, height: 2)) == Box(x: 0.5, y: 0, width: 4.5, height: 3))
    #expect(map.bounds(of: Box(x: 0, y: -4, width: 2, height: 8)) == nil)
    #expect(Homography(1, 2, 0, 2, 4, 0, 0, 0, 1).inverse == nil)
    let boxes = Homography.map(Box(x: 1, y: 2, width: 4, height: 5), onto: Box(x: 10, y: 20, width: 2, height: 10))
    #expect(boxes.apply(Point(x: 3, y: 7)) == Point(x: 11, y: 30))
  }

  @Test("Views by hand: a quarter turn, and a nod of 60 degrees seen from 4")
  func views() {
    let quarter = Homography.view(rotation: (0, 0, Double.pi / 2), distance: 7)
    // Clockwise as seen, y downwards: right goes down.
    #expect(isNear(quarter.apply(Point(x: 1, y: 0)), Point(x: 0, y: 1)))
    #expect(isNear(quarter.apply(Point(x: 0, y: 1)), Point(x: -1, y: 0)))
    let nod = Homography.view(rotation: (Double.pi / 3, 0, 0), distance: 4)
    // y = 2 goes to height 2 cos 60 = 1 and depth 2 sin 60 = 1.732: seen from 4 at 4 / (4 + 1.732).
    let far = 4 / (4 + 3.0.squareRoot())
    let near = 4 / (4 - 3.0.squareRoot())
    #expect(isNear(nod.apply(Point(x: 1, y: 2)), Point(x: far, y: far)))
    #expect(isNear(nod.apply(Point(x: 1, y: -2)), Point(x: near, y: -near)))
    #expect(Homography.view(rotation: (0, 0, 0), distance: 4) == .identity)
  }

  @Test("The inverse undoes, one after the other is both", arguments: testSeeds)
  func inverse(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    for _ in 0..<50 {
      func drawn() -> Homography {
        .view(
          rotation: (random.uniform(in: -1..<1), random.uniform(in: -1..<1), random.uniform(in: -3..<3)),
          distance: random.uniform(in: 2..<5))
      }
      let (first, second) = (drawn(), drawn())
      let point = Point(x: random.uniform(in: -0.4..<0.4), y: random.uniform(in: -0.4..<0.4))
      let seen = try #require(first.apply(point), "seed \(seed)")
      #expect(isNear(try #require(first.inverse).apply(seen), point), "seed \(seed)")
      let both = try #require(second.apply(seen))
      #expect(isNear(first.followed(by: second).apply(point), both), "seed \(seed)")
      // A turn keeps distances from the centre where it is not seen in perspective.
      let flat = Homography.view(rotation: (0, 0, random.uniform(in: -3..<3)), distance: 3)
      #expect(abs((flat.apply(point)!.distance(to: Point(x: 0, y: 0))) - point.distance(to: Point(x: 0, y: 0))) < 1e-12)
    }
  }
}
