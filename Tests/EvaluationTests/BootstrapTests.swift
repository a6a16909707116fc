import Evaluation
import Execution
import Foundation
import Geometry
import TestSupport
import Testing

struct BootstrapTests {
  private let measures: [DetectionMeasure] = [
    .averagePrecision(.allPoints), .logAverageMissRate, .missRate(falsePositivesPerImage: 0.5),
  ]

  /// One target an image; the first `found` images find theirs and nothing else is reported.
  private func coins(_ images: Int, found: Int) throws -> RankedOutcomes {
    let box = Box(x: 0, y: 0, width: 10, height: 10)
    let truth = (0..<images).map {
      AnnotatedImage(name: "\($0)", path: "", annotations: [Annotation(box: box, label: "face")])
    }
    let results = (0..<images).map { index in
      ImageDetections(
        image: "\(index)", width: 1, height: 1,
        detections: index < found ? [Detection(box: box, score: Double(index % 7), label: "face")] : [])
    }
    return RankedOutcomes(try Matcher().match(results: results, truth: truth))
  }

  @Test func theStandardErrorOfAShareIsThatOfTheBinomial() throws {
    let ranked = try coins(200, found: 140)
    let interval = try #require(
      Bootstrap.intervals(
        of: [.missRate(falsePositivesPerImage: 1)], for: ranked,
        options: BootstrapOptions(resampleCount: 4000, seed: 3))[0])
    let expected = (0.3 * 0.7 / 200).squareRoot()
    #expect(abs(interval.value - 0.3) < 1e-12)
    #expect(abs(interval.standardError / expected - 1) < 0.05)
    #expect(abs(interval.lower - (0.3 - 1.96 * expected)) < 0.01)
    #expect(abs(interval.upper - (0.3 + 1.96 * expected)) < 0.01)
  }

  @Test(arguments: [1, 2, 5]) func anyNumberOfThreadsGivesTheSame(threads: Int) throws {
    let scenes = DetectionScenes(seed: 4, imageCount: 40)
    let ranked = RankedOutcomes(try Matcher().match(results: scenes.results, truth: scenes.truth))
    let options = BootstrapOptions(resampleCount: 130, seed: 9)
    let one = Bootstrap.intervals(of: measures, for: ranked, options: options, executor: .serial)
    let several = Bootstrap.intervals(
      of: measures, for: ranked, options: options, executor: ParallelExecutor(threadCount: threads))
    #expect(one == several)
    #expect(one.allSatisfy { $0 != nil })
    let other = Bootstrap.intervals(
      of: measures, for: ranked, options: BootstrapOptions(resampleCount: 130, seed: 10), executor: .serial)
    #expect(one != other)
  }

  @Test func undefinedAndTooFewGiveNoInterval() throws {
    let single = try coins(1, found: 1)
    #expect(Bootstrap.intervals(of: measures, for: single, options: BootstrapOptions()).allSatisfy { $0 == nil })
    let many = try coins(10, found: 5)
    let none = Bootstrap.intervals(of: measures, for: many, options: BootstrapOptions(resampleCount: 0))
    #expect(none.allSatisfy { $0 == nil })
  }

  @Test func aResultDoesNotDifferFromItself() throws {
    let ranked = try coins(50, found: 20)
    let comparison = try #require(
      PairedComparison.compare(ranked, ranked, measure: .averagePrecision(.allPoints), options: BootstrapOptions()))
    #expect(comparison.difference.value == 0)
    #expect(comparison.difference.lower == 0)
    #expect(comparison.difference.upper == 0)
    #expect(comparison.pValue == 1)
    #expect(comparison.verdict == .undecided)
  }

  /// Each finds one face that the other misses: by symmetry nothing is more likely than what was seen.
  @Test func thePValueCountsBothSides() throws {
    let box = Box(x: 0, y: 0, width: 10, height: 10)
    func finding(_ found: Set<Int>) throws -> RankedOutcomes {
      let truth = (0..<30).map {
        AnnotatedImage(name: "\($0)", path: "", annotations: [Annotation(box: box, label: "face")])
      }
      let results = (0..<30).map { index in
        ImageDetections(
          image: "\(index)", width: 0, height: 0,
          detections: found.contains(index) ? [Detection(box: box, score: 1, label: "face")] : [])
      }
      return RankedOutcomes(try Matcher().match(results: results, truth: truth))
    }
    let common = Set(0..<20)
    let comparison = try #require(
      PairedComparison.compare(
        finding(common.union([20])), finding(common.union([21])), measure: .averagePrecision(.allPoints),
        options: BootstrapOptions()))
    #expect(comparison.pValue == 1)
  }

  @Test func aClearDifferenceIsSeenFromBothSidesAndASmallOneIsNot() throws {
    let (good, bad, near) = (try coins(100, found: 80), try coins(100, found: 50), try coins(100, found: 79))
    let options = BootstrapOptions(seed: 2)
    let ap = DetectionMeasure.averagePrecision(.allPoints)
    let first = try #require(PairedComparison.compare(good, bad, measure: ap, options: options))
    #expect(first.verdict == .firstIsBetter)
    #expect(first.pValue < 0.01)
    #expect(abs(first.difference.value - 0.3) < 1e-12)
    let second = try #require(PairedComparison.compare(bad, good, measure: ap, options: options))
    #expect(second.verdict == .secondIsBetter)
    #expect(second.difference.lower == -first.difference.upper)
    // A smaller miss rate is better.
    let miss = try #require(
      PairedComparison.compare(good, bad, measure: .missRate(falsePositivesPerImage: 1), options: options))
    #expect(miss.verdict == .firstIsBetter)
    let small = try #require(PairedComparison.compare(good, near, measure: ap, options: options))
    #expect(small.verdict == .undecided)
  }

  /// Two results that are alike by chance: the test may call a difference in about one draw of twenty.
  @Test func aDifferenceByChanceIsSeldomCalled() throws {
    var called = 0
    let box = Box(x: 0, y: 0, width: 10, height: 10)
    let truth = (0..<80).map {
      AnnotatedImage(name: "\($0)", path: "", annotations: [Annotation(box: box, label: "face")])
    }
    for seed in 0..<100 {
      var random = RandomStream(seed: UInt64(seed))
      func draw() throws -> RankedOutcomes {
        let results = (0..<80).map { index in
          ImageDetections(
            image: "\(index)", width: 1, height: 1,
            detections: random.uniform() < 0.6 ? [Detection(box: box, score: random.uniform(), label: "face")] : [])
        }
        return RankedOutcomes(try Matcher().match(results: results, truth: truth))
      }
      let comparison = try #require(
        PairedComparison.compare(
          draw(), draw(), measure: .averagePrecision(.allPoints), options: BootstrapOptions(resampleCount: 400)))
      if comparison.verdict != .undecided { called += 1 }
    }
    #expect((1...12).contains(called), "\(called) of 100")
  }
}
