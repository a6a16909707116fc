import Execution
import Foundation
import LinearAlgebra

/// Finds one level by local binary features: trees for each landmark alone, from pixels near it, and then one ridge
/// regression from the leaves of all trees to the whole shape (Ren, Cao, Wei and Sun, CVPR 2014).
///
/// The regression is solved by dual coordinate descent, all outputs of a sample in one closed step, in blocks of 16
/// outputs that do not touch each other. Differences from the paper: pairs of pixels come from a pool of a fixed size for
/// each landmark; thresholds are a sample's own difference; outputs are the residuals' principal coordinates.
///
/// Memory: for each thread `localPool` bytes a sample; `landmarks x localTrees` bytes and `8 regressionWidth` bytes a sample.
struct GlobalForest {
  private let samples: TrainingSamples
  private let options: ShapePredictorOptions
  private let executor: ParallelExecutor
  private let values: Int

  init(_ samples: TrainingSamples, options: ShapePredictorOptions, executor: ParallelExecutor) {
    self.samples = samples
    self.options = options
    self.executor = executor
    values = samples.values
  }

  func train(level index: Int, cancellation: Cancellation?) throws -> ShapeForest {
    let points = values / 2
    let trees = options.localTrees
    let count = samples.count
    let ratio = options.levels > 1 ? Double(index) / Double(options.levels - 1) : 0
    let radius = options.localRadiusFirst * pow(options.localRadiusLast / options.localRadiusFirst, ratio)
    let leafIndex = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: points * trees * count)
    defer { leafIndex.deallocate() }
    leafIndex.initialize(repeating: 0)
    let places = DisjointBuffer(leafIndex)
    let grown = try executor.map(points) { point in
      try cancellation?.check()
      return LocalTrees(
        samples: samples, options: options, point: point, radius: radius, level: index,
        leafIndex: places.base + point * trees * count)
    }
    var pool = PixelPool(anchors: [], offsetX: [], offsetY: [])
    var splits: [PixelDifferenceSplit] = []
    for local in grown {
      let first = UInt16(pool.count)
      pool.anchors += local.pool.anchors
      pool.offsetX += local.pool.offsetX
      pool.offsetY += local.pool.offsetY
      splits += local.splits.map {
        PixelDifferenceSplit(first: $0.first + first, second: $0.second + first, threshold: $0.threshold)
      }
    }
    let (leaves, width, basis) = try regress(places.base, trees: points * trees, cancellation: cancellation)
    return ShapeForest(
      pool: pool, depth: options.localDepth, treeCount: points * trees, splits: splits, leaves: .float(leaves),
      width: width, basis: basis)
  }

  /// The leaves' weights; `leafIndex` is tree after tree.
  private func regress(
    _ leafIndex: UnsafeMutablePointer<UInt8>, trees: Int, cancellation: Cancellation?
  ) throws -> (leaves: [Float], width: Int, basis: [Float]) {
    let count = samples.count
    let leafCount = 1 << options.localDepth
    let isReduced = !samples.hasAbsent && options.regressionWidth > 0 && options.regressionWidth < values
    let width = isReduced ? options.regressionWidth : values
    let basis = isReduced ? try samples.principalDirections(width) : []
    let blocks = (width + 15) / 16
    // A sample's leaves lie together: each step reads them all.
    let order = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: trees * count)
    defer { order.deallocate() }
    let leavesOf = DisjointBuffer(order)
    let from = DisjointBuffer(UnsafeMutableBufferPointer(start: leafIndex, count: trees * count))
    executor.forEachChunk(of: count, chunkSize: 64) { range in
      for tree in 0..<trees {
        for sample in range { leavesOf.base[sample * trees + tree] = from.base[tree * count + sample] }
      }
    }
    let targets = UnsafeMutableBufferPointer<Float>.allocate(capacity: count * width)
    defer { targets.deallocate() }
    if basis.isEmpty {
      _ = targets.initialize(from: UnsafeBufferPointer(start: samples.residuals, count: count * values))
    } else {
      BLAS.gemm(
        transposeB: true, rows: count, columns: width, inner: values, samples.residuals, leadingA: values, basis,
        leadingB: values, targets.baseAddress!, leadingC: width)
    }
    let y = DisjointBuffer(targets)
    let solved = try executor.map(blocks) { block in
      try cancellation?.check()
      return solve(
        block: block, width: width, targets: y.base, leavesOf: leavesOf.base, trees: trees, leafCount: leafCount)
    }
    var leaves = [Float](repeating: 0, count: trees * leafCount * width)
    for (block, weights) in solved.enumerated() {
      for row in 0..<trees * leafCount {
        for k in 0..<min(16, width - 16 * block) { leaves[row * width + 16 * block + k] = weights[row][k] }
      }
    }
    return (leaves, width, basis)
  }

  /// Weights of 16 outputs by dual coordinate descent on `|W|^2 / 2 + C / 2 sum |y - W x|^2`.
  @inline(never)
  private func solve(
    block: Int, width: Int, targets: UnsafeMutablePointer<Float>, leavesOf: UnsafeMutablePointer<UInt8>, trees: Int,
    leafCount: Int
  ) -> [SIMD16<Float>] {
    let count = samples.count
    var weights = [SIMD16<Float>](repeating: .zero, count: trees * leafCount)
    var dual = [SIMD16<Float>](repeating: .zero, count: count)
    var y = [SIMD16<Float>](repeating: .zero, count: count)
    let lanes = min(16, width - 16 * block)
    for sample in 0..<count {
      for k in 0..<lanes { y[sample][k] = targets[sample * width + 16 * block + k] }
    }
    // C = 1 / (ridge * count), so that the ridge does not depend on the samples' number.
    let ridge = Float(options.ridge * Double(count))
    let step = 1 / (Float(trees) + ridge)
    var visits = Array(0..<count)
    var random = RandomStream(seed: options.seed, stream: 0x5245_0000_0000)
    weights.withUnsafeMutableBufferPointer { weights in
      dual.withUnsafeMutableBufferPointer { dual in
        let w = weights.baseAddress!
        for _ in 0..<options.regressionPasses {
          random.shuffle(&visits)
          for sample in visits {
            let leaves = leavesOf + sample * trees
            var predicted = SIMD16<Float>.zero
            var base = w
            for tree in 0..<trees {
              predicted += base[Int(leaves[tree])]
              base += leafCount
            }
            let alpha = dual[sample]
            var change = (y[sample] - predicted - alpha * ridge) * step
            if samples.hasAbsent {
              for k in samples.absent[sample / samples.oversampling] where k / 16 == block { change[k % 16] = 0 }
            }
            dual[sample] = alpha + change
            base = w
            for tree in 0..<trees {
              base[Int(leaves[tree])] += change
              base += leafCount
            }
          }
        }
      }
    }
    return weights
  }
}

/// The trees of one landmark.
private struct LocalTrees: Sendable {
  var pool: PixelPool
  var splits: [PixelDifferenceSplit] = []

  /// Grows the trees and writes each sample's leaf, tree after tree, to `leafIndex`.
  init(
    samples: TrainingSamples, options: ShapePredictorOptions, point: Int, radius: Double, level: Int,
    leafIndex: UnsafeMutablePointer<UInt8>
  ) {
    var random = RandomStream(
      seed: options.seed, stream: 0x4C54_0000_0000 + UInt64(level) << 16 + UInt64(point))
    let count = samples.count
    pool = PixelPool(anchors: [], offsetX: [], offsetY: [])
    for _ in 0..<options.localPool {
      // Even over the disc.
      let distance = radius * random.uniform().squareRoot()
      let angle = 2 * Double.pi * random.uniform()
      pool.anchors.append(UInt16(point))
      pool.offsetX.append(Float(distance * cos(angle)))
      pool.offsetY.append(Float(distance * sin(angle)))
    }
    let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: pool.count * count)
    defer { pixels.deallocate() }
    samples.readPool(pool, border: options.border, to: pixels, on: .serial)
    let nodes = 1 << options.localDepth - 1
    for tree in 0..<options.localTrees {
      var grown = [PixelDifferenceSplit](
        repeating: PixelDifferenceSplit(first: 0, second: 0, threshold: 0), count: nodes)
      var members: [[Int32]] = Array(repeating: [], count: nodes)
      // Half of the faces for each tree.
      let chosen = random.sample((samples.faces.count + 1) / 2, of: samples.faces.count)
      members[0] = chosen.flatMap { face in
        (0..<samples.oversampling).map { Int32(face * samples.oversampling + $0) }
      }
      for node in 0..<nodes {
        guard members[node].count >= 2 else { continue }
        let split = LocalTrees.best(
          members[node], samples: samples, point: point, pixels: pixels, options: options, random: &random)
        grown[node] = split
        if 2 * node + 1 < nodes {
          let first = pixels + Int(split.first) * count
          let second = pixels + Int(split.second) * count
          for sample in members[node] {
            let difference = Int(first[Int(sample)]) - Int(second[Int(sample)])
            members[2 * node + (difference > Int(split.threshold) ? 1 : 2)].append(sample)
          }
        }
        members[node] = []
      }
      LocalTrees.walk(grown, depth: options.localDepth, pixels: pixels, count: count, to: leafIndex + tree * count)
      splits += grown
    }
  }

  @inline(never)
  private static func walk(
    _ tree: [PixelDifferenceSplit], depth: Int, pixels: UnsafeMutablePointer<UInt8>, count: Int,
    to output: UnsafeMutablePointer<UInt8>
  ) {
    tree.withUnsafeBufferPointer { tree in
      for sample in 0..<count {
        var node = 0
        for _ in 0..<depth {
          let split = tree[node]
          let difference =
            Int32(pixels[Int(split.first) * count + sample]) - Int32(pixels[Int(split.second) * count + sample])
          node = 2 * node + (difference > Int32(split.threshold) ? 1 : 2)
        }
        output[sample] = UInt8(truncatingIfNeeded: node - (1 << depth - 1))
      }
    }
  }

  /// The test among random ones that leaves the least squares of the landmark's residuals.
  @inline(never)
  private static func best(
    _ members: [Int32], samples: TrainingSamples, point: Int, pixels: UnsafeMutablePointer<UInt8>,
    options: ShapePredictorOptions, random: inout RandomStream
  ) -> PixelDifferenceSplit {
    // A few thousand are enough to compare tests by.
    let limit = 2000
    let step = max(1, members.count / limit)
    let used = stride(from: step > 1 ? random.index(below: step) : 0, to: members.count, by: step).map {
      Int(members[$0])
    }
    let count = samples.count
    var residuals = [SIMD2<Float>](repeating: .zero, count: used.count)
    var total = SIMD2<Float>.zero
    for (k, sample) in used.enumerated() {
      let row = samples.residuals + sample * samples.values + 2 * point
      residuals[k] = SIMD2(row[0], row[1])
      total += residuals[k]
    }
    var best = PixelDifferenceSplit(first: 0, second: 0, threshold: 0)
    var bestScore = -Float.infinity
    for _ in 0..<options.localTests {
      let a = random.index(below: options.localPool)
      var b = random.index(below: options.localPool - 1)
      if b >= a { b += 1 }
      let first = pixels + a * count
      let second = pixels + b * count
      let own = used[random.index(below: used.count)]
      let threshold = Int32(first[own]) - Int32(second[own]) - Int32(random.index(below: 2))
      var left = SIMD2<Float>.zero
      var nLeft: Float = 0
      used.withUnsafeBufferPointer { used in
        residuals.withUnsafeBufferPointer { residuals in
          for k in 0..<used.count {
            let difference = Int32(first[used[k]]) &- Int32(second[used[k]])
            let weight: Float = difference > threshold ? 1 : 0
            left += residuals[k] * weight
            nLeft += weight
          }
        }
      }
      let nRight = Float(used.count) - nLeft
      if nLeft == 0 || nRight == 0 { continue }
      let right = total - left
      let score = (left * left).sum() / nLeft + (right * right).sum() / nRight
      if score > bestScore {
        bestScore = score
        best = PixelDifferenceSplit(first: UInt16(a), second: UInt16(b), threshold: Int16(threshold))
      }
    }
    return best
  }
}
