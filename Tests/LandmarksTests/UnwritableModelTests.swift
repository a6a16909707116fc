import Execution
import Foundation
import Geometry
import ModelFiles
import Testing

@testable import Landmarks

/// What our reader would refuse is never written.
@Suite("Landmark models that cannot be kept")
struct UnwritableModelTests {
  private static func model(
    mean: [Float] = [0, 0, 1, 1], bias: [Float] = [0, 0, 0, 0], weight: Float = 0.5, largestBox: Int? = 80,
    quantized: Bool = false
  ) -> LandmarkModel {
    let reading = GradientLevel.Reading(resolution: 20, cell: 3, grid: 2, alignsAnew: true)
    let weights = [Float](repeating: weight, count: 4 * reading.featureCount(points: 2))
    let level = GradientLevel(reading: reading, weights: .float(weights), bias: bias, basis: [])
    let predictor = ShapePredictor(
      meanShape: mean, levels: [], gradientLevels: [level], border: .replicate, changeFrame: .shape,
      largestBox: largestBox, margin: 0.5)
    return LandmarkModel(
      predictor: quantized ? predictor.quantized(bits: .eight) : predictor, options: .face,
      provenance: Provenance(command: "test", dataSets: [], seed: 1))
  }

  @Test("numbers that no face has, and such that are none, are told with their tensor, and no file comes about")
  func values() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for (field, model) in [
      ("gradient.0.bias", Self.model(bias: [0, 116_261.61, 0, 0])),
      ("gradient.0.bias", Self.model(bias: [0, .nan, 0, 0])),
      ("gradient.0.weights", Self.model(weight: -2e5)), ("gradient.0.weights", Self.model(weight: .infinity)),
      ("mean_shape", Self.model(mean: [0, 0, 1e6, 1])), ("largestBox", Self.model(largestBox: 200_000)),
    ] {
      let error = #expect(throws: InputError.self, "\(field)") { try model.write(to: path) }
      #expect(error?.field == field, "\(error as Any)")
      #expect(error?.problem.hasPrefix("the model cannot be kept, for its file would be refused") == true)
      #expect(throws: InputError.self) { try LandmarkCheckpoint(model, isMirrored: false).write(to: path) }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    for quantized in [false, true] {
      try Self.model(quantized: quantized).write(to: path)
      #expect(try LandmarkModel(path: path).predictor == Self.model(quantized: quantized).predictor)
    }
    // A level that has nothing to add: its weights have no scale.
    try Self.model(weight: 0, quantized: true).write(to: path)
    _ = try LandmarkModel(path: path)
  }

  @Test("whatever a training of drawn faces gives is read again, point for point", arguments: 0..<6)
  func trained(seed: Int) throws {
    var random = RandomStream(seed: UInt64(seed))
    var options = ShapePredictorOptions.face
    options.oversampling = 1 + random.index(below: 3)
    options.levels = random.index(below: 2)
    (options.localTrees, options.localDepth, options.localPool, options.regressionWidth) = (2, 2, 10, 4)
    options.gradients = [
      .init(resolution: 20, cell: 3, grid: 2, ridge: [0.1, 1, 6][random.index(below: 3)], width: 4)
    ]
    let faces = DrawnFaces.training(2 + random.index(below: 12), seed: UInt64(seed))
    let predictor = try ShapePredictorTrainer(options).train(faces, largestBox: 80, margin: 0.5)
    for bits in [LeafBits?.none, .eight, .sixteen] {
      let model = LandmarkModel(
        predictor: bits.map(predictor.quantized) ?? predictor, options: options,
        provenance: Provenance(command: "test", dataSets: [], seed: 1))
      let read = try LandmarkModel(ModelFile(bytes: try model.modelFile().bytes(), name: "test"))
      #expect(read.predictor == model.predictor)
    }
  }

  @Test("numbers that are none among options are told by their place")
  func options() {
    var model = Self.model()
    model.options.shrinkage = .nan
    let error = #expect(throws: InputError.self) { try model.modelFile() }
    #expect(error?.field == "training.shrinkage" && error?.found == "nan", "\(error as Any)")
  }

  @Test("the trainer refuses faces of one spot, and such whose mean shape is one")
  func trainer() throws {
    let faces = DrawnFaces.training(6, seed: 3)
    let face = DrawnFaces.make(seed: 3, index: 0)
    func changed(_ name: String, _ points: [Point?]) throws -> LandmarkFace {
      try #require(
        LandmarkFace(name: name, image: face.image, box: face.box, points: points, largestBox: nil, margin: nil))
    }
    let spot = try changed("spot", Array(repeating: face.points[0], count: 5))
    let error = #expect(throws: InputError.self) { try ShapePredictorTrainer.meanShape(faces + [spot]) }
    #expect(error?.source == "spot" && error?.problem == "has all its points at one spot")
    let center = face.box.center
    let opposite = face.points.map { Point(x: 2 * center.x - $0.x, y: 2 * center.y - $0.y) }
    let turned = try changed("turned", opposite)
    let pair = #expect(throws: InputError.self) {
      try ShapePredictorTrainer.meanShape([try changed("upright", face.points), turned])
    }
    #expect(pair?.problem.contains("mean shape that is one spot") == true)
    #expect(try ShapePredictorTrainer.meanShape([turned]).count == 10)
    let single = try changed("single", [face.points[0]])
    #expect(try ShapePredictorTrainer.meanShape([single, single]).count == 2)
  }
}
