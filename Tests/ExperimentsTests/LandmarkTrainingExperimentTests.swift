import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

@Suite("Landmarks in experiments")
struct LandmarkTrainingExperimentTests {
  @Test("an experiment trains and measures landmarks, the same on any number of threads, and its figures make tables")
  func experiment() throws {
    let folder = try SpotFolder()
    try folder.write(count: 30, names: ["a", "b", "c"])
    let text = """
      {"title": "T", "purpose": "P", "train": {"family": "landmarks", "preset": "dlib", "data": ["imglab:\(folder.path)/faces.xml"],
       "options": {"levels": 2, "trees": 10, "depth": 2, "poolSize": 40, "oversampling": 3}}, "landmarks": [{"name": "held",
       "data": [{"data": "imglab:\(folder.path)/faces.xml", "limit": 12}], "perturb": [0.1], "draws": 2}]}
      """
    func configuration(_ text: String) throws -> ExperimentConfiguration {
      try StrictJSON.decode(ExperimentConfiguration.self, from: Data(text.utf8), source: "config.json")
    }
    var results: [ExperimentResult] = []
    for threads in [1, 3] {
      let output = "\(folder.path)/out\(threads)"
      let (result, report) = try ExperimentRunner(
        configuration: configuration(text), output: output, record: RunRecord(command: "test"),
        executor: ParallelExecutor(threadCount: threads)
      ).run()
      results.append(result)
      for name in ["model.safetensors", "training.json", "result.json", "report.md", "held.html", "held.json"] {
        #expect(FileManager.default.fileExists(atPath: "\(output)/\(name)"), "\(name)")
      }
      #expect(report.contains("| held: errors normalised by | mean % | median % | area to 0.08 | failed % |"))
      #expect(report.contains("| held: boxes moved by up to | mean % | growth % |"))
    }
    #expect(results[0].figures == results[1].figures && results[0].modelChecksum == results[1].modelChecksum)
    #expect(results[0].figures.first?.name == "held.box diagonal.mean %")
    try AtomicFile.write(StrictJSON.text(results[0]), to: "\(folder.path)/all/landmarks/x/expected.json")
    let table = try ExperimentTable.markdown(folder: "\(folder.path)/all")
    let mean = try #require(results[0].figures.first?.value)
    #expect(table.contains("| box diagonal | \(String(format: "%.2f", 100 * mean)) |"))
    // What makes no sense is told, not passed over.
    for (change, expected) in [
      ("\"draws\": 2", "\"drawz\": 2"), ("\"draws\": 2", "\"draws\": 0"), ("[0.1]", "[1.5]"),
      ("\"dlib\"", "\"dlob\""), ("\"trees\": 10", "\"trees\": -1"),
    ].map({ ($0.0, text.replacingOccurrences(of: $0.0, with: $0.1)) }) {
      #expect(throws: InputError.self, "\(change)") {
        try ExperimentRunner(
          configuration: configuration(expected), output: "\(folder.path)/bad", record: RunRecord(command: "test"),
          executor: .serial
        ).run()
      }
    }
    let boxes = """
      {"title": "T", "purpose": "P", "model": "\(folder.path)/out1/model.safetensors", "boxes": [{"name": "b", "data":
       ["imglab:\(folder.path)/faces.xml"]}]}
      """
    #expect {
      try ExperimentRunner(
        configuration: configuration(boxes), output: "\(folder.path)/bad", record: RunRecord(command: "test"),
        executor: .serial
      ).run()
    } throws: { "\($0)".contains("is no detector") }
  }
}
