/// Feature vectors of one length, a row a sample, in one block of memory.
///
/// Rows can be added and removed between rounds of training; `reserveCapacity` first, so that growing never doubles the
/// memory. 10,000 rows of 3780 features take 151 MB.
public struct SampleMatrix: Sendable {
  /// Features a sample.
  public let dimension: Int
  /// Samples.
  public private(set) var count: Int
  private var values: [Float]

  public init(dimension: Int) {
    precondition(dimension >= 1, "samples need at least one feature, got \(dimension)")
    self.dimension = dimension
    count = 0
    values = []
  }

  /// - Throws: `LearningError.noSamples` for no rows or rows without features, `.rowSize` for rows of different lengths.
  public init(rows: [[Float]]) throws {
    guard let first = rows.first, !first.isEmpty else { throw LearningError.noSamples }
    self.init(dimension: first.count)
    reserveCapacity(rows.count)
    for row in rows { try append(row) }
  }

  /// - Parameter values: `count * dimension` values, row after row.
  public init(count: Int, dimension: Int, values: [Float]) {
    precondition(dimension >= 1 && count >= 0, "\(count) samples of \(dimension) features")
    precondition(values.count == count * dimension, "\(values.count) values for \(count) x \(dimension)")
    self.dimension = dimension
    self.count = count
    self.values = values
  }

  /// Makes room for `rows` samples in all.
  public mutating func reserveCapacity(_ rows: Int) {
    values.reserveCapacity(rows * dimension)
  }

  /// - Throws: `LearningError.rowSize`.
  public mutating func append(_ row: [Float]) throws {
    guard row.count == dimension else {
      throw LearningError.rowSize(row: count, found: row.count, expected: dimension)
    }
    values.append(contentsOf: row)
    count += 1
  }

  /// Adds `dimension` values from memory.
  public mutating func append(_ row: UnsafePointer<Float>) {
    values.append(contentsOf: UnsafeBufferPointer(start: row, count: dimension))
    count += 1
  }

  /// Keeps the rows at `indices` (strictly rising), in their order, without taking more memory.
  public mutating func keepRows(_ indices: [Int]) {
    precondition(indices.allSatisfy { $0 >= 0 && $0 < count }, "a row to keep is outside 0..<\(count)")
    precondition(zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }, "rows to keep must rise")
    let dimension = dimension
    values.withUnsafeMutableBufferPointer { values in
      for (place, index) in indices.enumerated() where place != index {
        (values.baseAddress! + place * dimension).update(
          from: values.baseAddress! + index * dimension, count: dimension)
      }
    }
    values.removeLast((count - indices.count) * dimension)
    count = indices.count
  }

  public subscript(row: Int) -> ArraySlice<Float> {
    precondition(row >= 0 && row < count, "sample \(row) of \(count)")
    return values[row * dimension..<(row + 1) * dimension]
  }

  /// Gives `body` the samples in memory, for as long as it runs.
  public func withView<Result>(_ body: (SampleView) throws -> Result) rethrows -> Result {
    try values.withUnsafeBufferPointer { buffer in
      try body(SampleView(base: buffer.baseAddress, count: count, dimension: dimension, stride: dimension))
    }
  }
}

/// Samples in memory that somebody else owns and keeps unchanged for as long as the view is used.
public struct SampleView: @unchecked Sendable {
  /// `nil` only for no samples.
  public let base: UnsafePointer<Float>?
  public let count: Int
  public let dimension: Int
  /// Floats from one row's start to the next, at least `dimension`.
  public let stride: Int

  public init(base: UnsafePointer<Float>?, count: Int, dimension: Int, stride: Int) {
    precondition(count >= 0 && dimension >= 1 && stride >= dimension, "\(count) x \(dimension), stride \(stride)")
    precondition(base != nil || count == 0, "samples without memory")
    self.base = base
    self.count = count
    self.dimension = dimension
    self.stride = stride
  }

  @inline(__always)
  func row(_ index: Int) -> UnsafePointer<Float> { base.unsafelyUnwrapped + index * stride }
}
