import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles
import Testing

@testable import Landmarks

@Suite("Damaged landmark models")
struct DamagedLandmarkModelTests {
  private static func model() throws -> LandmarkModel {
    var options = ShapePredictorOptions()
    options.levels = 1
    options.leaves = .globalRegression
    options.localTrees = 2
    options.localDepth = 2
    options.localPool = 10
    options.regressionWidth = 4
    options.changeFrame = .shape
    options.border = .replicate
    options.oversampling = 3
    options.gradients = [.init(resolution: 20, cell: 3, grid: 2, width: 4)]
    let faces = DrawnFaces.training(40, seed: 1)
    let predictor = try ShapePredictorTrainer(options).train(faces, largestBox: 80, margin: 0.5)
    return LandmarkModel(
      predictor: predictor.quantized(bits: .eight),
      confidence: try FitConfidence.train(predictor, faces: faces, seed: 1, executor: .serial), options: options,
      provenance: Provenance(command: "test", dataSets: [], seed: 1))
  }

  @Test("flipped bits are an error, or a model that gives finite points and a confidence in 0...1, or no fit")
  func flips() throws {
    let bytes = try Self.model().modelFile().bytes()
    let face = DrawnFaces.make(seed: 3, index: 0)
    var (refused, read) = (0, 0)
    for seed in 0..<1000 {
      var random = RandomStream(seed: UInt64(seed))
      var copy = bytes
      for _ in 0..<(1 + random.index(below: 4)) {
        // Half of them in the header and the first tensors, where sizes are.
        let end = random.index(below: 2) == 0 ? min(3000, copy.count) : copy.count
        copy[random.index(below: end)] ^= UInt8(1 << random.index(below: 8))
      }
      do {
        let file = try ModelFile(bytes: copy, name: "damaged")
        // What is checked before a file is written is what is checked when it is read.
        let isKept = (try? LandmarkModel.check(file)) != nil
        #expect(((try? LandmarkModel(file)) != nil) == isKept, "seed \(seed)")
        let model = try LandmarkModel(file)
        read += 1
        guard let fit = model.fit(face.image, box: face.box) else { continue }
        #expect(fit.points.allSatisfy { $0.x.isFinite && $0.y.isFinite }, "seed \(seed)")
        #expect(fit.confidence.map { (0...1).contains($0) } ?? true, "seed \(seed): \(fit.confidence as Any)")
      } catch is InputError {
        refused += 1
      }
    }
    #expect(refused > 100 && read > 100, "\(refused) refused, \(read) read")
  }

  @Test("numbers that no face has are told, in each tensor")
  func values() throws {
    let file = try Self.model().modelFile()
    for name in ["mean_shape", "0.offsets", "0.basis", "gradient.0.basis", "gradient.0.bias"] {
      let tensor = try #require(file.tensors[name], "\(name)")
      for bad in [Float.nan, .infinity, 1e30] {
        var copy = file
        var values = try #require(tensor.floats())
        values[values.count / 2] = bad
        copy.tensors[name] = Tensor(values, shape: tensor.shape)
        do {
          _ = try LandmarkModel(copy)
          Issue.record("\(name) with \(bad) was read")
        } catch let error as InputError {
          #expect(error.field == name)
        }
      }
    }
  }
}
