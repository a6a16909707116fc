import Execution
import Foundation
import ModelFiles

extension LandmarkModel {
  /// - Throws: `InputError` where the file is none, of another kind, or holds what does not fit together.
  public init(path: String) throws { try self.init(ModelFile(path: path)) }

  /// - Throws: as `init(path:)`.
  public init(_ file: ModelFile) throws {
    let reader = try LandmarkReader(file)
    predictor = ShapePredictor(
      meanShape: reader.mean, levels: try reader.forests.map(reader.forest),
      gradientLevels: try reader.gradients.map(reader.gradient), border: reader.record.border,
      changeFrame: reader.record.changeFrame, largestBox: reader.record.largestBox, margin: reader.record.margin,
      layout: reader.record.layout)
    confidence = try reader.confidence()
    options = reader.record.training
    provenance = file.provenance
    layout = try reader.layout()
  }

  /// Throws what reading the file would, and keeps one level at a time: a checkpoint is checked after each level, when a
  /// second copy of the model would be the training's greatest need of memory.
  static func check(_ file: ModelFile) throws {
    let reader = try LandmarkReader(file)
    for index in reader.forests { _ = try reader.forest(index) }
    for index in reader.gradients { _ = try reader.gradient(index) }
    _ = try reader.confidence()
    _ = try reader.layout()
  }
}

/// The parts of a landmark model's file, each checked when it is asked for.
struct LandmarkReader {
  let file: ModelFile
  let record: LandmarkModel.Record
  let mean: [Float]
  private let points: Int

  init(_ file: ModelFile) throws {
    try file.expect(kind: LandmarkModel.kind, version: LandmarkModel.version)
    self.file = file
    record = try file.options(as: LandmarkModel.Record.self)
    mean = try LandmarkReader.floats(file, "mean_shape", shape: [nil, 2])
    points = mean.count / 2
    guard (1...65_535).contains(points) else { throw fail("mean_shape", "has no sensible number of points") }
    if let size = record.largestBox, !(1...100_000).contains(size) { throw fail("largestBox", "is out of range") }
    if let margin = record.margin, !(margin >= 0 && margin < 1000) { throw fail("margin", "is out of range") }
  }

  /// The numbers of the levels.
  var forests: Range<Int> { record.levels.indices }
  var gradients: Range<Int> { (record.gradientLevels ?? []).indices }

  func forest(_ index: Int) throws -> ShapeForest {
    let level = record.levels[index]
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
    let leaves = try leaves("\(index).leaves", [level.trees, 1 << level.depth, level.width], level.scale)
    let hasBasis = file.tensors["\(index).basis"] != nil
    guard hasBasis || level.width == mean.count else {
      throw fail("\(index).leaves", "are of another width than the shape and have no basis")
    }
    let half = anchors.count
    return ShapeForest(
      pool: PixelPool(
        anchors: anchors.map { UInt16($0) }, offsetX: Array(offsets[0..<half]), offsetY: Array(offsets[half...])),
      depth: level.depth, treeCount: level.trees,
      splits: thresholds.indices.map {
        PixelDifferenceSplit(
          first: UInt16(pixels[2 * $0]), second: UInt16(pixels[2 * $0 + 1]), threshold: Int16(thresholds[$0]))
      }, leaves: leaves, width: level.width,
      basis: hasBasis ? try floats("\(index).basis", shape: [level.width, mean.count]) : [])
  }

  func gradient(_ index: Int) throws -> GradientLevel {
    let levels = record.gradientLevels ?? []
    let level = levels[index]
    let reading = level.reading
    guard reading.resolution >= 1, reading.resolution <= 1000, GradientLevel.Reading.isCell(reading.cell),
      (1...16).contains(reading.grid), (1...131_070).contains(level.width)
    else { throw fail("gradient.\(index)", "has sizes out of range") }
    guard reading.alignsAnew || index > 0 && levels[index - 1].reading.reads(sameFaceAs: reading) else {
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
    return GradientLevel(
      reading: reading,
      weights: try leaves(
        "gradient.\(index).weights", [level.width, reading.featureCount(points: seen)], level.scale),
      bias: try floats("gradient.\(index).bias", shape: [level.width]),
      basis: hasBasis ? try floats("gradient.\(index).basis", shape: [level.width, mean.count]) : [],
      neighbours: neighbours)
  }

  func confidence() throws -> FitConfidence? {
    try record.confidence.map { stored in
      let calibration = stored.calibration
      guard calibration.a <= 0, calibration.a.isFinite, calibration.b.isFinite, abs(stored.bias) < 1e30 else {
        throw fail("confidence", "has a calibration out of range")
      }
      return FitConfidence(stored, weights: try floats("confidence.weights", shape: [FitConfidence.featureCount]))
    }
  }

  func layout() throws -> LandmarkLayout? {
    guard let whole = record.wholeLayout else {
      let named = LandmarkLayout.named(record.layout)
      return named?.pointCount == points ? named : nil
    }
    try whole.validate(source: file.source)
    guard whole.pointCount == points else {
      throw InputError(
        source: file.source, field: "wholeLayout", problem: "is of other points", found: "\(whole.pointCount)",
        expected: "\(points)")
    }
    return whole
  }

  private func fail(_ field: String, _ problem: String) -> InputError {
    InputError(source: file.source, field: field, problem: problem)
  }

  private func floats(_ name: String, shape: [Int?]) throws -> [Float] {
    try LandmarkReader.floats(file, name, shape: shape)
  }

  private static func floats(_ file: ModelFile, _ name: String, shape: [Int?]) throws -> [Float] {
    let values = try file.floats(name, shape: shape)
    if let bad = values.first(where: { abs($0) > LandmarkModel.largestValue }) {
      throw InputError(
        source: file.source, field: name, problem: "holds a number that no face has", found: "\(bad)",
        expected: "at most \(LandmarkModel.largestValue) box sides")
    }
    return values
  }

  private func leaves(_ name: String, _ shape: [Int], _ scale: Float?) throws -> LeafTable {
    guard let scale else {
      return .float(try floats(name, shape: shape))
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
}
