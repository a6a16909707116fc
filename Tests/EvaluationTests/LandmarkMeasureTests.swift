import Execution
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
    let none = LandmarkMeasure([], normalizer: .faceSize)
    var report = LandmarkReport(
      title: "none", measures: [("size", none)], groups: [("eyes", none)],
      perturbations: [LandmarkPerturbation(kind: .both, size: 0.1, means: [nil])])
    report.confidence = [("moved", SeparationMeasure(right: [], wrong: [0.1]))]
    #expect(report.text.contains("-"))
    #expect(report.json.contains("\"mean\":null") || report.json.contains("\"mean\": null"))
  }

  @Test("a group's figures are those of its points over the length of the whole face")
  func groups() throws {
    let faces = [face("a", 0), face("b", 0.6), face("c", 3)]
    let group = LandmarkMeasure(faces, normalizer: .distance([0], [1]), points: [0, 3])
    // Point 0 alone, for 3 is absent: 0, 0.06 and 0.3 of the length 10.
    #expect(zip(group.errors.map(\.error), [0, 0.06, 0.3]).allSatisfy { abs($0 - $1) < 1e-12 })
    #expect(abs(try #require(group.failureRate) - 1.0 / 3) < 1e-12)
    #expect(abs(try #require(group.areaUnderCurve) - (1 + 0.25) / 3) < 1e-12)
    #expect(LandmarkMeasure(faces, normalizer: .distance([0], [1]), points: [3]).mean == nil)
    var report = LandmarkReport(
      title: "t", measures: [("m", LandmarkMeasure(faces, normalizer: .distance([0], [1])))], groups: [("g", group)],
      perturbations: [LandmarkPerturbation(kind: .shift, size: 0.1, means: [0.1, 0.12, nil])])
    report.points = (0..<4).map { LandmarkMeasure(faces, normalizer: .distance([0], [1]), points: [$0]) }
    report.showsPoints = true
    // Means of 0.1 and 0.12 over 0.08: growths of 0.25 and 0.5; the deviation of two is their distance over the root of 2.
    let growth = report.perturbations[0].growth(over: report.still)
    #expect(abs(try #require(growth.mean) - 0.375) < 1e-12)
    #expect(abs(try #require(growth.deviation) - 0.25 / 2.0.squareRoot()) < 1e-12)
    #expect(report.text.contains("shift 0.1                  11.00     37.50     17.68"))
    #expect(report.json.contains("\"kind\": \"shift\", \"size\": 0.1, \"mean\": 0.11"))
    // Faces within an eighth, two ... of 0.08: one up to 0.03, two from 0.04 on.
    #expect(report.text.contains("33.33     33.33     33.33     66.67     66.67"))
    #expect(report.text.contains("\n3                              0         -"))
  }

  @Test("the area under the ROC curve by hand, and by counting pairs")
  func separation() throws {
    let measure = SeparationMeasure(right: [0.9, 0.4, 0.8], wrong: [0.1, 0.4])
    // Pairs in order: 2 + 1.5 + 2 of 6.
    #expect(abs(try #require(measure.areaUnderCurve) - 5.5 / 6) < 1e-12)
    #expect(measure.curve.map(\.wrongShare) == [0, 0, 0, 0.5, 1])
    #expect(measure.curve.map(\.rightShare) == [0, 1.0 / 3, 2.0 / 3, 1, 1])
    #expect(measure.rightShare(atWrongShare: 0.4) == 2.0 / 3 && measure.rightShare(atWrongShare: 0.5) == 1)
    #expect(measure.shares(atLeast: 0.4).wrong == 0.5)
    let none = SeparationMeasure(right: [], wrong: [1])
    #expect(
      none.areaUnderCurve == nil && none.rightShare(atWrongShare: 1) == nil && none.shares(atLeast: 0).right == nil)
    for seed in 0..<30 {
      var random = RandomStream(seed: UInt64(seed))
      func scores(_ count: Int, _ shift: Double) -> [Double] {
        (0..<count).map { _ in (10 * (random.uniform() + shift)).rounded() / 10 }
      }
      let (right, wrong) = (scores(1 + seed, 0.2), scores(40 - seed, 0))
      let pairs = right.flatMap { r in wrong.map { r > $0 ? 1.0 : r == $0 ? 0.5 : 0 } }
      let expected = pairs.reduce(0, +) / Double(pairs.count)
      let measure = SeparationMeasure(right: right, wrong: wrong)
      #expect(abs(try #require(measure.areaUnderCurve) - expected) < 1e-12, "seed \(seed)")
      // The same by trapezoids under the curve.
      let area = zip(measure.curve, measure.curve.dropFirst()).reduce(0) {
        $0 + ($1.1.wrongShare - $1.0.wrongShare) * ($1.1.rightShare + $1.0.rightShare) / 2
      }
      #expect(abs(area - expected) < 1e-12, "seed \(seed)")
    }
  }
}
