import Execution
import Foundation
import Landmarks

extension DlibShapePredictor {
  /// Writes a predictor as dlib reads it, whole or not at all.
  ///
  /// 8-bit and 16-bit leaves become floats, coefficients of a basis whole shape changes. dlib sees the whole photo at its
  /// own size, so points differ where `largestBox`, `margin` or the border rule makes ours see something else:
  /// `differences(of:)` names these.
  /// - Throws: `InputError` where the file cannot be written, for a predictor whose changes turn with the shape
  ///   (`changeFrame` is `shape`) or that has gradient levels, since dlib has nothing like them, and for one with a number
  ///   that `read` refuses.
  public static func write(_ predictor: ShapePredictor, to path: String) throws {
    try checkWritable(predictor, name: path)
    try AtomicFile.write((0...predictor.levels.count + 1).lazy.map { part($0, of: predictor) }, to: path)
  }

  /// What the written file will do otherwise than the predictor itself, in words; empty where nothing.
  public static func differences(of predictor: ShapePredictor) -> [String] {
    var result: [String] = []
    if predictor.border != .zero { result.append("pixels outside the photo count as black") }
    if let size = predictor.largestBox { result.append("faces of \(2 * size) pixels and more are not scaled down") }
    if let margin = predictor.margin {
      result.append(
        "the whole photo is seen, not only \(margin == 1 ? "one box side" : "\(margin) box sides") around the box")
    }
    return result
  }

  static func encode(_ predictor: ShapePredictor, name: String) throws -> [UInt8] {
    try checkWritable(predictor, name: name)
    return (0...predictor.levels.count + 1).flatMap { part($0, of: predictor) }
  }

  private static func checkWritable(_ predictor: ShapePredictor, name: String) throws {
    guard predictor.changeFrame == .box else {
      throw InputError(
        source: name, problem: "cannot be written as a dlib file: its leaves turn with the shape",
        hint: "train with changeFrame box")
    }
    guard predictor.gradientLevels.isEmpty else {
      throw InputError(
        source: name, problem: "cannot be written as a dlib file: it has levels that see gradients",
        hint: "train with gradients []")
    }
    func check(_ values: some Sequence<Float>, _ field: String) throws {
      guard let bad = values.first(where: { !(abs($0) <= LandmarkModel.largestValue) }) else { return }
      throw InputError(
        source: name, field: field, problem: "the predictor cannot be kept: it holds a number that no face has",
        found: "\(bad)", expected: "at most \(LandmarkModel.largestValue) box sides",
        hint: "look at the training data for what is far out of range")
    }
    try check(predictor.meanShape, "mean shape")
    for (index, level) in predictor.levels.enumerated() {
      try check(level.shapeChanges(values: predictor.meanShape.count), "leaves of level \(index + 1)")
      try check(level.pool.offsetX, "offsets of level \(index + 1)")
      try check(level.pool.offsetY, "offsets of level \(index + 1)")
    }
  }

  /// The file in pieces that follow each other: what stands before the levels, each level's trees, and what stands behind.
  /// Together the file is half as large again as the model.
  private static func part(_ index: Int, of predictor: ShapePredictor) -> Data {
    var output = DlibWriter()
    switch index {
    case 0:
      output.integer(1)
      output.column(predictor.meanShape)
      output.integer(predictor.levels.count)
    case ...predictor.levels.count:
      let level = predictor.levels[index - 1]
      output.integer(level.treeCount)
      let leaves = level.shapeChanges(values: predictor.meanShape.count)
      let width = predictor.meanShape.count
      for tree in 0..<level.treeCount {
        output.integer(level.splitsPerTree)
        for split in level.splits[tree * level.splitsPerTree..<(tree + 1) * level.splitsPerTree] {
          output.integer(Int(split.first))
          output.integer(Int(split.second))
          output.float(Float(split.threshold))
        }
        output.integer(level.leavesPerTree)
        for leaf in tree * level.leavesPerTree..<(tree + 1) * level.leavesPerTree {
          output.column(leaves[leaf * width..<(leaf + 1) * width])
        }
      }
    default:
      output.integer(predictor.levels.count)
      for level in predictor.levels {
        output.integer(level.pool.count)
        for anchor in level.pool.anchors { output.integer(Int(anchor)) }
      }
      output.integer(predictor.levels.count)
      for level in predictor.levels {
        output.integer(level.pool.count)
        for k in 0..<level.pool.count {
          output.float(level.pool.offsetX[k])
          output.float(level.pool.offsetY[k])
        }
      }
    }
    return Data(output.bytes)
  }
}
