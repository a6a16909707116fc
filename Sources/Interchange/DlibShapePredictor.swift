import Execution
import Foundation
import Landmarks

/// Reads and writes dlib's `shape_predictor` files (.dat), version 1.
///
/// The file is a run of dlib's own serialisation: whole numbers as one byte (bit 7 the sign, the rest a count of bytes) and
/// that many bytes, least first; a float as a whole mantissa and a whole exponent of two; then, in turn, the version, the
/// mean shape (a column matrix, its sizes written negative), the forests (a list of lists of trees; a tree is a list of
/// splits - two pixel numbers and a threshold - and a list of leaves, each a column matrix), for each level the landmarks
/// that its pixels hang on, and for each level the pixels' offsets. Facts from reading dlib 19.24's files.
///
/// **Coordinates** need no change: `ShapePredictor` uses dlib's box rule. dlib rounds points to whole pixels counted from
/// the first pixel's centre; `ShapePredictor.fit` does not round, and its points are half a pixel larger.
///
/// **What is not kept:** dlib's thresholds are floats; pixels are whole, so their floors answer every test alike.
public enum DlibShapePredictor {
  /// Whether bytes begin as such a file does: for telling formats apart.
  public static func isLikely(_ bytes: some Collection<UInt8>) -> Bool {
    Array(bytes.prefix(3)).starts(with: [1, 1]) && bytes.count > 16
  }

  /// Reads a file.
  ///
  /// - Throws: `InputError` for a file that cannot be read, is cut short, is of another dlib class, or holds sizes that
  ///   its length cannot fill (told before memory is taken).
  public static func read(_ path: String) throws -> ShapePredictor {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw InputError(source: path, problem: "cannot be read", expected: "a dlib shape_predictor file")
    }
    return try data.withUnsafeBytes { try decode($0, name: path) }
  }

  /// Reads bytes. `name` stands in errors.
  public static func decode(_ bytes: UnsafeRawBufferPointer, name: String) throws -> ShapePredictor {
    var input = DlibReader(bytes, source: name)
    let version = try input.integer("version")
    guard version == 1 else {
      throw InputError(
        source: name, field: "version", problem: "is no dlib shape_predictor of a known version", found: "\(version)",
        expected: "1")
    }
    let meanShape = try input.column("mean shape", expectedCount: nil)
    guard meanShape.count >= 2, meanShape.count % 2 == 0, meanShape.count <= 131_070 else {
      throw input.failure("mean shape", "has no sensible number of values", "\(meanShape.count)", "two a point")
    }
    let levelCount = try input.count("levels", leastBytesEach: 2)
    var trees: [TreeLevel] = []
    for level in 0..<levelCount {
      trees.append(try treeLevel(&input, field: "level \(level + 1)", values: meanShape.count))
    }
    let pools = try pools(&input, levels: levelCount, points: meanShape.count / 2)
    guard input.isAtEnd else {
      throw input.failure("end", "has more than a shape_predictor", "\(input.remaining) bytes more", "nothing")
    }
    var levels: [ShapeForest] = []
    for (index, (level, pool)) in zip(trees, pools).enumerated() {
      guard level.splits.allSatisfy({ $0.first < pool.count && $0.second < pool.count }) else {
        throw input.failure("level \(index + 1)", "has a split on a pixel that is not there", nil, nil)
      }
      levels.append(
        ShapeForest(
          pool: pool, depth: level.depth, treeCount: level.count, splits: level.splits, leaves: .float(level.leaves),
          width: meanShape.count))
    }
    return ShapePredictor(
      meanShape: meanShape, levels: levels, border: .zero, changeFrame: .box,
      layout: meanShape.count == 136 ? "ibug68" : "")
  }

  private struct TreeLevel {
    var depth = 1
    var count = 0
    var splits: [PixelDifferenceSplit] = []
    var leaves: [Float] = []
  }

  private static func treeLevel(_ input: inout DlibReader, field: String, values: Int) throws -> TreeLevel {
    var level = TreeLevel()
    level.count = try input.count("\(field): trees", leastBytesEach: 4)
    var size = -1
    for tree in 0..<level.count {
      let field = "\(field), tree \(tree + 1)"
      let splitCount = try input.count("\(field): splits", leastBytesEach: 8)
      if size < 0 {
        size = splitCount
        guard let depth = (1...12).first(where: { 1 << $0 - 1 == splitCount }) else {
          throw input.failure(field, "is no complete tree", "\(splitCount) splits", "2^depth - 1, depth 1 to 12")
        }
        level.depth = depth
      }
      guard splitCount == size else {
        throw input.failure(field, "has another size than the trees before", "\(splitCount) splits", "\(size)")
      }
      for _ in 0..<splitCount {
        let first = try input.integer(field)
        let second = try input.integer(field)
        let threshold = try input.float(field)
        guard (0..<65_535).contains(first), (0..<65_535).contains(second) else {
          throw input.failure(field, "names a pixel out of range", "\(first), \(second)", "0 to 65534")
        }
        // Beyond these no difference of two bytes can be.
        let floor = Int16(max(-300, min(300, threshold.rounded(.down))))
        level.splits.append(
          PixelDifferenceSplit(first: UInt16(first), second: UInt16(second), threshold: floor))
      }
      let leafCount = try input.count("\(field): leaves", leastBytesEach: 4)
      guard leafCount == size + 1 else {
        throw input.failure(field, "has another number of leaves", "\(leafCount)", "\(size + 1)")
      }
      for _ in 0..<leafCount { level.leaves += try input.column(field, expectedCount: values) }
    }
    return level
  }

  private static func pools(_ input: inout DlibReader, levels: Int, points: Int) throws -> [PixelPool] {
    func sameLevels(_ found: Int, _ field: String) throws {
      guard found == levels else {
        throw input.failure(field, "is not there for each level", "\(found)", "\(levels)")
      }
    }
    try sameLevels(try input.count("anchors", leastBytesEach: 2), "anchors")
    var anchors: [[UInt16]] = []
    for level in 0..<levels {
      let field = "anchors of level \(level + 1)"
      let count = try input.count(field, leastBytesEach: 2)
      guard count <= 65_535 else { throw input.failure(field, "are too many", "\(count)", "65535 at most") }
      var list: [UInt16] = []
      for _ in 0..<count {
        let anchor = try input.integer(field)
        guard (0..<points).contains(anchor) else {
          throw input.failure(field, "name a point that is not there", "\(anchor)", "0 to \(points - 1)")
        }
        list.append(UInt16(anchor))
      }
      anchors.append(list)
    }
    try sameLevels(try input.count("offsets", leastBytesEach: 2), "offsets")
    var pools: [PixelPool] = []
    for level in 0..<levels {
      let field = "offsets of level \(level + 1)"
      let count = try input.count(field, leastBytesEach: 4)
      guard count == anchors[level].count else {
        throw input.failure(field, "are not as many as its anchors", "\(count)", "\(anchors[level].count)")
      }
      var x: [Float] = []
      var y: [Float] = []
      for _ in 0..<count {
        x.append(try input.length(field))
        y.append(try input.length(field))
      }
      pools.append(PixelPool(anchors: anchors[level], offsetX: x, offsetY: y))
    }
    return pools
  }
}
