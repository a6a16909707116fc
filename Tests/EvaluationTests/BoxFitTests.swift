import Evaluation
import Execution
import Geometry
import TestSupport
import Testing

struct BoxFitTests {
  /// Truth boxes are whole heads, detections are faces: another centre and another size. A few detections are strays.
  private func scene(seed: UInt64, scaleX: Double, scaleY: Double) -> (
    results: [ImageDetections], truth: [AnnotatedImage]
  ) {
    var random = RandomStream(seed: seed)
    var results: [ImageDetections] = []
    var truth: [AnnotatedImage] = []
    let fit = BoxFit(offsetX: 0.04, offsetY: -0.15, scaleX: scaleX, scaleY: scaleY)
    for number in 0..<30 {
      var detections: [Detection] = []
      var annotations: [Annotation] = []
      for place in 0..<3 {
        let side = 20 + random.uniform() * 60
        let box = Box(
          x: Double(place) * 300 + random.uniform() * 50, y: 100 + random.uniform() * 90, width: side, height: side)
        detections.append(Detection(box: box, score: random.uniform(), label: "face"))
        if place < 2 {
          annotations.append(Annotation(box: fit.apply(box), label: "face"))
        } else {
          // A stray that happens to meet a truth of another shape.
          annotations.append(
            Annotation(box: box.resized(by: 0.5 + random.uniform()).translated(x: 3, y: 5), label: "face"))
        }
      }
      results.append(ImageDetections(image: "\(number)", width: 900, height: 400, detections: detections))
      truth.append(AnnotatedImage(name: "\(number)", path: "", annotations: annotations))
    }
    return (results, truth)
  }

  @Test(arguments: testSeeds) func theHabitOfFramingIsFound(seed: UInt64) throws {
    let (results, truth) = scene(seed: seed, scaleX: 1.5, scaleY: 1.5)
    let fit = try #require(try BoxFit.fit(results: results, truth: truth, matcher: Matcher()))
    #expect(abs(fit.offsetX - 0.04) < 1e-6, "seed \(seed)")
    #expect(abs(fit.offsetY + 0.15) < 1e-6, "seed \(seed)")
    #expect(abs(fit.scaleX - 1.5) < 1e-6, "seed \(seed)")
    #expect(fit.scaleX == fit.scaleY)
    #expect(fit.pairCount >= 60)
  }

  @Test func theAspectIsFittedWhereAsked() throws {
    let (results, truth) = scene(seed: 7, scaleX: 1.3, scaleY: 1.6)
    let fit = try #require(
      try BoxFit.fit(
        results: results, truth: truth, matcher: Matcher(), options: .init(fitsAspect: true)))
    #expect(abs(fit.scaleX - 1.3) < 1e-6)
    #expect(abs(fit.scaleY - 1.6) < 1e-6)
  }

  @Test func boxesThatAgreeKeepTheirPlace() throws {
    let (results, truth) = scene(seed: 3, scaleX: 1, scaleY: 1)
    let same = zip(results, truth).map { image, _ in
      AnnotatedImage(
        name: image.image, path: "", annotations: image.detections.map { Annotation(box: $0.box, label: "face") })
    }
    _ = truth
    let fit = try #require(try BoxFit.fit(results: results, truth: same, matcher: Matcher()))
    #expect(abs(fit.scaleX - 1) < 1e-12)
    #expect(abs(fit.offsetX) < 1e-12)
  }

  @Test func nothingThatMeetsGivesNoFit() throws {
    let truth = [AnnotatedImage(name: "a", path: "", annotations: [])]
    let results = [ImageDetections(image: "a", width: 1, height: 1, detections: [])]
    #expect(try BoxFit.fit(results: results, truth: truth, matcher: Matcher()) == nil)
  }

  @Test func theEvaluatorTellsRawAndFittedFigures() throws {
    let (results, truth) = scene(seed: 5, scaleX: 1.5, scaleY: 1.5)
    let evaluator = Evaluator(bootstrap: BootstrapOptions(resampleCount: 0), boxFit: BoxFit.Options())
    let scored = try evaluator.evaluate(results, name: "x", truth: truth)
    let ap = DetectionMeasure.averagePrecision(.allPoints)
    let raw = try #require(scored.rawFigures.value(ap))
    let fitted = try #require(scored.fittedFigures?.value(ap))
    #expect(raw < 0.5)
    #expect(fitted > 0.6)
    let given = try Evaluator(bootstrap: BootstrapOptions(resampleCount: 0))
      .evaluate(results, name: "x", truth: truth, fit: scored.fit)
    #expect(given.fittedFigures?.value(ap) == fitted)
  }
}
