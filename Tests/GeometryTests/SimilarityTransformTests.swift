import Execution
import Geometry
import TestSupport
import Testing

struct SimilarityTransformTests {
  @Test(arguments: testSeeds) func fitRecoversTheTransformAndItsInverseUndoesIt(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    let truth = SimilarityTransform(
      a: random.uniform(in: -2..<2), b: random.uniform(in: -2..<2), tx: random.uniform(in: -9..<9),
      ty: random.uniform(in: -9..<9))
    let points = (0..<7).map { _ in Point(x: random.uniform(in: -5..<5), y: random.uniform(in: -5..<5)) }
    let fitted = try #require(SimilarityTransform.fit(from: points, to: points.map(truth.apply)))
    let inverse = try #require(fitted.inverse)
    for point in points {
      #expect(fitted.apply(point).distance(to: truth.apply(point)) < 1e-9, "seed \(seed)")
      #expect(inverse.apply(truth.apply(point)).distance(to: point) < 1e-9, "seed \(seed)")
    }
  }

  @Test func degenerateInputHasNoFit() {
    let one = Point(x: 1, y: 1)
    #expect(SimilarityTransform.fit(from: [one], to: [one]) == nil)
    #expect(SimilarityTransform.fit(from: [one, one], to: [one, Point(x: 2, y: 2)]) == nil)
    #expect(SimilarityTransform(a: 0, b: 0, tx: 1, ty: 1).inverse == nil)
  }
}
