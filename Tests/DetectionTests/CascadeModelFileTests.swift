import Execution
import Learning
import ModelFiles
import TestSupport
import Testing

@testable import Detection

struct CascadeModelFileTests {
  @Test func modelFilesKeepEverything() throws {
    let image = CascadeOracle.picture(seed: 6, width: 100, height: 80)
    let provenance = Provenance(command: "test", dataSets: [], seed: 1)
    var count = 0
    for oracle in CascadeOracle.kinds(seed: 6) {
      let detector = oracle.detector().calibrated(PlattScaling(a: -1, b: 0.5))
      let file = try detector.modelFile(provenance: provenance, training: ["depth": 3])
      let read = try CascadeDetector(modelFile: ModelFile(bytes: file.bytes(), name: "a"))
      #expect(read.features == detector.features && read.stages == detector.stages)
      #expect(read.label == "thing" && read.scanOptions == detector.scanOptions)
      #expect(read.detect(in: image) == detector.detect(in: image))
      // Of the reported score; other steps and suppression give scores of another scale, and no confidence.
      var other = read.scanOptions
      other.threshold = -1000
      let found = read.detect(in: image, options: other)
      count += found.count
      #expect(found.allSatisfy { $0.confidence == PlattScaling(a: -1, b: 0.5).confidence($0.score) })
      other.suppression = .greedy(GreedySuppression(overlap: 0.3))
      #expect(read.detect(in: image, options: other).allSatisfy { $0.confidence == nil })
      other.suppression = read.scanOptions.suppression
      other.minimumHeight = 1
      #expect(read.detect(in: image, options: other) == found)
      other.scoredStages = 2
      #expect(read.detect(in: image, options: other).allSatisfy { $0.confidence == nil })
      other.scoredStages = 1
      #expect(read.detect(in: image, options: other) == found)
      // Windows of a lower score than this would have let others grow.
      other.threshold = 1e-9
      #expect(read.detect(in: image, options: other).allSatisfy { $0.confidence == nil })
      #expect(try CascadeDetector.trainingOptions(of: file, as: [String: Int].self) == ["depth": 3])
      #expect(try read.modelFile(provenance: provenance, training: ["depth": 3]).bytes() == file.bytes())
    }
    #expect(count > 0)
  }

  @Test func damagedModelsAreRefused() throws {
    let haar = try CascadeOracle.kinds(seed: 7)[1].detector().modelFile(
      provenance: Provenance(command: "test", dataSets: [], seed: 1))
    func fails(_ name: String, _ change: (Tensor) -> Tensor) -> Bool {
      var file = haar
      file.tensors[name] = file.tensors[name].map(change)
      do {
        _ = try CascadeDetector(modelFile: file)
        return false
      } catch { return error is InputError }
    }
    func first(_ value: Int32) -> (Tensor) -> Tensor {
      { tensor in Tensor([value] + tensor.integers()!.dropFirst().map { Int32($0) }, shape: tensor.shape) }
    }
    #expect(fails("feature.boxes", first(14)))
    #expect(fails("feature.boxes", first(-1)))
    #expect(fails("feature.boxes", first(.max)))
    #expect(fails("node.features", first(1000)))
    #expect(fails("node.features", first(-1)))
    #expect(fails("node.left", first(9)))
    #expect(fails("node.left", first(-9)))
    #expect(fails("node.left", first(.min)))
    #expect(fails("tree.nodeCounts", first(0)))
    #expect(fails("tree.nodeCounts", first(.max)))
    #expect(fails("stage.treeCounts", first(-3)))
    #expect(fails("stage.thresholds") { Tensor(Array(repeating: Float.nan, count: $0.count)) })
    #expect(fails("leaf.values") { Tensor(Array($0.floats()!.dropLast())) })
  }
}
