import Detection
import Execution
import Foundation
import ModelFiles
import Testing

@testable import Experiments

/// The whole way on generated pictures: train, evaluate, report, and the same again with more threads.
struct ExperimentRunnerTests {
  private func configuration(_ folder: String) throws -> ExperimentConfiguration {
    let sets = try GeneratedFaces.write(below: folder, seed: 3, pictureCounts: (train: 24, test: 8, negatives: 12))
    let text = """
      {"title": "T", "purpose": "P", "train": {"preset": "face", "positives": ["\(sets.train)"],
       "negatives": ["\(sets.negatives)"], "options": {"rounds": 1, "jitterCopies": 0, "randomNegatives": 400,
       "negativesPerRound": 400}}, "boxes": [{"name": "photos", "data": ["\(sets.test)"], "fitsBoxes": true}]}
      """
    return try StrictJSON.decode(ExperimentConfiguration.self, from: Data(text.utf8), source: "config.json")
  }

  @Test func trainsEvaluatesAndReportsTheSameOnAnyNumberOfThreads() throws {
    let folder = NSTemporaryDirectory() + "windhover-experiment-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let configuration = try configuration(folder)
    var models: [[String: Tensor]] = []
    var figures: [[ExperimentResult.Figure]] = []
    for threads in [1, 2, 5] {
      let output = "\(folder)/out\(threads)"
      let (result, report) = try ExperimentRunner(
        configuration: configuration, output: output, record: RunRecord(command: "test"),
        executor: ParallelExecutor(threadCount: threads)
      ).run()
      models.append(try ModelFile(path: "\(output)/model.safetensors").tensors)
      figures.append(result.figures)
      #expect(report.contains("photos.averagePrecision"))
      for name in ["result.json", "report.md", "training.json", "photos.jsonl", "photos.html", "photos.json"] {
        #expect(FileManager.default.fileExists(atPath: "\(output)/\(name)"), "\(name)")
      }
      #expect(!FileManager.default.fileExists(atPath: "\(output)/checkpoint.safetensors"))
    }
    #expect(models[0] == models[1] && models[0] == models[2])
    #expect(figures[0] == figures[1] && figures[0] == figures[2])
    // Drawn faces on drawn grounds are easy: less would mean that training, scan or matching is broken.
    let precision = try #require(figures[0].first { $0.name == "photos.averagePrecision" }?.value)
    #expect(precision > 0.8)
  }

  @Test func anEvaluationOfUnknownScanOptionsIsRefused() throws {
    let folder = NSTemporaryDirectory() + "windhover-experiment-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let features = HOGPreset.face.options
    let size = features.features.windowMapSize(features.windowSize)
    let detector = HOGDetector(
      features: features.features, colour: .grey,
      components: [
        HOGComponent(
          label: "face", name: "one", windowSize: features.windowSize, objectRegion: features.objectRegion,
          rows: size.rows, columns: size.columns, channelCount: features.features.channelCount,
          weights: Array(repeating: 0, count: size.count * features.features.channelCount), bias: 0)
      ])
    #expect { try detector.scanOptions(with: .object(["treshold": .number(1)])) } throws: {
      "\($0)".contains("treshold")
    }
    #expect(try detector.scanOptions(with: .object(["threshold": .number(-2)])).threshold == -2)
    #expect(try detector.scanOptions(with: nil) == detector.scanOptions)
  }
}
