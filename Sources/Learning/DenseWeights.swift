import LinearAlgebra

/// The weight vector of a training: exact sums in double precision, and for long rows a single-precision copy that the
/// inner loop reads and writes by BLAS.
///
/// Short rows stay in double precision: their features are often unscaled, and they fit the cache anyway.
struct DenseWeights: ~Copyable {
  /// Rows up to this length are handled in double precision throughout.
  static let doubleLimit = 512

  let isDouble: Bool
  private let dimension: Int
  private let biasScale: Double
  private let exact: UnsafeMutablePointer<Double>
  private let single: UnsafeMutablePointer<Float>
  private var biasWeight = 0.0

  init(dimension: Int, biasScale: Double) {
    self.dimension = dimension
    self.biasScale = biasScale
    isDouble = dimension <= DenseWeights.doubleLimit
    exact = .allocate(capacity: dimension)
    single = .allocate(capacity: dimension)
    exact.initialize(repeating: 0, count: dimension)
    single.initialize(repeating: 0, count: dimension)
  }

  deinit {
    exact.deallocate()
    single.deallocate()
  }

  mutating func clear() {
    exact.update(repeating: 0, count: dimension)
    biasWeight = 0
  }

  /// Rounds the exact sums into the copy that the inner loop uses.
  mutating func settle() {
    for index in 0..<dimension { single[index] = Float(exact[index]) }
  }

  @inline(__always)
  func score(_ row: UnsafePointer<Float>) -> Double {
    (isDouble ? DenseWeights.dot(exact, row, count: dimension) : Double(BLAS.dot(single, row, count: dimension)))
      + biasWeight * biasScale
  }

  @inline(__always)
  mutating func add(_ scale: Double, _ row: UnsafePointer<Float>) {
    if isDouble {
      DenseWeights.add(scale, row, to: exact, count: dimension)
    } else {
      BLAS.axpy(Float(scale), row, single, count: dimension)
    }
    biasWeight += scale * biasScale
  }

  mutating func addExactly(_ scale: Double, _ row: UnsafePointer<Float>) {
    DenseWeights.add(scale, row, to: exact, count: dimension)
    biasWeight += scale * biasScale
  }

  func exactScore(_ row: UnsafePointer<Float>) -> Double {
    DenseWeights.dot(exact, row, count: dimension) + biasWeight * biasScale
  }

  /// The squared length of the exact weights, the bias's weight among them.
  func squaredLength() -> Double {
    var sum = biasWeight * biasWeight
    for index in 0..<dimension { sum += exact[index] * exact[index] }
    return sum
  }

  func classifier() -> LinearSVM {
    LinearSVM(weights: (0..<dimension).map { Float(exact[$0]) }, bias: biasWeight * biasScale)
  }

  /// `sum of row[i]^2` in double precision.
  static func squaredNorm(_ row: UnsafePointer<Float>, count: Int) -> Double {
    var sum = SIMD8<Double>.zero
    var index = 0
    while index + 8 <= count {
      let values = SIMD8<Double>(UnsafeRawPointer(row + index).loadUnaligned(as: SIMD8<Float>.self))
      sum += values * values
      index += 8
    }
    var total = sum.sum()
    while index < count {
      total += Double(row[index]) * Double(row[index])
      index += 1
    }
    return total
  }

  private static func dot(
    _ weights: UnsafePointer<Double>, _ row: UnsafePointer<Float>, count: Int
  ) -> Double {
    var sum = SIMD8<Double>.zero
    var index = 0
    while index + 8 <= count {
      let values = SIMD8<Double>(UnsafeRawPointer(row + index).loadUnaligned(as: SIMD8<Float>.self))
      sum += values * UnsafeRawPointer(weights + index).loadUnaligned(as: SIMD8<Double>.self)
      index += 8
    }
    var total = sum.sum()
    while index < count {
      total += weights[index] * Double(row[index])
      index += 1
    }
    return total
  }

  private static func add(
    _ scale: Double, _ row: UnsafePointer<Float>, to weights: UnsafeMutablePointer<Double>, count: Int
  ) {
    var index = 0
    while index + 8 <= count {
      let values = SIMD8<Double>(UnsafeRawPointer(row + index).loadUnaligned(as: SIMD8<Float>.self))
      let place = UnsafeMutableRawPointer(weights + index)
      place.storeBytes(of: place.loadUnaligned(as: SIMD8<Double>.self) + scale * values, as: SIMD8<Double>.self)
      index += 8
    }
    while index < count {
      weights[index] += scale * Double(row[index])
      index += 1
    }
  }
}
