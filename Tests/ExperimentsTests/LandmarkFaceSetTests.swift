import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import Testing

@testable import Experiments

@Suite("Landmarks from data sets")
struct LandmarkFaceSetTests {
  /// A folder of pictures with a dark triangle on light ground, and .pts files of its corners.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString)").path

    init(count: Int) throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for index in 0..<count {
        var random = RandomStream(seed: 5, stream: UInt64(index))
        let (x, y) = (20 + 8 * random.uniform(), 20 + 8 * random.uniform())
        let corners = [Point(x: x, y: y), Point(x: x + 24, y: y + 2), Point(x: x + 11, y: y + 22)]
        var image = ByteImage(width: 64, height: 64, channelCount: 1, filledWith: 200)
        for row in 0..<64 {
          for column in 0..<64 {
            let at = Point(x: Double(column) + 0.5, y: Double(row) + 0.5)
            if corners.contains(where: { $0.distance(to: at) < 5 }) { image.pixels[row * 64 + column] = 30 }
          }
        }
        try ImageFile.write(image, to: "\(path)/\(index).png")
        let lines = corners.map { "\($0.x + 0.5) \($0.y + 0.5)" }.joined(separator: "\n")
        try AtomicFile.write("version: 1\nn_points: 3\n{\n\(lines)\n}\n", to: "\(path)/\(index).pts")
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func dataset() throws -> Dataset { try Dataset.load(DatasetReference.parse("ibug:\(path)?scale=1.4")) }
  }

  private static var options: ShapePredictorOptions {
    var options = ShapePredictorOptions()
    options.levels = 2
    options.trees = 20
    options.depth = 2
    options.poolSize = 60
    options.oversampling = 5
    return options
  }

  @Test("names of points are put in natural order")
  func naturalOrder() {
    let sorted = ["10", "9", "01", "1", "p2", "p10", "p1", "0", "00"].sorted(by: LandmarkFaceSet.naturallyPrecedes)
    #expect(sorted == ["0", "00", "1", "01", "9", "10", "p1", "p2", "p10"])
  }

  @Test("a detector's boxes are matched, their spread measured, and missed faces get the usual box")
  func boxes() throws {
    let folder = try Folder(count: 6)
    let dataset = try folder.dataset()
    var results: [String: [Detection]] = [:]
    for image in dataset.images.dropLast() {
      let box = image.annotations[0].box
      results[image.name] = [
        Detection(
          box: Box(x: box.x + 0.1 * box.width, y: box.y - 0.1 * box.height, width: box.width, height: box.height),
          score: 1, label: "face"), Detection(box: Box(x: 0, y: 0, width: 5, height: 5), score: 2, label: "face"),
      ]
    }
    let set = try LandmarkFaceSet.load(
      dataset, boxes: .results(results), largestBox: nil, margin: nil, executor: .serial)
    let spread = try #require(set.spread)
    #expect(spread.found == 5 && spread.missed == 1)
    #expect(abs(spread.shiftX - 0.1) < 1e-9 && abs(spread.shiftY + 0.1) < 1e-9 && abs(spread.scale - 1) < 1e-9)
    #expect(spread.shiftXDeviation < 1e-9)
    for (face, image) in zip(set.faces, dataset.images) {
      let box = image.annotations[0].box
      #expect(abs(face.box.x - box.x - 0.1 * box.width) < 1e-6, "\(face.name)")
    }
    #expect(set.pointNames == ["0", "1", "2"])
  }

  @Test("a job trains, keeps a checkpoint that other options refuse, and the model is measured")
  func job() throws {
    let folder = try Folder(count: 30)
    let dataset = try folder.dataset()
    let checkpoint = folder.path + "/model.checkpoint"
    var job = LandmarkTrainingJob(training: dataset, boxes: .annotated, options: Self.options)
    let record = Provenance(command: "test", dataSets: [], seed: 0)
    let model = try job.run(
      record: record, checkpoint: checkpoint, executor: .serial, progress: SilentProgress(), cancellation: nil)
    #expect(model.provenance.dataSets.first?.imageCount == 30)
    let stored = try LandmarkCheckpoint(path: checkpoint)
    #expect(stored.model.predictor.levels.count == 2)
    job.options.trees = 21
    #expect(throws: InputError.self) {
      try job.run(
        record: record, checkpoint: checkpoint, executor: .serial, progress: SilentProgress(), cancellation: nil)
    }
    let run = LandmarkRun(model: model, executor: .serial)
    let report = try run.report(dataset, boxes: .annotated, perturbations: [0.1])
    #expect(report.boxes.isEmpty)
    #expect(report.measures.map(\.name) == ["box diagonal", "face size"])
    #expect(try #require(report.measures[0].measure.mean) < 0.05)
    #expect(report.perturbations.count == 1 && report.perturbations[0].mean != nil)
    let image = try dataset.image(at: 0)
    let found = try run.landmarks(of: image, name: "0.png", boxes: [dataset.images[0].annotations[0].box])
    #expect(found.faces.count == 1 && found.faces[0].points.count == 3 && found.faces[0].pose == nil)
    #expect(throws: InputError.self) {
      try run.landmarks(of: image, name: "0.png", boxes: [], layout: LandmarkLayout.named("key6"))
    }
  }

  @Test("what cannot be mirrored or has no landmarks is told")
  func refusals() throws {
    let folder = try Folder(count: 3)
    var job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: Self.options)
    job.isMirrored = true
    let record = Provenance(command: "test", dataSets: [], seed: 0)
    #expect(throws: InputError.self) {
      try job.run(record: record, checkpoint: nil, executor: .serial, progress: SilentProgress(), cancellation: nil)
    }
    let plain = try Dataset.load(DatasetReference.parse("folder:\(folder.path)"))
    #expect(throws: InputError.self) {
      try LandmarkFaceSet.load(plain, boxes: .annotated, largestBox: nil, margin: nil, executor: .serial)
    }
  }
}
