import CommandLineOptions
import Execution
import Foundation
import Synchronization
import Testing

@testable import Experiments

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

  /// A model is the same to the byte, its record of the command line among it, for any --threads.
  @Test func threadsOnTheCommandLineDoNotChangeTheModel() throws {
    let folder = NSTemporaryDirectory() + "windhover-job-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let sets = try GeneratedFaces.write(below: folder, seed: 3, pictureCounts: (train: 12, test: 1, negatives: 6))
    let job = try decode(
      #"{"preset": "face", "positives": ["\#(sets.train)"], "negatives": ["\#(sets.negatives)"], "#
        + #""options": {"rounds": 1, "jitterCopies": 0, "randomNegatives": 200, "negativesPerRound": 200}}"#)
    let models = Mutex<[[UInt8]]>([])
    let program = Program(
      name: "test-train", summary: "Tests.",
      commands: [
        Command(CommandSpecification(name: "hog", summary: "Trains.", options: [.threads])) { options, context in
          let trained = try job.run(
            record: RunRecord(command: context.recordedCommandLine), executor: try options.executor(),
            cancellation: context.cancellation)
          let bytes = try trained.model.bytes()
          models.withLock { $0.append(bytes) }
        }
      ])
    for arguments in [["--threads", "1"], ["--threads=2"], ["--threads", "5"], []] {
      #expect(program.run(["hog"] + arguments) == 0)
    }
    let all = models.withLock { $0 }
    #expect(all.count == 4 && all.allSatisfy { $0 == all[0] })
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

struct HOGTrainingDataTests {
  @Test func aPhotoInTwoPartsIsRefused() throws {
    let folder = NSTemporaryDirectory() + "windhover-job-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let sets = try GeneratedFaces.write(below: folder, seed: 1, pictureCounts: (train: 2, test: 1, negatives: 1))
    func run(negatives: String, calibration: [String]) throws {
      let text = """
        {"positives": ["\(sets.train)"], "negatives": ["\(negatives)"], "preset": "face",
         "calibration": [\(calibration.map { "\"\($0)\"" }.joined(separator: ","))]}
        """
      let job = try StrictJSON.decode(HOGTrainingJob.self, from: Data(text.utf8), source: "job.json")
      _ = try job.run(record: RunRecord(command: "test"))
    }
    #expect { try run(negatives: "folder:\(folder)/train", calibration: []) } throws: { error in
      "\(error)".contains("train/0.png") && "\(error)".contains("the positives and the negatives")
    }
    #expect { try run(negatives: sets.negatives, calibration: [sets.train]) } throws: { error in
      "\(error)".contains("the positives and the calibration photos")
    }
  }
}
