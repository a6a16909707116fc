import Execution
import Foundation
import Testing

@testable import Experiments

struct TrainingChoiceTests {
  private func decode(_ text: String) throws -> TrainingChoice {
    try StrictJSON.decode(TrainingChoice.self, from: Data(text.utf8), source: "job.json")
  }

  @Test func theFamilyIsHOGWhereNoneIsNamed() throws {
    let plain = try decode(#"{"positives": ["voc:a"], "options": {"rounds": 7}}"#)
    let named = try decode(#"{"family": "hog", "positives": ["voc:a"], "options": {"rounds": 7}}"#)
    #expect(plain == named)
    #expect(try named.job(as: HOGTrainingJob.self, source: "job.json").options.rounds == 7)
    #expect(try plain.job(as: HOGTrainingJob.self, source: "job.json").positives.map(\.data.description) == ["voc:a"])
    #expect(try decode(#"{"positives": ["voc:a"], "options": {"rounds": 8}}"#) != plain)
  }

  @Test func whatIsWrittenNamesTheFamilyAndReadsBack() throws {
    let choice = try decode(#"{"positives": ["voc:a"], "preset": "face"}"#)
    let text = try StrictJSON.text(choice)
    #expect(text.contains(#""family" : "hog""#))
    #expect(try decode(text) == choice)
  }

  @Test(arguments: [
    (#"{"family": "hawk", "positives": ["voc:a"]}"#, "hawk"),
    (#"{"family": "hog", "positives": ["voc:a"], "option": {}}"#, "option"),
    (#"{"family": 3, "positives": ["voc:a"]}"#, "family"),
    (#"{"family": "hog"}"#, "positives"),
  ])
  func faultsAreNamed(text: String, part: String) {
    #expect { try decode(text) } throws: { "\($0)".contains(part) && "\($0)".contains("job.json") }
  }
}
