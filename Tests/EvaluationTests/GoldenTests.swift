import Evaluation
import Foundation
import Geometry
import TestSupport
import Testing

/// Agreement with pycocotools and scikit-learn; `Fixtures/Evaluation/make_golden.py` made the figures.
struct GoldenTests {
  private struct Golden: Decodable {
    struct Case: Decodable {
      struct Expected: Decodable {
        var overlap: Double
        var label: String
        var averagePrecision101: Double
        var recall: Double
      }
      var seed: Int
      var truth: [[Double]]
      var found: [[Double]]
      var expected: [Expected]
    }
    struct Ranking: Decodable {
      var right: [Int]
      var score: [Double]
      var averagePrecision: Double
    }
    var producer: [String: String]
    var tolerance: Double
    var labels: [String]
    var coco: [Case]
    var rankings: [Ranking]
  }

  private func golden() throws -> Golden {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try Fixture.decode(Golden.self, "Evaluation/golden.json", by: decoder)
  }

  @Test func averagePrecisionIsThatOfPycocotools() throws {
    let golden = try golden()
    #expect(golden.coco.count == 3)
    for one in golden.coco {
      var truth = (0..<10).map { AnnotatedImage(name: "\($0)", path: "", annotations: []) }
      var results = (0..<10).map { ImageDetections(image: "\($0)", width: 500, height: 500, detections: []) }
      for row in one.truth {
        truth[Int(row[0])].annotations.append(
          Annotation(
            box: Box(x: row[1], y: row[2], width: row[3], height: row[4]), label: golden.labels[Int(row[5])],
            isIgnored: row[6] == 1))
      }
      for row in one.found {
        results[Int(row[0])].detections.append(
          Detection(
            box: Box(x: row[1], y: row[2], width: row[3], height: row[4]), score: row[6],
            label: golden.labels[Int(row[5])]))
      }
      for expected in one.expected {
        let matching = try Matcher(options: .coco(expected.overlap)).match(results: results, truth: truth)
        let label = try #require(matching.labels.firstIndex(of: expected.label))
        let value = RankedOutcomes(matching, label: label).value(of: .averagePrecision(.hundredAndOnePoints)) ?? .nan
        let curve = DetectionCurve(matching, label: label)
        let recall = curve.points.last.flatMap(curve.recall) ?? .nan
        #expect(abs(value - expected.averagePrecision101) < golden.tolerance, "seed \(one.seed), \(expected)")
        #expect(abs(recall - expected.recall) < golden.tolerance, "seed \(one.seed), \(expected)")
      }
    }
  }

  @Test func uninterpolatedAveragePrecisionIsThatOfScikitLearn() throws {
    let golden = try golden()
    #expect(golden.rankings.count == 3)
    for one in golden.rankings {
      let matching = try ranking(one.right.map { $0 == 1 }, scores: one.score)
      let value = RankedOutcomes(matching).value(of: .averagePrecision(.uninterpolated)) ?? .nan
      #expect(abs(value - one.averagePrecision) < golden.tolerance)
    }
  }
}
