import Geometry
import Testing

@testable import Evaluation

@Suite("Landmark errors")
struct LandmarkMeasureTests {
  private let truth: [Point?] = [Point(x: 0, y: 0), Point(x: 10, y: 0), Point(x: 5, y: 5), nil]

  private func face(_ name: String, _ shift: Double) -> LandmarkComparison {
    LandmarkComparison(
      name: name, truth: truth,
      found: [Point(x: shift, y: 0), Point(x: 10, y: 0), Point(x: 5, y: 5 + shift), Point(x: 99, y: 99)])
  }

  @Test("lengths by hand")
  func lengths() {
    #expect(LandmarkNormalizer.distance([0], [1]).length(truth) == 10)
    #expect(LandmarkNormalizer.distance([0, 1], [2]).length(truth) == 5)
    #expect(LandmarkNormalizer.distance([0], [3]).length(truth) == nil)
    #expect(LandmarkNormalizer.distance([0], [0]).length(truth) == nil)
    #expect(LandmarkNormalizer.boxDiagonal.length(truth) == 125.0.squareRoot())
    #expect(LandmarkNormalizer.faceSize.length(truth) == 50.0.squareRoot())
    #expect(LandmarkNormalizer.boxDiagonal.length([nil, nil]) == nil)
  }

  @Test("figures by hand: absent points do not count")
  func figures() throws {
    let measure = LandmarkMeasure([face("a", 0), face("b", 0.6), face("c", 3)], normalizer: .distance([0], [1]))
    // Errors: 0, (0.6 + 0 + 0.6) / 3 / 10 = 0.04, 0.2.
    #expect(zip(measure.errors.map(\.error), [0, 0.04, 0.2]).allSatisfy { abs($0 - $1) < 1e-12 })
    #expect(abs(try #require(measure.mean) - 0.08) < 1e-12)
    #expect(abs(try #require(measure.median) - 0.04) < 1e-12)
    #expect(abs(try #require(measure.failureRate) - 1.0 / 3) < 1e-12)
    // Areas: 1, 0.5, 0.
    #expect(abs(try #require(measure.areaUnderCurve) - 0.5) < 1e-12)
    #expect(measure.share(within: 0.05) == 2.0 / 3)
    #expect(measure.curve.map(\.share) == [1.0 / 3, 2.0 / 3, 1])
    #expect(measure.pointErrors[1] == 0 && measure.pointErrors[3] == nil)
    #expect(abs(try #require(measure.pointErrors[0]) - 0.12) < 1e-12)
    #expect(abs(try #require(measure.error(ofPoints: [0, 1, 3])) - 0.06) < 1e-12)
    #expect(measure.error(ofPoints: [3]) == nil)
  }

  @Test("nothing to measure is undefined, not zero")
  func nothing() {
    for measure in [
      LandmarkMeasure([], normalizer: .faceSize), LandmarkMeasure([face("a", 1)], normalizer: .distance([3], [1])),
    ] {
      #expect(measure.mean == nil && measure.median == nil && measure.failureRate == nil)
      #expect(measure.areaUnderCurve == nil && measure.share(within: 1) == nil && measure.curve.isEmpty)
    }
    #expect(LandmarkMeasure([face("a", 1)], normalizer: .distance([3], [1])).unmeasuredCount == 1)
    let report = LandmarkReport(
      title: "none", measures: [("size", LandmarkMeasure([], normalizer: .faceSize))], groups: [("eyes", [0])])
    #expect(report.text.contains("-"))
    #expect(report.json.contains("\"mean\":null") || report.json.contains("\"mean\": null"))
  }
}
