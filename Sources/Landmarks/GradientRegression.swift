import Execution
import Foundation
import LinearAlgebra

/// Finds one gradient level: ridge regression from the histograms of all samples to the residuals' principal coordinates.
///
/// The normal equations are summed in chunks of samples and solved by Cholesky factors. Memory: `features^2` floats, and
/// twice that in double precision while they are solved.
struct GradientRegression {
  let samples: TrainingSamples
  let options: ShapePredictorOptions
  let executor: ParallelExecutor

  func train(reading: GradientLevel.Reading, cancellation: Cancellation?) throws -> GradientLevel {
    let values = samples.values
    let isReduced = options.regressionWidth > 0 && options.regressionWidth < values
    let width = isReduced ? options.regressionWidth : values
    let basis = isReduced ? try samples.principalDirections(width) : []
    let features = reading.featureCount(points: values / 2)
    let used = samples.count
    // Means of features, so that the ridge does not press on them.
    var square = [Float](repeating: 0, count: features * features)
    var cross = [Float](repeating: 0, count: features * width)
    var featureSum = [Double](repeating: 0, count: features)
    var targetSum = [Double](repeating: 0, count: width)
    let chunk = 1024
    let rows = UnsafeMutableBufferPointer<Float>.allocate(capacity: chunk * features)
    let targets = UnsafeMutableBufferPointer<Float>.allocate(capacity: chunk * width)
    defer {
      rows.deallocate()
      targets.deallocate()
    }
    rows.initialize(repeating: 0)
    targets.initialize(repeating: 0)
    let output = DisjointBuffer(rows)
    var start = 0
    while start < used {
      try cancellation?.check()
      let count = min(chunk, used - start)
      let first = start
      executor.forEachChunk(of: count, chunkSize: 64) { range in
        let reader = GradientReader(reading, meanShape: samples.meanShape)
        for k in range {
          samples.faces[(first + k) / samples.oversampling].view.withPlane { plane, _ in
            reader.read(
              plane, shape: samples.current + (first + k) * values, turn: samples.turn(of: first + k),
              to: output.base + k * features)
          }
        }
      }
      let residuals = samples.residuals + first * values
      if basis.isEmpty {
        targets.baseAddress!.update(from: residuals, count: count * values)
      } else {
        BLAS.gemm(
          transposeB: true, rows: count, columns: width, inner: values, residuals, leadingA: values, basis,
          leadingB: values, targets.baseAddress!, leadingC: width)
      }
      for k in 0..<count {
        for j in 0..<features { featureSum[j] += Double(rows[k * features + j]) }
        for j in 0..<width { targetSum[j] += Double(targets[k * width + j]) }
      }
      // Blocks of rows of the product are independent: one thread each, the same sums for any number of threads.
      let block = 512
      let rowPointer = DisjointBuffer(rows)
      square.withUnsafeMutableBufferPointer { square in
        let square = DisjointBuffer(square)
        executor.forEach((features + block - 1) / block) { index in
          let from = index * block
          let height = min(block, features - from)
          // The lower triangle is enough.
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
      start += count
    }
    let n = Double(used)
    var trace = 0.0
    for i in 0..<features {
      let mean = Float(featureSum[i] / n)
      for j in 0...i { square[i * features + j] -= mean * Float(featureSum[j]) }
      for j in 0..<width { cross[i * width + j] -= mean * Float(targetSum[j]) }
      trace += Double(square[i * features + i])
    }
    let ridge = Float(options.gradientRidge * trace / Double(features)) + 1e-6
    for i in 0..<features { square[i * features + i] += ridge }
    let solution: Matrix
    do {
      solution = try Matrix(rows: features, columns: features, values: square).solvedByCholesky(
        Matrix(rows: features, columns: width, values: cross))
    } catch is MatrixError {
      throw InputError(
        source: "landmark options", field: "gradientRidge", problem: "leaves a gradient level without a solution",
        found: "\(options.gradientRidge)", hint: "a larger one, or more faces")
    }
    var table = solution.values
    for j in 0..<width {
      var bias = targetSum[j] / n
      for i in 0..<features { bias -= Double(solution.values[i * width + j]) * featureSum[i] / n }
      table.append(Float(bias))
    }
    return GradientLevel(reading: reading, weights: .float(table), width: width, basis: basis)
  }
}
