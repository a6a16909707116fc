import Evaluation
import Geometry
import Testing

struct MatcherTests {
  @Test func oneTruthTakesOneDetection() throws {
    let truth = [
      AnnotatedImage(
        name: "a", path: "a", annotations: [Annotation(box: Box(x: 0, y: 0, width: 10, height: 10), label: "face")])
    ]
    let results = [
      ImageDetections(
        image: "a", width: 20, height: 20,
        detections: [
          Detection(box: Box(x: 0, y: 0, width: 10, height: 10), score: 1, label: "face"),
          Detection(box: Box(x: 0, y: 0, width: 10, height: 9), score: 2, label: "face"),
        ])
    ]
    let matching = try Matcher().match(results: results, truth: truth)
    #expect(matching.detections.map(\.outcome) == [.right, .duplicate])
    #expect(matching.detections.map(\.score) == [2, 1])
    #expect(RankedOutcomes(matching).value(of: .averagePrecision(.allPoints)) == 1)
  }
}
