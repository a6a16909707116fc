import Evaluation
import Execution
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

struct WindowProtocolTests {
  private func example(floor: Double? = 0) throws -> WindowProtocol {
    try WindowProtocol(
      positiveScores: [3, 2, 1, 0.5, -1], negativeScores: [2.5, 1, 0.2], negativeWindowCount: 1000, floor: floor)
  }

  @Test func theCurveByHand() throws {
    let points = try example().curve()
    #expect(points.map(\.score) == [3, 2.5, 2, 1, 0.5, 0.2])
    #expect(points.map(\.falsePositivesPerWindow) == [0, 0.001, 0.001, 0.002, 0.002, 0.003])
    #expect(points.map(\.missRate) == [0.8, 0.8, 0.6, 0.4, 0.2, 0.2])
  }

  @Test func missRateAtARate() throws {
    let windows = try example()
    #expect(windows.missRate(falsePositivesPerWindow: 0.0005) == 0.8)
    #expect(windows.missRate(falsePositivesPerWindow: 0.001) == 0.6)
    #expect(windows.missRate(falsePositivesPerWindow: 0.002) == 0.2)
    #expect(windows.threshold(falsePositivesPerWindow: 0.001) == 2)
    // Below the floor more negatives may lie, and a lower threshold may find more: not known.
    #expect(windows.missRate(falsePositivesPerWindow: 0.003) == nil)
    #expect(windows.threshold(falsePositivesPerWindow: 0.01) == nil)
  }

  @Test func withoutAFloorTheWholeCurveIsKnown() throws {
    let windows = try WindowProtocol(positiveScores: [1, -3], negativeScores: [2, 0], negativeWindowCount: 2)
    #expect(windows.missRate(falsePositivesPerWindow: 0.4) == 1)
    #expect(windows.missRate(falsePositivesPerWindow: 0.5) == 0.5)
    #expect(windows.missRate(falsePositivesPerWindow: 1) == 0)
  }

  @Test func nothingToMeasureIsUndefined() throws {
    let none = try WindowProtocol(positiveScores: [], negativeScores: [], negativeWindowCount: 0)
    #expect(none.curve().isEmpty)
    #expect(none.missRate(falsePositivesPerWindow: 0.1) == nil)
  }

  @Test func whatDoesNotAgreeIsAnError() {
    #expect(throws: InputError.self) {
      try WindowProtocol(positiveScores: [.nan], negativeScores: [], negativeWindowCount: 0)
    }
    #expect(throws: InputError.self) {
      try WindowProtocol(positiveScores: [], negativeScores: [-1], negativeWindowCount: 5, floor: 0)
    }
    #expect(throws: InputError.self) {
      try WindowProtocol(positiveScores: [], negativeScores: [1, 2], negativeWindowCount: 1, floor: 0)
    }
    #expect(throws: InputError.self) {
      try WindowProtocol(positiveScores: [], negativeScores: [1], negativeWindowCount: 5)
    }
  }

  @Test func theReportTellsKnownAndUnknownRates() throws {
    let report = WindowReport(title: "t", results: [("a<b", try example())], rates: [0.001, 0.01])
    #expect(
      report.text() == """
        t

        detector  positives  negative windows  miss rate at 0.001 FPPW  miss rate at 0.01 FPPW
        a<b               5              1000                   0.6000                       -

        """)
    let object = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
    let result = (object?["results"] as? [[String: Any]])?.first
    let rates = try #require(result?["rates"] as? [[String: Any]])
    #expect(rates[0]["miss_rate"] as? Double == 0.6)
    #expect(rates[0]["score"] as? Double == 2)
    #expect(rates[1]["miss_rate"] is NSNull)
    #expect(XMLParser(data: Data(report.svg().utf8)).parse())
  }
}
