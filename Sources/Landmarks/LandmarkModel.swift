import Execution
import Foundation
import ModelFiles

/// A landmark fitter as it is stored: the predictor, what tells a good fit from a bad one, and how it was made.
public struct LandmarkModel: Sendable {
  public static let kind = "landmark-fitter"
  public static let version = 1
  /// The largest place, offset or change, in box sides, that a file may hold: others are damage, and would end in points
  /// that are no numbers.
  public static let largestValue: Float = 1e5

  public var predictor: ShapePredictor
  /// `nil` where none was learnt.
  public var confidence: FitConfidence?
  public var options: ShapePredictorOptions
  public var provenance: Provenance
  /// What the points are, whole, so that a model that was moved needs no other file; `nil` where it is not known.
  public var layout: LandmarkLayout?

  /// - Parameter layout: `nil` takes the built-in one of the predictor's name, where that has as many points.
  /// - Precondition: a layout has the predictor's points.
  public init(
    predictor: ShapePredictor, confidence: FitConfidence? = nil, options: ShapePredictorOptions, provenance: Provenance,
    layout: LandmarkLayout? = nil
  ) {
    precondition(layout.map { $0.pointCount == predictor.pointCount } ?? true, "a layout of other points")
    let named = LandmarkLayout.named(predictor.layout)
    self.layout = layout ?? (named?.pointCount == predictor.pointCount ? named : nil)
    self.predictor = predictor
    self.confidence = confidence
    self.options = options
    self.provenance = provenance
  }

  /// What the file's `options` hold.
  struct Record: Codable {
    var training: ShapePredictorOptions
    var border: ShapePredictor.Border
    var changeFrame: ShapePredictor.ChangeFrame
    var largestBox: Int?
    var margin: Double?
    var layout: String
    /// Absent in files of before.
    var wholeLayout: LandmarkLayout?
    var levels: [Level]
    var gradientLevels: [Gradient]?
    var confidence: FitConfidence.Record?

    struct Gradient: Codable {
      var reading: GradientLevel.Reading
      var width: Int
      var scale: Float?
    }

    struct Level: Codable {
      var depth: Int
      var trees: Int
      var width: Int
      /// Of whole-number leaves; absent for floats.
      var scale: Float?
    }
  }

  /// Tensors: `mean_shape` [points, 2]; for each level n from 0 `n.anchors` [pixels], `n.offsets` [2, pixels], `n.pixels`
  /// [trees, splits, 2], `n.thresholds` [trees, splits], `n.leaves` [trees, leaves, width] and, where leaves are
  /// coefficients, `n.basis` [width, values]; for each gradient level n from 0 `gradient.n.weights` [width, features],
  /// `gradient.n.bias` [width] and, where outputs are coefficients, `gradient.n.basis`; `gradient.n.neighbours` [points, seen]
  /// where each point sees so many alone, whose features are then those of the weights; `confidence.weights`.
  /// - Throws: `InputError` for a model that could not be read again, such as one with values beyond `largestValue`.
  public func modelFile() throws -> ModelFile {
    var tensors: [String: Tensor] = [
      "mean_shape": Tensor(predictor.meanShape, shape: [predictor.pointCount, 2])
    ]
    var levels: [Record.Level] = []
    for (index, level) in predictor.levels.enumerated() {
      tensors["\(index).anchors"] = LandmarkModel.tensor(level.pool.anchors, .uint16, [level.pool.count])
      tensors["\(index).offsets"] = Tensor(level.pool.offsetX + level.pool.offsetY, shape: [2, level.pool.count])
      let shape = [level.treeCount, level.splitsPerTree]
      tensors["\(index).pixels"] = LandmarkModel.tensor(
        level.splits.flatMap { [$0.first, $0.second] }, .uint16, shape + [2])
      tensors["\(index).thresholds"] = LandmarkModel.tensor(level.splits.map(\.threshold), .int16, shape)
      let leafShape = [level.treeCount, level.leavesPerTree, level.width]
      let stored = LandmarkModel.tensor(level.leaves, leafShape)
      tensors["\(index).leaves"] = stored.tensor
      if !level.basis.isEmpty {
        tensors["\(index).basis"] = Tensor(level.basis, shape: [level.width, predictor.meanShape.count])
      }
      levels.append(
        Record.Level(depth: level.depth, trees: level.treeCount, width: level.width, scale: stored.scale))
    }
    var gradients: [Record.Gradient] = []
    for (index, level) in predictor.gradientLevels.enumerated() {
      let stored = LandmarkModel.tensor(level.weights, [level.width, level.weights.count / level.width])
      tensors["gradient.\(index).weights"] = stored.tensor
      tensors["gradient.\(index).bias"] = Tensor(level.bias)
      if !level.neighbours.isEmpty {
        tensors["gradient.\(index).neighbours"] = LandmarkModel.tensor(
          level.neighbours, .uint16, [predictor.pointCount, level.neighbours.count / predictor.pointCount])
      }
      if !level.basis.isEmpty {
        tensors["gradient.\(index).basis"] = Tensor(level.basis, shape: [level.width, predictor.meanShape.count])
      }
      gradients.append(Record.Gradient(reading: level.reading, width: level.width, scale: stored.scale))
    }
    if let confidence { tensors["confidence.weights"] = Tensor(confidence.weights) }
    let record = Record(
      training: options, border: predictor.border, changeFrame: predictor.changeFrame,
      largestBox: predictor.largestBox, margin: predictor.margin, layout: predictor.layout, wholeLayout: layout,
      levels: levels,
      gradientLevels: gradients.isEmpty ? nil : gradients, confidence: confidence?.record)
    return try ModelFile(
      kind: LandmarkModel.kind, version: LandmarkModel.version, options: ModelFile.json(record),
      provenance: provenance,
      tensors: tensors
    ).checked(by: LandmarkModel.check)
  }

  /// - Throws: as `modelFile()`, and where the file cannot be written.
  public func write(to path: String) throws { try modelFile().write(to: path) }

  private static func tensor(_ table: LeafTable, _ shape: [Int]) -> (tensor: Tensor, scale: Float?) {
    switch table {
    case .float(let values): (Tensor(values, shape: shape), nil)
    case .int16(let values, let step): (tensor(values, .int16, shape), step)
    case .int8(let values, let step): (tensor(values, .int8, shape), step)
    }
  }

  private static func tensor<Number: FixedWidthInteger>(
    _ values: [Number], _ type: ElementType, _ shape: [Int]
  ) -> Tensor {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(values.count * MemoryLayout<Number>.size)
    for value in values { withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) } }
    return Tensor(type: type, shape: shape, bytes: bytes)
  }
}
