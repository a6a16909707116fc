import Execution
import ModelFiles
import TestSupport
import Testing

@testable import Landmarks

/// Gradient levels whose points see their neighbourhood alone.
@Suite("Levels of neighbours")
struct NeighbourLevelTests {
  @Test("the nearest points, by hand")
  func nearest() {
    // On a line at 0, 1, 3, 3 and 7: two of them in one place.
    let shape: [Float] = [0, 0, 1, 0, 3, 0, 3, 0, 7, 0]
    #expect(GradientLevel.neighbours(shape, count: 1) == [0, 1, 2, 3, 4])
    #expect(GradientLevel.neighbours(shape, count: 2) == [0, 1, 0, 1, 2, 3, 2, 3, 2, 4])
    #expect(GradientLevel.neighbours(shape, count: 9) == (0..<25).map { UInt16($0 % 5) })
  }

  @Test("outputs are those of the definition", arguments: [nil, LeafBits.sixteen, .eight], [1, 2, 3])
  func oracle(bits: LeafBits?, grid: Int) {
    var random = RandomStream(seed: UInt64(grid))
    let reading = GradientLevel.Reading(resolution: 30, cell: 3, grid: grid)
    let each = 8 * grid * grid
    let neighbours: [UInt16] = [0, 1, 1, 2, 0, 2]
    var level = GradientLevel(
      reading: reading, weights: .float((0..<6 * 2 * each).map { _ in Float(random.gaussian()) }),
      bias: (0..<6).map { _ in Float(random.gaussian()) }, basis: [], neighbours: neighbours)
    if let bits { level = level.quantized(bits: bits) }
    let features = (0..<3 * each).map { _ in Int16(random.index(below: 540)) }
    var found = [Float](repeating: 0, count: 6)
    level.change(features, values: 6, to: &found)
    let weights = level.weights.values
    for output in 0..<6 {
      var expected = Double(level.bias[output])
      for j in 0..<2 {
        for k in 0..<each {
          let feature = features[Int(neighbours[output / 2 * 2 + j]) * each + k]
          expected += Double(feature) * Double(weights[(output * 2 + j) * each + k])
        }
      }
      #expect(abs(Double(found[output]) - expected) < 1e-4 * max(1000, abs(expected)))
    }
  }

  private static func options(_ gradient: ShapePredictorOptions.Gradient) -> ShapePredictorOptions {
    var options = ShapePredictorOptions()
    options.levels = 0
    options.start = .both
    options.changeFrame = .shape
    options.border = .replicate
    options.oversampling = 6
    options.gradients = [
      .init(resolution: 30, cell: 5, grid: 2, ridge: 0.5, width: 8), gradient,
    ]
    return options
  }

  @Test("with all points for neighbours a level is that of the points themselves")
  func allPoints() throws {
    let faces = DrawnFaces.training(60, seed: 1)
    let whole = try ShapePredictorTrainer(
      Self.options(.init(resolution: 40, cell: 3, grid: 2, ridge: 1, width: 0, robustness: 1))
    ).train(faces)
    let local = try ShapePredictorTrainer(
      Self.options(.init(resolution: 40, cell: 3, grid: 2, ridge: 1, neighbours: 1000, robustness: 1))
    ).train(faces)
    #expect(whole.gradientLevels[0] == local.gradientLevels[0])
    let (a, b) = (whole.gradientLevels[1].weights.values, local.gradientLevels[1].weights.values)
    #expect(a.count == b.count)
    let largest = a.reduce(0) { max($0, abs($1)) }
    #expect(zip(a, b).allSatisfy { abs($0 - $1) < 1e-3 * largest })
  }

  @Test("a level of neighbours lowers the error, is the same for any threads, and is stored")
  func learns() throws {
    let faces = DrawnFaces.training(150, seed: 1)
    let options = Self.options(.init(resolution: 50, cell: 3, grid: 3, ridge: 1, neighbours: 3))
    var plain = options
    plain.gradients.removeLast()
    let before = DrawnFaces.error(try ShapePredictorTrainer(plain).train(faces), seed: 2, count: 60)
    let fine = try ShapePredictorTrainer(options, executor: .serial).train(faces)
    let after = DrawnFaces.error(fine, seed: 2, count: 60)
    #expect(after < 0.85 * before, "\(after) after \(before)")
    #expect(try ShapePredictorTrainer(options, executor: ParallelExecutor(threadCount: 3)).train(faces) == fine)
    let model = LandmarkModel(
      predictor: fine.quantized(bits: .eight), options: options,
      provenance: Provenance(command: "test", dataSets: [], seed: 0))
    let read = try LandmarkModel(ModelFile(bytes: model.modelFile().bytes(), name: "test"))
    #expect(read.predictor == model.predictor)
    #expect(DrawnFaces.error(read.predictor, seed: 2, count: 60) < 1.05 * after)
    let stored = try model.modelFile()
    let tensor = try stored.tensor("gradient.1.neighbours")
    var damaged = stored
    damaged.tensors["gradient.1.neighbours"] = nil
    #expect(throws: InputError.self) { try LandmarkModel(damaged) }
    var bytes = tensor.bytes
    (bytes[0], bytes[1]) = (255, 255)
    damaged.tensors["gradient.1.neighbours"] = Tensor(type: tensor.type, shape: tensor.shape, bytes: bytes)
    #expect(throws: InputError.self) { try LandmarkModel(damaged) }
    damaged.tensors["gradient.1.neighbours"] = Tensor(type: tensor.type, shape: [0, 3], bytes: [])
    #expect(throws: InputError.self) { try LandmarkModel(damaged) }
  }

  @Test("options out of range are refused")
  func range() {
    #expect(throws: InputError.self) { try Self.options(.init(neighbours: -1)).validate() }
    #expect(throws: InputError.self) { try Self.options(.init(neighbours: 2001)).validate() }
  }
}
