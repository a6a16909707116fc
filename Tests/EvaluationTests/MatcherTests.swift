import Evaluation
import Execution
import Geometry
import TestSupport
import Testing

struct MatcherTests {
  private func image(_ annotations: [Annotation]) -> [AnnotatedImage] {
    [AnnotatedImage(name: "a", path: "a", annotations: annotations)]
  }

  private func found(_ detections: [Detection]) -> [ImageDetections] {
    [ImageDetections(image: "a", width: 100, height: 100, detections: detections)]
  }

  private func outcomes(
    _ detections: [Detection], _ annotations: [Annotation], _ options: MatchingOptions = MatchingOptions()
  ) throws -> [MatchedDetection.Outcome] {
    try Matcher(options: options).match(results: found(detections), truth: image(annotations)).detections.map(\.outcome)
  }

  private let square = Annotation(box: Box(x: 0, y: 0, width: 10, height: 10), label: "face")

  private func face(_ x: Double, _ y: Double, _ w: Double, _ h: Double, _ score: Double = 1) -> Detection {
    Detection(box: Box(x: x, y: y, width: w, height: h), score: score, label: "face")
  }

  @Test func oneTruthTakesOneDetection() throws {
    let matching = try Matcher().match(
      results: found([face(0, 0, 10, 10, 1), face(0, 0, 10, 9, 2)]), truth: image([square]))
    #expect(matching.detections.map(\.outcome) == [.right, .duplicate])
    #expect(matching.detections.map(\.score) == [2, 1])
    #expect(matching.detections[0].truth == 0)
    #expect(matching.detections[0].overlap == 0.9)
    #expect(matching.targets[0].map(\.score) == [2])
  }

  /// By box alone the one further left would come first and take the truth.
  @Test func ofEqualScoresTheBetterPlacedComesFirst() throws {
    let near = face(-2, 0, 10, 10)
    let exact = face(0, 0, 10, 10)
    for detections in [[near, exact], [exact, near]] {
      let matching = try Matcher().match(results: found(detections), truth: image([square]))
      #expect(matching.detections.map(\.outcome) == [.right, .duplicate])
      #expect(matching.detections.map(\.overlap) == [1, 80.0 / 120])
      #expect(detections[matching.detections[0].detection] == exact)
    }
    // The overlap with a truth of another label does not count: the order is by box then.
    let person = Annotation(box: exact.box, label: "person")
    let boxes = try Matcher().match(results: found([exact, near]), truth: image([person])).detections
    #expect(boxes.map(\.detection) == [1, 0])
  }

  @Test func anOverlapOfExactlyTheThresholdCountsAsTheSignSays() throws {
    // Half of the square: intersection 50, union 100.
    let half = [face(0, 0, 10, 5)]
    #expect(try outcomes(half, [square]) == [.right])
    #expect(try outcomes(half, [square], MatchingOptions(comparison: .above)) == [.wrong])
  }

  @Test func pascalArithmeticCountsPixels() {
    let a = Box(x: 0, y: 0, width: 9, height: 9)
    let b = Box(x: 5, y: 0, width: 9, height: 9)
    // 10 x 10 pixels each, 5 x 10 in common.
    #expect(abs(OverlapKind.pascal.overlap(a, b) - 50.0 / 150) < 1e-15)
    #expect(abs(OverlapKind.union.overlap(a, b) - 36.0 / 126) < 1e-15)
    #expect(OverlapKind.pascal.coveredShare(of: a, by: b) == 0.5)
  }

  @Test func aTakenTruthMakesADuplicateUnderPascalAndIsPassedOverUnderCoco() throws {
    let truths = [square, Annotation(box: Box(x: 0, y: 2, width: 10, height: 10), label: "face")]
    let detections = [face(0, 0, 10, 10, 2), face(0, 0.5, 10, 10, 1)]
    // The second detection overlaps the taken first truth by 9.5 / 10.5 and the free second one by 8.5 / 11.5.
    #expect(try outcomes(detections, truths, .coco()) == [.right, .right])
    #expect(try outcomes(detections, truths, .pascalVOC) == [.right, .duplicate])
  }

  @Test func detectionsOnIgnoredRegionsCountNeitherWay() throws {
    let crowd = Annotation(box: Box(x: 20, y: 20, width: 60, height: 60), label: "face", isIgnored: true)
    let inside = [face(30, 30, 10, 10, 3), face(31, 31, 10, 10, 2), face(15, 30, 10, 10, 1)]
    // Wholly in it, wholly in it, half in it.
    #expect(try outcomes(inside, [square, crowd]) == [.ignored, .ignored, .ignored])
    #expect(try outcomes(inside, [square, crowd], .caltech) == [.ignored, .ignored, .wrong])
    #expect(try outcomes(inside, [square, crowd], .pascalVOC) == [.wrong, .wrong, .wrong])
    let other = Annotation(box: crowd.box, label: "person", isIgnored: true)
    #expect(try outcomes(inside, [square, other]) == [.wrong, .wrong, .wrong])
    let every = Annotation(box: crowd.box, label: "", isIgnored: true)
    #expect(try outcomes(inside, [square, every]) == [.ignored, .ignored, .ignored])
  }

  @Test func aTargetUnderAnIgnoredRegionCanStillBeFound() throws {
    let crowd = Annotation(box: Box(x: 0, y: 0, width: 60, height: 60), label: "face", isIgnored: true)
    #expect(try outcomes([face(0, 0, 10, 10, 2), face(0, 0, 10, 9, 1)], [crowd, square]) == [.right, .ignored])
  }

  @Test func labelsMustAgreeUnlessToldOtherwise() throws {
    let person = Detection(box: square.box, score: 1, label: "person")
    #expect(try outcomes([person], [square]) == [.wrong])
    #expect(try outcomes([person], [square], MatchingOptions(comparesLabels: false)) == [.right])
  }

  @Test func aTargetWithoutAreaIsTold() throws {
    let flat = Annotation(box: Box(x: 3, y: 3, width: 0, height: 8), label: "face")
    let matching = try Matcher().match(results: found([]), truth: image([square, flat]))
    #expect(matching.emptyTargetCount == 1)
    #expect(matching.targetCount == 1)
  }

  @Test func aThresholdOfZeroStillAsksForAMeeting() throws {
    #expect(
      try outcomes([face(50, 50, 9, 9, 2), face(9, 9, 9, 9, 1)], [square], MatchingOptions(overlapThreshold: 0))
        == [.wrong, .right])
  }

  @Test func aTargetOutsideItsImageIsIgnoredAndTold() throws {
    let outside = Annotation(box: Box(x: 100, y: 3, width: 9, height: 8), label: "face")
    let edge = Annotation(box: Box(x: 99, y: 50, width: 9, height: 8), label: "face")
    let found = found([face(101, 3, 9, 8, 3), face(99, 50, 9, 8, 2)])
    let matching = try Matcher().match(results: found, truth: image([square, outside, edge]))
    #expect(matching.outsideTargetCount == 1)
    #expect(matching.targetCount == 2)
    #expect(matching.detections.map(\.outcome) == [.ignored, .right])
    // Results that do not say how large the image is cannot tell.
    let unknown = found.map { ImageDetections(image: $0.image, width: 0, height: 0, detections: $0.detections) }
    let plain = try Matcher().match(results: unknown, truth: image([square, outside, edge]))
    #expect(plain.outsideTargetCount == 0)
    #expect(plain.targetCount == 3)
  }

  @Test func imagesOnOneSideOnlyAreErrorsOrTold() throws {
    let truth = ["a", "b", "c"].map { AnnotatedImage(name: $0, path: $0, annotations: []) }
    let results = ["c", "z", "a"].map { ImageDetections(image: $0, width: 1, height: 1, detections: []) }
    let error = #expect(throws: InputError.self) { try Matcher().match(results: results, source: "r", truth: truth) }
    #expect(error?.description.contains("1 of 3 images of the truth were not scanned") == true)
    let second = #expect(throws: InputError.self) {
      try Matcher(missingImages: .countAsEmpty).match(results: results, source: "r", truth: truth)
    }
    #expect(second?.description.contains("\"z\"") == true)
    let matching = try Matcher(missingImages: .countAsEmpty, unknownImages: .areLeftOut)
      .match(results: results, truth: truth)
    #expect(matching.imagesCountedAsEmpty == ["b"])
    #expect(matching.imagesLeftOut == ["z"])
    #expect(matching.images.map(\.name) == ["a", "b", "c"])
  }

  @Test func namesThatOccurTwiceAndNumbersThatAreNoneAreErrors() throws {
    let one = ImageDetections(image: "a", width: 1, height: 1, detections: [])
    #expect(throws: InputError.self) { try Matcher().match(results: [one, one], truth: image([])) }
    #expect(throws: InputError.self) { try Matcher().match(results: [one], truth: image([]) + image([])) }
    #expect(throws: InputError.self) { try Matcher().match(results: [one], truth: []) }
    #expect(throws: InputError.self) {
      try Matcher().match(results: found([face(0, 0, 1, 1, .nan)]), truth: image([]))
    }
    #expect(throws: InputError.self) {
      try Matcher().match(results: found([face(0, 0, .infinity, 1)]), truth: image([]))
    }
    let bad = Annotation(box: Box(x: .nan, y: 0, width: 1, height: 1), label: "face")
    #expect(throws: InputError.self) { try Matcher().match(results: [one], truth: image([bad])) }
  }

  @Test(arguments: testSeeds) func nothingDependsOnTheOrderOfTheInput(seed: UInt64) throws {
    let scenes = DetectionScenes(seed: seed, imageCount: 9)
    for options in [MatchingOptions(), .pascalVOC, .caltech] {
      let first = try Matcher(options: options).match(results: scenes.results, truth: scenes.truth, executor: .serial)
      let other = scenes.shuffled(seed: seed)
      let second = try Matcher(options: options)
        .match(results: other.results, truth: other.truth, executor: ParallelExecutor(threadCount: 5))
      #expect(DetectionCurve(first).points == DetectionCurve(second).points, "seed \(seed)")
      #expect(first.detections.map(\.outcome) == second.detections.map(\.outcome), "seed \(seed)")
      #expect(
        first.detections.map { first.results[$0.image].detections[$0.detection] }
          == second.detections.map { second.results[$0.image].detections[$0.detection] }, "seed \(seed)")
    }
  }

  @Test(arguments: testSeeds) func curveAndMeasuresAgreeWithTheOracle(seed: UInt64) throws {
    let scenes = DetectionScenes(seed: seed, imageCount: 7)
    for threshold in [0.4, 0.5, 0.75] {
      let oracle = DetectionOracle(truth: scenes.truth, results: scenes.results, threshold: threshold)
      let matching = try Matcher(options: .coco(threshold)).match(results: scenes.results, truth: scenes.truth)
      let curve = DetectionCurve(matching)
      #expect(curve.targetCount == oracle.targetCount)
      #expect(
        curve.points
          == oracle.points().map {
            OperatingPoint(score: $0.score, truePositives: $0.right, falsePositives: $0.wrong)
          }, "seed \(seed), overlap \(threshold)")
      let ranked = RankedOutcomes(matching)
      func check(_ measure: DetectionMeasure, _ expected: Double) {
        let value = ranked.value(of: measure) ?? .nan
        #expect(abs(value - expected) < 1e-12, "\(measure.name), seed \(seed), overlap \(threshold)")
      }
      check(.averagePrecision(.allPoints), oracle.averagePrecision())
      check(.averagePrecision(.elevenPoints), oracle.averagePrecision(intervals: 10))
      check(.averagePrecision(.hundredAndOnePoints), oracle.averagePrecision(intervals: 100))
      for rate in [0.0, 0.2, 1, 3] {
        check(.missRate(falsePositivesPerImage: rate), oracle.missRate(falsePositivesPerImage: rate))
      }
    }
  }
}
