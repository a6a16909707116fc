import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

/// Cascade trainings from files, end to end.
@Suite("Cascade training jobs")
struct CascadeTrainingJobTests {
  private final class Folder {
    let path = NSTemporaryDirectory() + "windhover-cascade-job-\(UUID().uuidString)"

    init() throws {
      try FileManager.default.createDirectory(atPath: path + "/photos", withIntermediateDirectories: true)
      for index in 0..<3 {
        try ImageFile.write(
          noiseImage(width: 70, height: 60, channelCount: 1, seed: UInt64(index)),
          to: path + "/photos/\(index).png")
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Samples with a bright right half.
    func samples(_ name: String, _ size: PixelSize) throws -> DatasetReference {
      let file = path + "/" + name
      try VecFile.write(count: 40, size: size, to: file) { output in
        for sample in 0..<40 {
          try output.append(
            (0..<size.width * size.height).map { UInt8(($0 % size.width < size.width / 2 ? 20 : 180) + sample) })
        }
      }
      return try .parse("vec:\(file)")
    }

    func job(_ positives: DatasetReference, _ window: PixelSize) throws -> CascadeTrainingJob {
      var job = CascadeTrainingJob(
        positives: [AnnotatedSource(data: positives)],
        negatives: [AnnotatedSource(data: try .parse("folder:\(path)/photos"))])
      job.options.windowSize = window
      job.options.positiveCount = 30
      job.options.negativeCount = 60
      job.options.stageCount = 2
      job.options.memory = 64
      return job
    }
  }

  private let record = RunRecord.now(command: "train it")

  @Test("Packed samples of as many values as the window are read in its shape, and the model says so")
  func packedSamplesTakeTheWindowsShape() throws {
    let folder = try Folder()
    let wide = PixelSize(width: 15, height: 10)
    let job = try folder.job(try folder.samples("wide.vec", wide), wide)
    let model = try job.run(record: record, executor: .serial).model
    #expect(try CascadeDetector(modelFile: model).windowSize == wide)
    #expect(model.provenance.dataSets.first?.name == "vec:\(folder.path)/wide.vec?width=15")
  }

  @Test("Packed samples of another shape than the window's are refused, whatever is said of their width")
  func otherShapesAreRefused() throws {
    let folder = try Folder()
    let square = try folder.samples("square.vec", PixelSize(width: 12, height: 12))
    for (reference, found) in [
      (square, "12 x 12"), (try DatasetReference.parse("\(square)?width=16"), "16 x 9"),
    ] {
      let error = try #require(throws: InputError.self) {
        try folder.job(reference, PixelSize(width: 15, height: 10)).trained(executor: .serial)
      }
      #expect(error.problem == "has samples of another shape than the window's" && error.found == found)
    }
    // The same shape in another size is brought to the window.
    let small = try folder.job(square, PixelSize(width: 8, height: 8))
    #expect(try small.trained(executor: .serial).detector.windowSize == PixelSize(width: 8, height: 8))
  }

  @Test("Windows of a measure: in range, and only where there is one")
  func validationWindows() throws {
    let folder = try Folder()
    let size = PixelSize(width: 12, height: 12)
    var job = try folder.job(try folder.samples("a.vec", size), size)
    job.validationWindows = 100
    let error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
    #expect(error.field == "validationWindows" && error.problem == "means nothing without validation sets")
    job.validationPositives = job.positives
    job.validationNegatives = job.negatives
    for count in [-1, 0, 1_000_000_001] {
      job.validationWindows = count
      let error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
      #expect(error.field == "validationWindows" && error.found == "\(count)")
    }
    // What a file leaves out stays out of what is written.
    let text = try StrictJSON.text(try folder.job(try folder.samples("b.vec", size), size))
    #expect(!text.contains("validationWindows"))
  }
}
