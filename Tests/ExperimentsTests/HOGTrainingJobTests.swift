import Execution
import Experiments
import Foundation
import Testing

struct HOGTrainingJobTests {
  private func decode(_ text: String) throws -> HOGTrainingJob {
    try StrictJSON.decode(HOGTrainingJob.self, from: Data(text.utf8), source: "job.json")
  }

  @Test func optionsLeftOutAreThePresets() throws {
    let job = try decode(
      #"{"positives": ["voc:a"], "preset": "face", "options": {"rounds": 7, "svm": {"cost": 0.5}}}"#)
    var expected = HOGPreset.face.options
    expected.rounds = 7
    expected.svm.cost = 0.5
    #expect(job.options == expected)
    #expect(job.negatives.isEmpty)
  }

  @Test func anotherFeatureVariantReplacesThePresets() throws {
    let job = try decode(#"{"positives": ["voc:a"], "options": {"features": {"felzenszwalb": {"cellSize": 6}}}}"#)
    #expect(job.options.features.cellSize == 6)
    #expect(job.options.features.channelCount == 31)
  }

  @Test(arguments: [
    (#"{"positives": ["voc:a"], "options": {"round": 7}}"#, "options.round"),
    (#"{"positives": ["voc:a"], "preset": "cat"}"#, "preset"),
    (#"{"negatives": ["voc:a"]}"#, "positives"),
    (#"{"positives": ["voc:a"], "options": {"rounds": "seven"}}"#, "rounds"),
    (#"{"positives": ["voc:a"], "options": 3}"#, "wrong kind"),
  ])
  func faultsAreNamed(text: String, part: String) {
    #expect { try decode(text) } throws: { "\($0)".contains(part) && "\($0)".contains("job.json") }
  }
}
