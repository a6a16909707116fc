import Execution
import Learning
import TestSupport
import Testing

struct PlattScalingTests {
  struct Golden: Decodable {
    var scores: [Double]
    var positive: [Bool]
    var a: Double
    var b: Double
  }

  /// Golden: scikit-learn 1.9.1, see Tests/Fixtures/Learning/make_fixtures.py; tolerance 1e-4 (it stops its search earlier).
  @Test func agreesWithScikitLearn() throws {
    let golden = try fixture(Golden.self, "platt.json")
    let fit = try PlattScaling.fit(scores: golden.scores, labels: golden.positive)
    #expect(abs(fit.a - golden.a) < 1e-4)
    #expect(abs(fit.b - golden.b) < 1e-4)
  }

  /// Scores of +1 and -1 only: the two targets are met exactly.
  @Test func targetsByHand() throws {
    let fit = try PlattScaling.fit(scores: [1, 1, -1, -1, -1], labels: [true, true, false, false, false])
    #expect(abs(fit.confidence(1) - 3.0 / 4) < 1e-6)
    #expect(abs(fit.confidence(-1) - 1.0 / 5) < 1e-6)
  }

  @Test(arguments: testSeeds) func unitsAndOrderDoNotMatter(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    let labels = (0..<60).map { $0 % 4 == 0 }
    let scores = labels.map { random.gaussian() + ($0 ? 1 : -1) }
    let base = try PlattScaling.fit(scores: scores, labels: labels)
    let grid = [-3, -1, 0, 0.5, 2]
    for (scale, shift) in [(1e-9, 0.0), (1e200, 0), (2, 100), (0.5, -7)] {
      let other = try PlattScaling.fit(scores: scores.map { $0 * scale + shift }, labels: labels)
      for score in grid {
        #expect(abs(other.confidence(score * scale + shift) - base.confidence(score)) < 1e-6, "seed \(seed), \(scale)")
      }
    }
    let confidences = grid.map(base.confidence)
    #expect(confidences == confidences.sorted() && Set(confidences).count == grid.count, "seed \(seed)")
    // A weight of 2 is the sample twice.
    let weighted = try PlattScaling.fit(scores: scores, labels: labels, weights: scores.map { _ in 2 })
    let twice = try PlattScaling.fit(scores: scores + scores, labels: labels + labels)
    #expect(abs(weighted.a - twice.a) < 1e-6 && abs(weighted.b - twice.b) < 1e-6, "seed \(seed)")
  }

  @Test func confidencesNeverLeaveTheirRange() throws {
    let fit = try PlattScaling.fit(scores: [-2, -1, 1, 2], labels: [false, false, true, true])
    #expect(fit.confidence(1e308) == 1 && fit.confidence(-1e308) == 0)
    #expect(fit.confidence(.infinity) == 1 && fit.confidence(-.infinity) == 0)
    let flat = PlattScaling(a: 0, b: 0)
    #expect(flat.confidence(.infinity) == 0.5 && flat.confidence(3) == 0.5)
    let steep = PlattScaling(a: -1e300, b: 1e300)
    #expect(steep.confidence(1e300) == 1 && steep.confidence(-1e300) == 0)
  }

  @Test func whatCannotBeFittedIsNamed() {
    func fit(_ scores: [Double], _ labels: [Bool], _ weights: [Double]? = nil) throws {
      _ = try PlattScaling.fit(scores: scores, labels: labels, weights: weights)
    }
    #expect(throws: LearningError.noSamples) { try fit([], []) }
    #expect(throws: LearningError.constantScores(value: 2)) { try fit([2, 2, 2], [true, false, true]) }
    #expect(throws: LearningError.constantScores(value: 1e9)) { try fit([1e9, 1e9 + 1e-7], [true, false]) }
    #expect(throws: LearningError.constantScores(value: 0)) { try fit([0, .leastNonzeroMagnitude], [false, true]) }
    #expect(throws: LearningError.oneClassOnly(positives: 0, negatives: 2)) { try fit([1, 2], [false, false]) }
    #expect(throws: LearningError.oneClassOnly(positives: 1, negatives: 0)) {
      try fit([1, 2], [true, false], [1, 0])
    }
    #expect(throws: LearningError.scoreNotFinite(index: 1)) { try fit([1, .nan], [true, false]) }
    #expect(throws: LearningError.scoreNotFinite(index: 0)) { try fit([.infinity, 1], [true, false]) }
    #expect(throws: LearningError.badWeight(row: 0)) { try fit([1, 2], [true, false], [-1, 1]) }
    #expect(throws: LearningError.countMismatch(what: "labels", found: 1, expected: 2)) { try fit([1, 2], [true]) }
    #expect(throws: LearningError.scoresDoNotSeparate) { try fit([1, 2, 3, 4], [true, true, false, false]) }
  }

  @Test func extremesAreFitted() throws {
    for scores in [[-1.7e308, 1.7e308], [1e-300, 2e-300], [0, 1]] {
      let fit = try PlattScaling.fit(scores: scores, labels: [false, true])
      #expect(fit.confidence(scores[0]) < 0.5 && fit.confidence(scores[1]) > 0.5)
    }
  }
}
