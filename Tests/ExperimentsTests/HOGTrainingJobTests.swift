import CommandLineOptions
import Execution
import Foundation
import Synchronization
import TestSupport
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
  @Test func theRecordSaysHowEachSetWasUsedAndMergedLabelsAreTold() throws {
    let folder = NSTemporaryDirectory() + "windhover-job-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let sets = try GeneratedFaces.write(below: folder, seed: 3, pictureCounts: (train: 12, test: 1, negatives: 6))
    let file = "\(folder)/train.jsonl"
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let masked = lines.prefix(4).map { $0.replacing("\"face\"", with: "\"mask\"") }
    let renamed = masked + lines.dropFirst(4)
    try AtomicFile.write(renamed.joined(separator: "\n"), to: file)
    func run(_ components: String) throws -> (model: TrainedModel, warnings: [String]) {
      let text = """
        {"preset": "face", "positives": [{"data": "\(sets.train)", "copies": 1}], "negatives": ["\(sets.negatives)"],
         "options": {"rounds": 0, "jitterCopies": 0, "randomNegatives": 200\(components)}}
        """
      let job = try StrictJSON.decode(HOGTrainingJob.self, from: Data(text.utf8), source: "job.json")
      let progress = RecordedProgress()
      return (try job.run(record: RunRecord(command: "test"), progress: progress), progress.warnings)
    }
    let merged = try run("")
    let sources = merged.model.model.provenance.dataSets
    #expect(sources.map(\.description) == ["positives: copies 1", "negatives"])
    #expect(sources.map(\.imageCount) == [12, 6] && sources.allSatisfy { $0.checksum?.count == 64 })
    #expect(merged.warnings.contains { $0.contains("2 labels (\"face\" 24, \"mask\" 12)") })
    let chosen = try run(
      #", "components": [{"name": "one", "label": "face", "sourceLabels": ["face"], "attributes": {}}]"#)
    #expect(!chosen.warnings.contains { $0.contains("2 labels") })
  }

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
      "\(error)".contains("train/0.png")
        && "\(error)".contains("the negatives and shows the same as one of the positives")
    }
    #expect { try run(negatives: sets.negatives, calibration: [sets.train]) } throws: { error in
      "\(error)".contains("the calibration photos and shows the same as one of the positives")
    }
  }
}
