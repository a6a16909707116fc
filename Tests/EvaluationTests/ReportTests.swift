import Evaluation
import Execution
import Foundation
import Geometry
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

struct ReportTests {
  private struct OnePixel: GalleryImageProvider {
    func picture(of region: Box, in image: AnnotatedImage, side: Int) -> Data? {
      image.name.contains("3") ? nil : Data([0xFF, 0xD8, 0xFF, 0xD9])
    }
  }

  private func report(_ count: Int, seed: UInt64 = 1, names: [String]? = nil, threads: Int = 2) throws
    -> EvaluationReport
  {
    let scenes = DetectionScenes(seed: seed, imageCount: 20)
    let evaluator = Evaluator(bootstrap: BootstrapOptions(resampleCount: 60))
    let executor = ParallelExecutor(threadCount: threads)
    let scored = try (0..<count).map { index in
      var results = scenes.results
      for image in results.indices {
        results[image].detections = results[image].detections.enumerated().filter { $0.offset % (index + 2) != 1 }.map(
          \.element)
      }
      return try evaluator.evaluate(
        results, name: names?[index] ?? "detector \(index)", source: "r\(index).jsonl", truth: scenes.truth,
        executor: executor)
    }
    return EvaluationReport(
      title: "A & B <script>alert(\"x\")</script>", results: scored, truth: [.init(name: "list:<a>")],
      evaluator: evaluator, command: "windhover-evaluate 'x' && <y>", executor: executor)
  }

  private func elements(_ value: Any?) -> [String: Any] { value as? [String: Any] ?? [:] }

  @Test func jsonHasItsKeysAndNullForTheUndefined() throws {
    let truth = [AnnotatedImage(name: "a", path: "", annotations: [])]
    let results = [ImageDetections(image: "a", width: 1, height: 1, detections: [])]
    let evaluator = Evaluator()
    let scored = try evaluator.evaluate(results, name: "nothing", truth: truth)
    let report = EvaluationReport(title: "t", results: [scored], truth: [], evaluator: evaluator)
    let object = elements(try JSONSerialization.jsonObject(with: Data(report.json().utf8)))
    let result = elements((object["results"] as? [Any])?.first)
    let raw = elements(result["raw"])
    #expect(elements(raw["average_precision"])["value"] is NSNull)
    #expect(elements(raw["average_precision"])["lower"] is NSNull)
    #expect(result["fitted"] is NSNull)
    #expect(raw["targets"] as? Int == 0)
    #expect((raw["thresholds"] as? [Any])?.count == 7)
    #expect(report.text().contains("\nAP                          -         -\n"))
  }

  @Test func jsonSaysWhatTheLibrarySays() throws {
    let report = try report(2)
    let object = elements(try JSONSerialization.jsonObject(with: Data(report.json().utf8)))
    let results = try #require(object["results"] as? [Any])
    for (scored, value) in zip(report.results, results) {
      let raw = elements(elements(value)["raw"])
      for measured in scored.rawFigures.measures {
        let written = elements(raw[measured.measure.key])
        // Foundation's reader may be off by the last bit.
        for (key, value) in [("value", measured.value), ("upper", measured.interval?.upper)] {
          let read = try #require(written[key] as? Double)
          #expect(abs(read - (value ?? .nan)) < 1e-14, "\(measured.measure.key) \(key)")
        }
      }
      #expect(raw["right"] as? Int == scored.rawFigures.count(.right))
    }
    #expect((object["pairs"] as? [Any])?.count == 2)
    #expect(elements(object["truth"])["sha256"] as? String == report.truthChecksum)
  }

  @Test func everyThreadCountWritesTheSameBytes() throws {
    let one = try report(3, threads: 1)
    let five = try report(3, threads: 5)
    #expect(one.json() == five.json())
    #expect(one.html(gallery: OnePixel()) == five.html(gallery: OnePixel()))
    #expect(one.text() == five.text())
  }

  @Test(arguments: [1, 3]) func thePageIsWholeEscapedAndNeedsNothingElse(count: Int) throws {
    let hostile = ["<b>&\"'", "x\u{0}y\u{1F}</style>", "--><svg onload=alert(1)>"]
    let page = try report(count, names: hostile).html(gallery: OnePixel())
    #expect(!page.contains("<script"))
    #expect(!page.contains("<b>&"))
    #expect(!page.contains("onload=alert(1)>"))
    #expect(page.contains("&lt;script&gt;"))
    #expect(
      !page.contains("http://")
        || page.components(separatedBy: "http://").dropFirst().allSatisfy { $0.hasPrefix("www.w3.org/2000/svg") })
    #expect(!page.contains("https://"))
    #expect(!page.contains("NaN") && !page.contains("nan"))
    #expect(page.contains("data:image/jpeg;base64,/9j/2Q=="))
    // Void elements are closed so that a strict parser can look for tags that do not nest.
    var strict = page.replacingOccurrences(of: "<!DOCTYPE html>", with: "").replacingOccurrences(
      of: "<br>", with: "<br/>")
    for tag in ["meta", "img"] {
      strict = strict.replacingOccurrences(
        of: "<(\(tag) [^>]*)>", with: "<$1/>", options: .regularExpression)
    }
    let parser = XMLParser(data: Data(strict.utf8))
    #expect(parser.parse(), "line \(parser.lineNumber): \(String(describing: parser.parserError))")
  }

  @Test func plotsAreWellFormedFilesOfTheirOwn() throws {
    for (name, svg) in try report(3, names: ["a<", "b&", "c\""]).plots() {
      let parser = XMLParser(data: Data(svg.utf8))
      #expect(parser.parse(), "\(name): \(String(describing: parser.parserError))")
      #expect(svg.components(separatedBy: "class=\"line s").count == 7, "three curves and three legend lines")
    }
  }

  @Test func theChecksumOfTheTruthIsThatOfItsContent() throws {
    let scenes = DetectionScenes(seed: 2, imageCount: 6)
    let evaluator = Evaluator(bootstrap: BootstrapOptions(resampleCount: 0))
    func checksum(_ scenes: DetectionScenes) throws -> String {
      let scored = try evaluator.evaluate(scenes.results, name: "x", truth: scenes.truth)
      return EvaluationReport(title: "t", results: [scored], truth: [], evaluator: evaluator).truthChecksum
    }
    let first = try checksum(scenes)
    #expect(first == (try checksum(scenes.shuffled(seed: 4))))
    var changed = scenes
    changed.truth[0].annotations.append(Annotation(box: Box(x: 1, y: 1, width: 9, height: 9), label: "face"))
    #expect(first != (try checksum(changed)))
  }

  @Test func resultsAndTruthWithoutACommonLabelAreAnError() throws {
    let box = Box(x: 0, y: 0, width: 10, height: 10)
    let truth = [AnnotatedImage(name: "a", path: "", annotations: [Annotation(box: box, label: "pedestrian")])]
    let results = [
      ImageDetections(image: "a", width: 9, height: 9, detections: [Detection(box: box, score: 1, label: "person")])
    ]
    let error = #expect(throws: InputError.self) { try Evaluator().evaluate(results, name: "x", truth: truth) }
    #expect(error?.description.contains("no label in common") == true)
    let evaluator = Evaluator(matcher: Matcher(options: MatchingOptions(comparesLabels: false)))
    #expect(try evaluator.evaluate(results, name: "x", truth: truth).figures.value(.averagePrecision(.allPoints)) == 1)
  }

  @Test func labelsThatNoTargetHasAreNoted() throws {
    let box = Box(x: 0, y: 0, width: 10, height: 10)
    let truth = [AnnotatedImage(name: "a", path: "", annotations: [Annotation(box: box, label: "face")])]
    let detections = ["face", "cat", "cat"].map { Detection(box: box, score: 1, label: $0) }
    let results = [ImageDetections(image: "a", width: 9, height: 9, detections: detections)]
    let evaluator = Evaluator()
    let scored = try evaluator.evaluate(results, name: "x", truth: truth)
    let report = EvaluationReport(title: "t", results: [scored], truth: [], evaluator: evaluator)
    #expect(report.notes == ["x: 2 detections have labels that no target has: \"cat\""])
    #expect(report.text().contains("note: x: 2 detections"))
  }
}
