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
  private struct Record: Codable {
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
    ).checked { try LandmarkModel($0) }
  }

  /// - Throws: as `modelFile()`, and where the file cannot be written.
  public func write(to path: String) throws { try modelFile().write(to: path) }

  /// - Throws: `InputError` where the file is none, of another kind, or holds what does not fit together.
  public init(path: String) throws { try self.init(ModelFile(path: path)) }

  /// - Throws: as `init(path:)`.
  public init(_ file: ModelFile) throws {
    try file.expect(kind: LandmarkModel.kind, version: LandmarkModel.version)
    let record = try file.options(as: Record.self)
    func fail(_ field: String, _ problem: String) -> InputError {
      InputError(source: file.source, field: field, problem: problem)
    }
    func floats(_ name: String, shape: [Int?]) throws -> [Float] {
      let values = try file.floats(name, shape: shape)
      if let bad = values.first(where: { abs($0) > LandmarkModel.largestValue }) {
        throw InputError(
          source: file.source, field: name, problem: "holds a number that no face has", found: "\(bad)",
          expected: "at most \(LandmarkModel.largestValue) box sides")
      }
      return values
    }
    let mean = try floats("mean_shape", shape: [nil, 2])
    let points = mean.count / 2
    guard (1...65_535).contains(points) else { throw fail("mean_shape", "has no sensible number of points") }
    var levels: [ShapeForest] = []
    for (index, level) in record.levels.enumerated() {
      guard (1...12).contains(level.depth), level.trees >= 0, (1...131_070).contains(level.width) else {
        throw fail("level \(index)", "has sizes out of range")
      }
      let anchors = try file.integers("\(index).anchors", shape: [nil])
      let offsets = try floats("\(index).offsets", shape: [2, anchors.count])
      let shape: [Int?] = [level.trees, 1 << level.depth - 1]
      let pixels = try file.integers("\(index).pixels", shape: shape + [2])
      let thresholds = try file.integers("\(index).thresholds", shape: shape)
      guard anchors.count <= 65_535, anchors.allSatisfy({ (0..<points).contains($0) }) else {
        throw fail("\(index).anchors", "name points that are not there")
      }
      guard pixels.allSatisfy({ (0..<anchors.count).contains($0) }) else {
        throw fail("\(index).pixels", "name pixels that are not there")
      }
      guard thresholds.allSatisfy({ (-32_768...32_767).contains($0) }) else {
        throw fail("\(index).thresholds", "are out of range")
      }
      let leaves = try LandmarkModel.leaves(
        file, "\(index).leaves", [level.trees, 1 << level.depth, level.width], level.scale)
      let hasBasis = file.tensors["\(index).basis"] != nil
      guard hasBasis || level.width == mean.count else {
        throw fail("\(index).leaves", "are of another width than the shape and have no basis")
      }
      let half = anchors.count
      levels.append(
        ShapeForest(
          pool: PixelPool(
            anchors: anchors.map { UInt16($0) }, offsetX: Array(offsets[0..<half]), offsetY: Array(offsets[half...])),
          depth: level.depth, treeCount: level.trees,
          splits: thresholds.indices.map {
            PixelDifferenceSplit(
              first: UInt16(pixels[2 * $0]), second: UInt16(pixels[2 * $0 + 1]), threshold: Int16(thresholds[$0]))
          }, leaves: leaves, width: level.width,
          basis: hasBasis ? try floats("\(index).basis", shape: [level.width, mean.count]) : []))
    }
    if let size = record.largestBox, !(1...100_000).contains(size) { throw fail("largestBox", "is out of range") }
    if let margin = record.margin, !(margin >= 0 && margin < 1000) { throw fail("margin", "is out of range") }
    var gradients: [GradientLevel] = []
    for (index, level) in (record.gradientLevels ?? []).enumerated() {
      let reading = level.reading
      guard reading.resolution >= 1, reading.resolution <= 1000, GradientLevel.Reading.isCell(reading.cell),
        (1...16).contains(reading.grid), (1...131_070).contains(level.width)
      else { throw fail("gradient.\(index)", "has sizes out of range") }
      guard reading.alignsAnew || index > 0 && gradients[index - 1].reading.reads(sameFaceAs: reading) else {
        throw fail("gradient.\(index)", "reads again a face that the level before does not read")
      }
      let hasBasis = file.tensors["gradient.\(index).basis"] != nil
      guard hasBasis || level.width == mean.count else {
        throw fail("gradient.\(index).weights", "are of another width than the shape and have no basis")
      }
      var neighbours: [UInt16] = []
      if file.tensors["gradient.\(index).neighbours"] != nil {
        let stored = try file.integers("gradient.\(index).neighbours", shape: [points, nil])
        guard !hasBasis, !stored.isEmpty, stored.allSatisfy({ (0..<points).contains($0) }) else {
          throw fail("gradient.\(index).neighbours", "name points that are none, or come with a basis")
        }
        neighbours = stored.map { UInt16($0) }
      }
      let seen = neighbours.isEmpty ? points : neighbours.count / points
      gradients.append(
        GradientLevel(
          reading: reading,
          weights: try LandmarkModel.leaves(
            file, "gradient.\(index).weights", [level.width, reading.featureCount(points: seen)], level.scale),
          bias: try floats("gradient.\(index).bias", shape: [level.width]),
          basis: hasBasis ? try floats("gradient.\(index).basis", shape: [level.width, mean.count]) : [],
          neighbours: neighbours))
    }
    predictor = ShapePredictor(
      meanShape: mean, levels: levels, gradientLevels: gradients, border: record.border,
      changeFrame: record.changeFrame,
      largestBox: record.largestBox, margin: record.margin, layout: record.layout)
    confidence = try record.confidence.map { stored in
      let calibration = stored.calibration
      guard calibration.a <= 0, calibration.a.isFinite, calibration.b.isFinite, abs(stored.bias) < 1e30 else {
        throw fail("confidence", "has a calibration out of range")
      }
      return FitConfidence(stored, weights: try floats("confidence.weights", shape: [FitConfidence.featureCount]))
    }
    options = record.training
    provenance = file.provenance
    if let whole = record.wholeLayout {
      try whole.validate(source: file.source)
      guard whole.pointCount == points else {
        throw InputError(
          source: file.source, field: "wholeLayout", problem: "is of other points", found: "\(whole.pointCount)",
          expected: "\(points)")
      }
      layout = whole
    } else {
      let named = LandmarkLayout.named(record.layout)
      layout = named?.pointCount == points ? named : nil
    }
  }

  private static func leaves(_ file: ModelFile, _ name: String, _ shape: [Int], _ scale: Float?) throws -> LeafTable {
    guard let scale else {
      let values = try file.floats(name, shape: shape)
      guard values.allSatisfy({ abs($0) <= LandmarkModel.largestValue }) else {
        throw InputError(source: file.source, field: name, problem: "hold a number that no face has")
      }
      return .float(values)
    }
    guard scale > 0, scale <= LandmarkModel.largestValue else {
      throw InputError(source: file.source, field: name, problem: "has a scale out of range", found: "\(scale)")
    }
    let tensor = try file.tensor(name, shape: shape)
    let type = tensor.type
    switch type {
    case .int8: return .int8(tensor.bytes.map { Int8(bitPattern: $0) }, scale: scale)
    case .int16:
      return .int16(try file.integers(name, shape: shape).map { Int16(truncatingIfNeeded: $0) }, scale: scale)
    default:
      throw InputError(
        source: file.source, field: name, problem: "is of another type", found: type.rawValue, expected: "I8 or I16")
    }
  }

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
