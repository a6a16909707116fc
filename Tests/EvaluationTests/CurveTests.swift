import Evaluation
import Foundation
import Geometry
import TestSupport
import Testing

/// Builds a matching whose detections, by falling score, are right or wrong as asked.
func ranking(_ right: [Bool], scores: [Double]? = nil, missed: Int = 0, images: Int = 1) throws -> Matching {
  var annotations: [[Annotation]] = Array(repeating: [], count: images)
  var detections: [[Detection]] = Array(repeating: [], count: images)
  for (index, isRight) in right.enumerated() {
    let box = Box(x: Double(index) * 20, y: isRight ? 0 : 50, width: 10, height: 10)
    if isRight { annotations[index % images].append(Annotation(box: box, label: "face")) }
    detections[index % images].append(
      Detection(box: box, score: scores?[index] ?? Double(right.count - index), label: "face"))
  }
  for index in 0..<missed {
    annotations[index % images].append(
      Annotation(box: Box(x: Double(index) * 20, y: 100, width: 10, height: 10), label: "face"))
  }
  return try Matcher().match(
    results: (0..<images).map {
      ImageDetections(image: "\($0)", width: 0, height: 0, detections: detections[$0])
    },
    truth: (0..<images).map { AnnotatedImage(name: "\($0)", path: "", annotations: annotations[$0]) })
}

struct CurveTests {
  /// Right, wrong, right, right, wrong with four targets: precisions 1, 1/2, 2/3, 3/4, 3/5.
  private func example() throws -> Matching { try ranking([true, false, true, true, false], missed: 1) }

  static let expected: [(rule: AveragePrecisionRule, value: Double)] = [
    (.allPoints, 2.5 / 4),
    // Recall 1/4 reaches 0, 0.1 and 0.2 with precision 1; recall 3/4 reaches five more with 3/4.
    (.elevenPoints, 6.75 / 11),
    // Recall 1/4 reaches samples 0...25, recall 3/4 samples 26...75.
    (.hundredAndOnePoints, 63.5 / 101),
    (.uninterpolated, (1.75 + 2.0 / 3) / 4),
  ]

  @Test(arguments: expected) func averagePrecisionByHand(rule: AveragePrecisionRule, expected: Double) throws {
    let value = try #require(RankedOutcomes(example()).value(of: .averagePrecision(rule)))
    #expect(abs(value - expected) < 1e-15)
  }

  @Test func equalScoresAreOnePoint() throws {
    let matching = try ranking([true, false, true, false], scores: [2, 2, 1, 1])
    #expect(
      DetectionCurve(matching).points == [
        OperatingPoint(score: 2, truePositives: 1, falsePositives: 1),
        OperatingPoint(score: 1, truePositives: 2, falsePositives: 2),
      ])
    #expect(RankedOutcomes(matching).value(of: .averagePrecision(.allPoints)) == 0.5)
  }

  @Test func minusZeroAndZeroAreOneScore() throws {
    let matching = try ranking([true, false], scores: [-0.0, 0])
    #expect(DetectionCurve(matching).points.count == 1)
  }

  /// Ten images; the first false alarm (0.1 an image) comes after two of four targets, nine more after the third.
  @Test func logAverageMissRateByHand() throws {
    let right = [true, true, false, true] + Array(repeating: false, count: 9)
    let ranked = RankedOutcomes(try ranking(right, missed: 1, images: 10))
    // Rates below 0.1: miss 1/2; from 0.1 on three of four are found before the second false alarm.
    let expected = exp((4 * log(0.5) + 5 * log(0.25)) / 9)
    let value = try #require(ranked.value(of: .logAverageMissRate))
    #expect(abs(value - expected) < 1e-12)
    #expect(ranked.value(of: .missRate(falsePositivesPerImage: 0.05)) == 0.5)
    #expect(ranked.value(of: .missRate(falsePositivesPerImage: 0.1)) == 0.25)
  }

  @Test func aCurveThatBeginsRightOfARateMissesAllThere() throws {
    let ranked = RankedOutcomes(try ranking([false, true], images: 2))
    #expect(ranked.value(of: .missRate(falsePositivesPerImage: 0.4)) == 1)
    #expect(ranked.value(of: .missRate(falsePositivesPerImage: 0.5)) == 0)
    // The toolbox counts a miss rate of zero as 1e-10: three of the nine rates are 0.5 or more... 10^-0.25 and 1.
    let value = try #require(ranked.value(of: .logAverageMissRate))
    #expect(abs(log10(value) - (2 * -10.0) / 9) < 1e-9)
  }

  @Test func nothingToMeasureIsUndefinedAndNothingFoundIsZero() throws {
    let noTargets = RankedOutcomes(try ranking([false, false]))
    #expect(noTargets.value(of: .averagePrecision(.allPoints)) == nil)
    #expect(noTargets.value(of: .logAverageMissRate) == nil)
    #expect(DetectionCurve(noTargets).recall(DetectionCurve(noTargets).points[0]) == nil)
    let nothingFound = RankedOutcomes(try ranking([], missed: 3))
    #expect(nothingFound.value(of: .averagePrecision(.allPoints)) == 0)
    #expect(nothingFound.value(of: .missRate(falsePositivesPerImage: 1)) == 1)
    #expect(DetectionCurve(nothingFound).point(recall: 0.1) == nil)
    #expect(DetectionCurve(nothingFound).point(falsePositivesPerImage: 1) == nil)
  }

  @Test func thresholdsReachTheirGoals() throws {
    let curve = DetectionCurve(try example())
    #expect(curve.point(falsePositivesPerImage: 0)?.score == 5)
    #expect(curve.point(falsePositivesPerImage: 1)?.score == 2)
    #expect(curve.point(precision: 0.7)?.score == 2)
    #expect(curve.point(precision: 0.9)?.score == 5)
    #expect(curve.point(recall: 0.5)?.score == 3)
    #expect(curve.point(recall: 0.9) == nil)
  }

  @Test func aThinnedCurveKeepsEndsAndOrder() throws {
    let scenes = DetectionScenes(seed: 5, imageCount: 400, scoreLevels: 4000)
    let curve = DetectionCurve(try Matcher().match(results: scenes.results, truth: scenes.truth))
    let thinned = curve.thinned(to: 100)
    #expect(curve.points.count > 1000)
    #expect(thinned.count <= 130)
    #expect(thinned.count >= 40)
    #expect(thinned.first == curve.points.first)
    #expect(thinned.last == curve.points.last)
    #expect(zip(thinned, thinned.dropFirst()).allSatisfy { $0.score > $1.score })
    #expect(Set(thinned).isSubset(of: Set(curve.points)))
  }

  @Test func recallBySize() throws {
    func annotation(_ height: Double, _ x: Double) -> Annotation {
      Annotation(box: Box(x: x, y: 0, width: 10, height: height), label: "face")
    }
    let truth = [
      AnnotatedImage(
        name: "a", path: "",
        annotations: [annotation(19, 0), annotation(20, 50), annotation(39.5, 100), annotation(200, 150)])
    ]
    let detections = [1, 3].map { Detection(box: truth[0].annotations[$0].box, score: Double($0), label: "face") }
    let matching = try Matcher().match(
      results: [ImageDetections(image: "a", width: 0, height: 0, detections: detections)], truth: truth)
    let bands = SizeBands(borders: [20, 40, 160])
    #expect(bands.recall(matching).map(\.targetCount) == [1, 2, 0, 1])
    #expect(bands.recall(matching).map(\.recall) == [0, 0.5, nil, 1])
    #expect(bands.recall(matching, threshold: 2).map(\.recall) == [0, 0, nil, 1])
    #expect(SizeBands.coco.recall(matching).map(\.targetCount) == [3, 1, 0])
  }
}
