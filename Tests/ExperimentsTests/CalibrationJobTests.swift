import Detection
import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

/// Confidences for detectors that are trained already, of both families, from files.
@Suite("Calibration of trained detectors")
struct CalibrationJobTests {
  private final class Folder {
    let path = NSTemporaryDirectory() + "windhover-calibration-\(UUID().uuidString)"
    let train: String
    let held: String
    let negatives: String

    init() throws {
      let sets = try GeneratedFaces.write(
        below: path, seed: 5, pictureCounts: (train: 40, test: 16, negatives: 12))
      (train, held, negatives) = (sets.train, sets.test, sets.negatives)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func job<Job: TrainingJob>(_ type: Job.Type, _ more: String) throws -> Job {
      let text = "{\"positives\": [\"\(train)\"], \"negatives\": [\"\(negatives)\"], \"preset\": \"face\", \(more)}"
      return try StrictJSON.decode(type, from: Data(text.utf8), source: "job.json")
    }

    func hog() throws -> HOGTrainingJob {
      try job(
        HOGTrainingJob.self,
        #""options": {"rounds": 1, "jitterCopies": 0, "randomNegatives": 400, "negativesPerRound": 400}"#)
    }

    func cascade() throws -> CascadeTrainingJob {
      try job(
        CascadeTrainingJob.self,
        #""options": {"features": "lbp", "positiveCount": 100, "negativeCount": 400, "stageCount": 8, "memory": 256}"#)
    }

    func stored(_ model: ModelFile) throws -> (path: String, model: StoredModel) {
      let file = path + "/model.safetensors"
      try model.write(to: file)
      return (file, try ModelFormats.read(file))
    }

    func sources(_ reference: String) throws -> [AnnotatedSource] { [AnnotatedSource(data: try .parse(reference))] }
  }

  private let record = RunRecord(command: "train it")

  @Test("Both families get confidences; scores, boxes, options and provenance stay", arguments: ["hog", "cascade"])
  func bothFamilies(_ family: String) throws {
    let folder = try Folder()
    let job: any TrainingJob = family == "hog" ? try folder.hog() : try folder.cascade()
    let (_, before) = try folder.stored(
      try job.run(
        record: record, checkpoint: nil, executor: .serial, progress: SilentProgress(), cancellation: Cancellation()
      ).model)
    let progress = RecordedProgress()
    let file = try CalibrationJob(photos: folder.sources(folder.held)).run(
      before, source: "m", record: RunRecord(command: "calibrate it"), executor: .serial, progress: progress)
    let (_, after) = try folder.stored(file)
    let plain = try before.detector(source: "m")
    let calibrated = try after.detector(source: "m")
    #expect(!plain.isCalibrated && calibrated.isCalibrated)
    #expect(progress.notes.contains { $0.hasPrefix("Confidences are fitted to ") })
    let image = try ImageFile.read("\(folder.path)/train/0.png").image
    let (found, known) = (plain.detect(in: image), calibrated.detect(in: image))
    #expect(!found.isEmpty && found.map(\.box) == known.map(\.box) && found.map(\.score) == known.map(\.score))
    #expect(known.allSatisfy { (0...1).contains($0.confidence ?? -1) })
    // Faces are what is found most surely.
    #expect((known.first?.confidence ?? 0) > 0.5)
    #expect(file.provenance.command == "train it && calibrate it")
    #expect(
      file.provenance.dataSets.map(\.description) == ["positives", "negatives", "calibration"]
        && file.provenance.dataSets.prefix(2) == before.file?.provenance.dataSets[...])
    let options = try #require(before.file)
    if family == "hog" {
      #expect(try HOGDetector.trainingOptions(of: file) == HOGDetector.trainingOptions(of: options))
    } else {
      #expect(
        try CascadeDetector.trainingOptions(of: file, as: CascadeTrainerOptions.self)
          == CascadeDetector.trainingOptions(of: options, as: CascadeTrainerOptions.self))
    }
    // Again, with another set: the first one's record goes.
    let again = try CalibrationJob(photos: folder.sources(folder.held)).run(
      after, source: "m", record: RunRecord(command: "and again"), executor: .serial)
    #expect(again.provenance.dataSets.count == 3)
  }

  @Test("Photos of the training, foreign labels, and nothing to fit to are refused")
  func refusals() throws {
    let folder = try Folder()
    let (_, model) = try folder.stored(try folder.cascade().run(record: record, executor: .serial).model)
    func error(_ photos: String, _ objects: [String]?) throws -> InputError {
      try #require(throws: InputError.self) {
        try CalibrationJob(photos: folder.sources(photos), objects: objects).run(
          model, source: "m", record: record, executor: .serial)
      }
    }
    #expect(try error(folder.train, nil).problem == "is what the model was trained on")
    let labels = try error(folder.held, ["cat"])
    #expect(labels.found == "face" && labels.expected == "cat" && labels.hint?.contains("--objects") ?? false)
    #expect(try error("folder:\(folder.path)/test-none", nil).source.contains("test-none"))
    // Without an object all detections are wrong.
    try FileManager.default.createDirectory(atPath: folder.path + "/bare", withIntermediateDirectories: true)
    try ImageFile.write(try ImageFile.read("\(folder.path)/test/0.png").image, to: folder.path + "/bare/x.png")
    #expect(try error("folder:\(folder.path)/bare", nil).problem == "gets no confidences")
  }

  @Test("A cascade's training fits confidences to the photos that it is given, which must not be its own")
  func inTraining() throws {
    let folder = try Folder()
    var job = try folder.cascade()
    job.calibration = try folder.sources(folder.held)
    let trained = try job.run(record: record, executor: .serial)
    #expect(try CascadeDetector(modelFile: trained.model).isCalibrated)
    #expect((trained.report as? CascadeTrainingReport)?.calibration?.photos == 16)
    #expect(trained.report.markdown.contains("Confidences are fitted to "))
    #expect(trained.model.provenance.dataSets.last?.description == "calibration")
    job.calibration = try folder.sources(folder.train)
    let error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
    #expect(error.problem.contains("among the calibration photos"))
  }
}
