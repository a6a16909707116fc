/// One test of a regression tree: goes left where `pixel[first] - pixel[second] > threshold`.
///
/// Pixels are whole numbers, so a whole threshold loses nothing: `d > t` is `d > floor(t)`.
public struct PixelDifferenceSplit: Hashable, Sendable {
  /// Index into the level's pool of pixels.
  public var first: UInt16
  public var second: UInt16
  public var threshold: Int16

  public init(first: UInt16, second: UInt16, threshold: Int16) {
    self.first = first
    self.second = second
    self.threshold = threshold
  }
}

/// The pixels that a level looks at, each fixed to a landmark: `landmark + M offset`, where M turns and scales the mean
/// shape onto the current one.
public struct PixelPool: Hashable, Sendable {
  /// Index of the landmark that a pixel hangs on.
  public var anchors: [UInt16]
  /// Offsets from the landmark in the mean shape's frame, in face-box units.
  public var offsetX: [Float]
  public var offsetY: [Float]

  public init(anchors: [UInt16], offsetX: [Float], offsetY: [Float]) {
    precondition(anchors.count == offsetX.count && anchors.count == offsetY.count)
    self.anchors = anchors
    self.offsetX = offsetX
    self.offsetY = offsetY
  }

  public var count: Int { anchors.count }
}

/// The leaves' shape changes of one level: `count` rows of `width` values.
public enum LeafTable: Hashable, Sendable {
  case float([Float])
  /// The value is the number times the scale.
  case int16([Int16], scale: Float)
  case int8([Int8], scale: Float)

  public var count: Int {
    switch self {
    case .float(let values): values.count
    case .int16(let values, _): values.count
    case .int8(let values, _): values.count
    }
  }

  /// All values as floats.
  public var values: [Float] {
    switch self {
    case .float(let values): values
    case .int16(let values, let scale): values.map { Float($0) * scale }
    case .int8(let values, let scale): values.map { Float($0) * scale }
    }
  }

  /// Bytes that the values take.
  public var byteCount: Int {
    switch self {
    case .float(let values): 4 * values.count
    case .int16(let values, _): 2 * values.count
    case .int8(let values, _): values.count
    }
  }
}

/// One level of the cascade: complete binary trees of one depth whose leaves' shape changes are summed.
///
/// A tree has `2^depth - 1` splits in breadth-first order (children of `i`: `2 i + 1` where the test holds, else
/// `2 i + 2`) and `2^depth` leaves in the order of that walk.
public struct ShapeForest: Hashable, Sendable {
  public var pool: PixelPool
  public var depth: Int
  public var treeCount: Int
  /// `treeCount * (2^depth - 1)` splits, tree after tree.
  public var splits: [PixelDifferenceSplit]
  /// `treeCount * 2^depth` rows of `width` values.
  public var leaves: LeafTable
  /// Values of a leaf: x and y of each point in turn, or coefficients of `basis`.
  public var width: Int
  /// `width` rows of two values a point: a shape change is the sum of the leaves' coefficients times these rows. Empty
  /// where leaves hold the shape changes themselves.
  public var basis: [Float]

  public init(
    pool: PixelPool, depth: Int, treeCount: Int, splits: [PixelDifferenceSplit], leaves: LeafTable, width: Int,
    basis: [Float] = []
  ) {
    precondition(depth >= 1 && depth <= 12 && treeCount >= 0)
    precondition(splits.count == treeCount * (1 << depth - 1), "splits do not fill the trees")
    precondition(leaves.count == treeCount * (1 << depth) * width, "leaves do not fill the trees")
    precondition(splits.allSatisfy { $0.first < pool.count && $0.second < pool.count }, "a split outside the pool")
    precondition(basis.isEmpty || width > 0 && basis.count % width == 0)
    self.pool = pool
    self.depth = depth
    self.treeCount = treeCount
    self.splits = splits
    self.leaves = leaves
    self.width = width
    self.basis = basis
  }

  public var splitsPerTree: Int { 1 << depth - 1 }
  public var leavesPerTree: Int { 1 << depth }
}

extension ShapeForest {
  /// Every leaf's change of the shape itself: `treeCount * 2^depth` rows of `values` numbers.
  public func shapeChanges(values: Int) -> [Float] {
    let table = leaves.values
    if basis.isEmpty { return table }
    precondition(basis.count == width * values)
    var result = [Float](repeating: 0, count: treeCount * leavesPerTree * values)
    for row in 0..<treeCount * leavesPerTree {
      for k in 0..<width {
        let factor = table[row * width + k]
        for j in 0..<values { result[row * values + j] += factor * basis[k * values + j] }
      }
    }
    return result
  }

  /// The same level with leaves of 8 or 16 bits: each value is rounded to the nearest step.
  ///
  /// One step serves a level. Where leaves are coefficients of a basis each coefficient is first brought to the same
  /// range, and its row of the basis to the opposite, so that small ones keep their digits.
  public func quantized(bits: LeafBits) -> ShapeForest {
    var copy = self
    (copy.leaves, copy.basis) = leaves.quantized(bits: bits, width: width, basis: basis)
    return copy
  }
}

extension GradientLevel {
  /// The same level with weights of 8 or 16 bits. Where outputs are coefficients of a basis each has a step of its own.
  public func quantized(bits: LeafBits) -> GradientLevel {
    var table = weights.values
    var copy = self
    let count = table.count / width
    if !basis.isEmpty {
      let values = basis.count / width
      for k in 0..<width {
        let largest = table[k * count..<(k + 1) * count].reduce(Float(0)) { max($0, abs($1)) }
        guard largest > 0 else { continue }
        for j in k * count..<(k + 1) * count { table[j] /= largest }
        copy.bias[k] /= largest
        for j in k * values..<(k + 1) * values { copy.basis[j] *= largest }
      }
    }
    copy.weights = LeafTable.quantized(table, bits: bits)
    return copy
  }
}

extension LeafTable {
  func quantized(bits: LeafBits, width: Int, basis: [Float]) -> (LeafTable, basis: [Float]) {
    var table = values
    var basis = basis
    let rows = width > 0 ? table.count / width : 0
    if !basis.isEmpty {
      let values = basis.count / width
      for column in 0..<width {
        let largest = (0..<rows).reduce(Float(0)) { max($0, abs(table[$1 * width + column])) }
        guard largest > 0 else { continue }
        for row in 0..<rows { table[row * width + column] /= largest }
        for k in 0..<values { basis[column * values + k] *= largest }
      }
    }
    return (LeafTable.quantized(table, bits: bits), basis)
  }

  static func quantized(_ table: [Float], bits: LeafBits) -> LeafTable {
    let largest = table.reduce(Float(0)) { max($0, abs($1)) }
    let steps: Float = bits == .eight ? 127 : 32_767
    let scale = largest > 0 ? largest / steps : 1
    switch bits {
    case .eight: return .int8(table.map { Int8(($0 / scale).rounded()) }, scale: scale)
    case .sixteen: return .int16(table.map { Int16(($0 / scale).rounded()) }, scale: scale)
    }
  }
}

/// Sizes that leaves can be stored in.
public enum LeafBits: Int, Hashable, Codable, Sendable {
  case eight = 8
  case sixteen = 16
}

extension ShapePredictor {
  /// Whether all leaves and weights are as they were learnt, of 32 bits.
  public var isExact: Bool {
    (levels.map(\.leaves) + gradientLevels.map(\.weights)).allSatisfy {
      if case .float = $0 { return true }
      return false
    }
  }

  /// The same predictor with leaves of 8 or 16 bits.
  public func quantized(bits: LeafBits) -> ShapePredictor {
    ShapePredictor(
      meanShape: meanShape, levels: levels.map { $0.quantized(bits: bits) },
      gradientLevels: gradientLevels.map { $0.quantized(bits: bits) }, border: border, changeFrame: changeFrame,
      largestBox: largestBox, margin: margin, layout: layout)
  }
}
