import Execution
import Foundation
import Geometry
import TestSupport
import Testing

struct BoxTests {
  @Test func overlapsWorkedByHand() {
    let a = Box(x: 0, y: 0, width: 4, height: 2)
    let b = Box(x: 2, y: 1, width: 4, height: 2)
    #expect(a.intersectionArea(b) == 2)
    #expect(a.intersectionOverUnion(b) == 2.0 / 14.0)
    #expect(a.intersectionOverSmaller(b) == 0.25)
    #expect(a.union(b) == Box(x: 0, y: 0, width: 6, height: 3))
    #expect(a.intersection(b) == Box(x: 2, y: 1, width: 2, height: 1))
    #expect(a.intersection(Box(x: 4, y: 0, width: 1, height: 1)) == nil)
  }

  @Test(arguments: testSeeds) func overlapIsSymmetricBoundedAndFollowsScaleShiftAndMirror(seed: UInt64) {
    var random = RandomStream(seed: seed)
    for _ in 0..<200 {
      let a = Box(
        x: random.uniform(in: -50..<50), y: random.uniform(in: -50..<50), width: random.uniform(in: 0..<40),
        height: random.uniform(in: 0..<40))
      let b = Box(
        x: random.uniform(in: -50..<50), y: random.uniform(in: -50..<50), width: random.uniform(in: 0..<40),
        height: random.uniform(in: 0..<40))
      let overlap = a.intersectionOverUnion(b)
      #expect(overlap >= 0 && overlap <= 1 && overlap == b.intersectionOverUnion(a), "seed \(seed)")
      #expect(abs(a.scaled(by: 3).intersectionOverUnion(b.scaled(by: 3)) - overlap) < 1e-12, "seed \(seed)")
      let mirrored = a.mirrored(imageWidth: 100).intersectionOverUnion(b.mirrored(imageWidth: 100))
      #expect(abs(mirrored - overlap) < 1e-12, "seed \(seed)")
    }
  }

  @Test func emptyBoxesOverlapNothing() {
    let empty = Box(x: 1, y: 1, width: 0, height: 5)
    #expect(empty.area == 0)
    #expect(Box(x: 0, y: 0, width: 4, height: 4).intersectionOverUnion(empty) == 0)
    #expect(Box(x: 0, y: 0, width: Double.nan, height: 4).isEmpty)
  }

  @Test func codesAsFourNumbers() throws {
    let box = Box(x: 1.5, y: -2, width: 3, height: 4)
    let data = try JSONEncoder().encode(box)
    #expect(String(decoding: data, as: UTF8.self) == "[1.5,-2,3,4]")
    #expect(try JSONDecoder().decode(Box.self, from: data) == box)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Box.self, from: Data("[1,2,3]".utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Box.self, from: Data("[1,2,3,4,5]".utf8)) }
  }

  @Test func messagesGiveHundredthsAndNoMore() {
    #expect(Box(x: 12.5, y: 40, width: 100.0 / 3, height: -0.001).words == "[12.5, 40, 33.33, 0]")
    #expect(Box(x: -7.256, y: 1e9, width: .nan, height: .infinity).words == "[-7.26, 1000000000, nan, inf]")
    #expect(Box(x: 1e300, y: -.infinity, width: 0, height: 3).words == "[1e+300, -inf, 0, 3]")
  }
}
