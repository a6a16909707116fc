import Detection
import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles
import Testing

@testable import Experiments

/// The scan that a training's configuration names.
struct CascadeTrainingScanTests {
  /// Bright bars on dark ground as objects, and noise without them.
  private func job(_ folder: String, scan: String) throws -> CascadeTrainingJob {
    var random = RandomStream(seed: 4)
    func noise(_ width: Int, _ height: Int) -> ByteImage {
      var image = ByteImage(width: width, height: height, channelCount: 1, filledWith: 0)
      for index in image.pixels.indices { image.pixels[index] = UInt8(random.index(below: 160)) }
      return image
    }
    try FileManager.default.createDirectory(atPath: folder + "/scenes", withIntermediateDirectories: true)
    var lines = ""
    for number in 0..<40 {
      var image = noise(12, 12)
      for y in 4..<8 { for x in 1..<11 { image.pixels[y * 12 + x] = 200 + UInt8(random.index(below: 50)) } }
      try ImageFile.write(image, to: "\(folder)/\(number).png")
      lines += "\(number).png 1 0 0 12 12\n"
    }
    try Data(lines.utf8).write(to: URL(filePath: folder + "/info.txt"))
    for number in 0..<3 { try ImageFile.write(noise(60, 50), to: "\(folder)/scenes/\(number).png") }
    let text = """
      {"positives": ["info:\(folder)/info.txt?label=bar"], "negatives": ["folder:\(folder)/scenes"], "scan": \(scan),
       "options": {"label": "bar", "windowSize": {"width": 12, "height": 12}, "features": "haar-basic", "stageCount": 1,
                   "positiveCount": 40, "negativeCount": 60, "memory": 64}}
      """
    return try JSONDecoder().decode(CascadeTrainingJob.self, from: Data(text.utf8))
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "cascade-job-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  @Test("the model keeps the scan of its configuration, and scans by it when nothing else is asked for")
  func scanIsKept() throws {
    try inFolder { folder in
      let job = try job(
        folder,
        scan: #"{"threshold": -0.25, "upsampling": "byTwo", "suppression": {"method": "greedy", "overlap": 0.2}}"#)
      let trained = try job.run(record: RunRecord.now(command: "test"))
      let path = folder + "/model.safetensors"
      try trained.model.write(to: path)
      let detector = try CascadeDetector(modelFile: ModelFile(path: path))
      #expect(detector.scanOptions.threshold == -0.25 && detector.scanOptions.upsampling == .byTwo)
      guard case .greedy(let greedy) = detector.scanOptions.suppression else {
        Issue.record("greedy suppression expected")
        return
      }
      #expect(greedy.overlap == 0.2)
      // What the configuration does not name is the family's own.
      #expect(detector.scanOptions.scaleFactor == ScanOptions.cascade.scaleFactor)
      let image = try ImageFile.read("\(folder)/scenes/0.png").image
      #expect(detector.detect(in: image) == detector.detect(in: image, options: detector.scanOptions))
    }
  }

  @Test("a scan that cascades cannot do is refused")
  func scanIsChecked() throws {
    try inFolder { folder in
      let job = try job(folder, scan: #"{"scaleFactor": 0.5}"#)
      #expect(throws: InputError.self) { _ = try job.trained() }
    }
  }
}
