import Execution
import Foundation
import LinearAlgebra

/// Finds one gradient level: ridge regression from the histograms of all samples to the residuals' principal coordinates.
///
/// The normal equations are summed in chunks of samples and solved by Cholesky factors. Memory: `features^2` floats, and
/// twice that in double precision while they are solved.
struct GradientRegression {
  let samples: TrainingSamples
  let executor: ParallelExecutor

  /// Samples that are described at a time.
  private static let chunk = 1024

  /// The residuals must be those of the aligned frames.
  func train(_ gradient: ShapePredictorOptions.Gradient, cancellation: Cancellation?) throws -> GradientLevel {
    let values = samples.values
    let isLocal = gradient.neighbours > 0
    let isReduced = !isLocal && gradient.width > 0 && gradient.width < values
    let width = isReduced ? gradient.width : values
    let basis = isReduced ? try samples.principalDirections(width) : []
    let reading = gradient.reading
    var sums = Sums(features: reading.featureCount(points: values / 2), width: width)
    let rows = UnsafeMutableBufferPointer<Float>.allocate(capacity: GradientRegression.chunk * sums.features)
    let targets = UnsafeMutableBufferPointer<Float>.allocate(capacity: GradientRegression.chunk * width)
    defer {
      rows.deallocate()
      targets.deallocate()
    }
    rows.initialize(repeating: 0)
    targets.initialize(repeating: 0)
    let weights = GradientRegression.weights(
      UnsafeBufferPointer(start: samples.residuals, count: samples.count * values), values: values,
      robustness: gradient.robustness)
    var start = 0
    while start < samples.count {
      try cancellation?.check()
      let range = start..<min(samples.count, start + GradientRegression.chunk)
      describe(range, reading, to: DisjointBuffer(rows), features: sums.features)
      let residuals = samples.residuals + start * values
      if basis.isEmpty {
        targets.baseAddress!.update(from: residuals, count: range.count * values)
      } else {
        BLAS.gemm(
          transposeB: true, rows: range.count, columns: width, inner: values, residuals, leadingA: values, basis,
          leadingB: values, targets.baseAddress!, leadingC: width)
      }
      sums.add(rows, targets, weights: weights[range], on: executor)
      start = range.upperBound
    }
    if isLocal {
      let neighbours = GradientLevel.neighbours(samples.meanShape, count: gradient.neighbours)
      let (table, bias) = try sums.solved(
        ridge: gradient.ridge, neighbours: neighbours, featuresEach: reading.featureCount(points: 1), on: executor)
      return GradientLevel(reading: reading, weights: .float(table), bias: bias, basis: [], neighbours: neighbours)
    }
    let (table, bias) = try sums.solved(ridge: gradient.ridge)
    return GradientLevel(reading: reading, weights: .float(table), bias: bias, basis: basis)
  }

  /// The histograms of some samples, a row each.
  private func describe(
    _ range: Range<Int>, _ reading: GradientLevel.Reading, to output: DisjointBuffer<Float>, features: Int
  ) {
    executor.forEachChunk(of: range.count, chunkSize: 64) { part in
      let face = AlignedFace(reading, meanShape: samples.meanShape)
      withUnsafeTemporaryAllocation(of: Int16.self, capacity: features) { numbers in
        for k in part {
          let sample = range.lowerBound + k
          samples.align(face, sample: sample) { plane in
            face.read(plane, samples.current + sample * samples.values, to: numbers.baseAddress!)
          }
          let row = output.base + k * features
          for j in 0..<features { row[j] = Float(numbers[j]) }
        }
      }
    }
  }

  /// What each sample counts, 1 in the mean; see `ShapePredictorOptions.Gradient`.
  /// - Parameter residuals: `values` numbers a sample.
  static func weights(_ residuals: UnsafeBufferPointer<Float>, values: Int, robustness: Double) -> [Float] {
    var weights = [Float](repeating: 1, count: residuals.count / values)
    if robustness == 0 { return weights }
    for sample in weights.indices {
      var squares: Float = 0
      for k in 0..<values { squares += residuals[sample * values + k] * residuals[sample * values + k] }
      weights[sample] = pow(max(0.2, squares.squareRoot()), -Float(robustness))
    }
    let mean = Float(weights.reduce(0.0) { $0 + Double($1) } / Double(weights.count))
    return weights.map { $0 / mean }
  }

  /// Weighted sums of what the normal equations need.
  private struct Sums {
    let features: Int
    let width: Int
    /// The lower triangle of the features' products.
    var square: [Float]
    var cross: [Float]
    var featureSum: [Double]
    var targetSum: [Double]
    var total = 0.0

    init(features: Int, width: Int) {
      self.features = features
      self.width = width
      square = [Float](repeating: 0, count: features * features)
      cross = [Float](repeating: 0, count: features * width)
      featureSum = [Double](repeating: 0, count: features)
      targetSum = [Double](repeating: 0, count: width)
    }

    /// Adds as many rows as there are weights. The rows are scaled in place.
    mutating func add(
      _ rows: UnsafeMutableBufferPointer<Float>, _ targets: UnsafeMutableBufferPointer<Float>,
      weights: ArraySlice<Float>, on executor: ParallelExecutor
    ) {
      let (features, width, count) = (features, width, weights.count)
      for (k, weight) in weights.enumerated() {
        let root = weight.squareRoot()
        let row = rows.baseAddress! + k * features
        featureSum.withUnsafeMutableBufferPointer { sum in
          for j in 0..<features {
            sum[j] += Double(weight * row[j])
            row[j] *= root
          }
        }
        let target = targets.baseAddress! + k * width
        for j in 0..<width {
          targetSum[j] += Double(weight * target[j])
          target[j] *= root
        }
        total += Double(weight)
      }
      // Blocks of rows of the product are independent: one thread each, the same sums for any number of threads.
      let block = 512
      let rowPointer = DisjointBuffer(rows)
      square.withUnsafeMutableBufferPointer { square in
        let square = DisjointBuffer(square)
        executor.forEach((features + block - 1) / block) { index in
          // The longest first.
          let from = ((features + block - 1) / block - 1 - index) * block
          let height = min(block, features - from)
          BLAS.gemm(
            transposeA: true, rows: height, columns: from + height, inner: count, rowPointer.base + from,
            leadingA: features, rowPointer.base, leadingB: features, beta: 1, square.base + from * features,
            leadingC: features)
        }
      }
      cross.withUnsafeMutableBufferPointer { cross in
        BLAS.gemm(
          transposeA: true, rows: features, columns: width, inner: count, rows.baseAddress!, leadingA: features,
          targets.baseAddress!, leadingB: width, beta: 1, cross.baseAddress!, leadingC: width)
      }
    }

    /// Takes the means out, so that the ridge does not press on them, and adds the ridge.
    /// - Returns: the features' means.
    private mutating func center(ridge share: Double) -> [Double] {
      var trace = 0.0
      let means = featureSum.map { $0 / total }
      square.withUnsafeMutableBufferPointer { square in
        for i in 0..<features {
          let mean = Float(means[i])
          let row = square.baseAddress! + i * features
          for j in 0...i { row[j] -= mean * Float(featureSum[j]) }
          for j in 0..<width { cross[i * width + j] -= mean * Float(targetSum[j]) }
          trace += Double(row[i])
        }
        let ridge = Float(share * trace / Double(features)) + 1e-3
        for i in 0..<features { square[i * features + i] += ridge }
      }
      return means
    }

    private static func noSolution(_ share: Double) -> InputError {
      InputError(
        source: "landmark options", field: "gradients", problem: "have a level without a solution",
        found: "ridge \(share)", hint: "a larger ridge, or more faces")
    }

    /// Two rows of weights for each point, of its neighbours' features alone, and the addends; each point by itself.
    mutating func solved(
      ridge share: Double, neighbours: [UInt16], featuresEach each: Int, on executor: ParallelExecutor
    ) throws -> (weights: [Float], bias: [Float]) {
      let means = center(ridge: share)
      let points = width / 2
      let seen = neighbours.count / points
      let count = seen * each
      let sums = self
      let parts = try executor.map(points) { point -> (weights: [Float], bias: [Float]) in
        let near = neighbours[point * seen..<(point + 1) * seen]
        let used = near.flatMap { Int($0) * each..<(Int($0) + 1) * each }
        var own = [Float](repeating: 0, count: count * count)
        var targets = [Float](repeating: 0, count: 2 * count)
        for i in 0..<count {
          // The order rises, so that the lower triangle stays the lower.
          for j in 0...i { own[i * count + j] = sums.square[used[i] * sums.features + used[j]] }
          for k in 0..<2 { targets[2 * i + k] = sums.cross[used[i] * sums.width + 2 * point + k] }
        }
        let solution: [Float]
        do {
          solution = try Matrix(rows: count, columns: count, values: own).solvedByCholesky(
            Matrix(rows: count, columns: 2, values: targets)
          ).values
        } catch is MatrixError {
          throw Sums.noSolution(share)
        }
        var weights = [Float](repeating: 0, count: 2 * count)
        var bias: [Float] = []
        for k in 0..<2 {
          var sum = sums.targetSum[2 * point + k] / sums.total
          for i in 0..<count {
            weights[k * count + i] = solution[2 * i + k]
            sum -= Double(solution[2 * i + k]) * means[used[i]]
          }
          bias.append(Float(sum))
        }
        return (weights, bias)
      }
      return (parts.flatMap(\.weights), parts.flatMap(\.bias))
    }

    /// A row of weights for each output, and the addends.
    mutating func solved(ridge share: Double) throws -> (weights: [Float], bias: [Float]) {
      let means = center(ridge: share)
      let solution: [Float]
      do {
        solution = try Matrix(rows: features, columns: features, values: square).solvedByCholesky(
          Matrix(rows: features, columns: width, values: cross)
        ).values
      } catch is MatrixError {
        throw Sums.noSolution(share)
      }
      square = []
      var weights = [Float](repeating: 0, count: features * width)
      var bias = [Float](repeating: 0, count: width)
      for k in 0..<width {
        var sum = targetSum[k] / total
        for j in 0..<features {
          weights[k * features + j] = solution[j * width + k]
          sum -= Double(solution[j * width + k]) * means[j]
        }
        bias[k] = Float(sum)
      }
      return (weights, bias)
    }
  }
}
