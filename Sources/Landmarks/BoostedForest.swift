import Execution
import LinearAlgebra

/// Grows one level's trees by gradient boosting.
///
/// A node's splits are scored by `|L|^2 / nL + |R|^2 / nR` for the sums L and R of the residuals that go left and right,
/// which is least squares. Each sample's row is added once for every five tests (to the one of 32 bins that the tests'
/// answers name) rather than once for every test; and rows are the residuals' first principal coordinates, not all.
/// Differences from the paper: these two. Leaves take the mean of whole residuals.
///
/// Memory: `pool + 4 scoringWidth + 2` bytes a sample, beside `TrainingSamples`.
final class BoostedForest: @unchecked Sendable {
  private let samples: TrainingSamples
  private let options: ShapePredictorOptions
  private let executor: ParallelExecutor
  private let values: Int
  /// Principal coordinates of a row, a multiple of 8.
  private let width: Int
  private let parts: [Range<Int>]
  private let pixels: UnsafeMutablePointer<UInt8>
  private let scores: UnsafeMutablePointer<SIMD8<Float>>
  /// The leaf of the last finished tree, whose change is still to be taken off, and the node in the tree that grows.
  private var leaf: UnsafeMutablePointer<UInt8>
  private var node: UnsafeMutablePointer<UInt8>
  /// `width` rows of `values`: the principal directions; empty where rows are scored whole.
  private var directions: [Float] = []

  init(_ samples: TrainingSamples, options: ShapePredictorOptions, executor: ParallelExecutor) {
    self.samples = samples
    self.options = options
    self.executor = executor
    values = samples.values
    // Principal directions are of whole rows: where points are absent, all coordinates are scored.
    let isWhole = options.scoringWidth == 0 || samples.hasAbsent
    let wanted = isWhole ? values : min(values, options.scoringWidth)
    width = (wanted + 7) / 8 * 8
    let partCount = max(1, min(16, samples.count / 2048))
    let count = samples.count
    parts = (0..<partCount).map { count * $0 / partCount..<count * ($0 + 1) / partCount }
    pixels = .allocate(capacity: options.poolSize * count)
    pixels.initialize(repeating: 0, count: options.poolSize * count)
    scores = .allocate(capacity: count * width / 8)
    scores.initialize(repeating: .zero, count: count * width / 8)
    leaf = .allocate(capacity: count)
    leaf.initialize(repeating: 0, count: count)
    node = .allocate(capacity: count)
    node.initialize(repeating: 0, count: count)
  }

  deinit {
    pixels.deallocate()
    scores.deallocate()
    leaf.deallocate()
    node.deallocate()
  }

  /// Grows level `index`. The samples' residuals are left in no state to be used.
  func train(level index: Int, cancellation: Cancellation?, progress: (Int) -> Void) throws -> ShapeForest {
    var random = RandomStream(seed: options.seed, stream: 0x4C45_0000_0000 + UInt64(index))
    let pool = PixelPool.random(
      count: options.poolSize, meanShape: samples.meanShape, padding: options.poolPadding, using: &random)
    samples.readPool(pool, border: options.border, to: pixels, on: executor)
    try projectResiduals()
    let pairs = PixelPairs(pool.places(on: samples.meanShape), scale: options.pixelDistance)
    let leafCount = 1 << options.depth
    var splits: [PixelDifferenceSplit] = []
    var leaves: [Float] = []
    splits.reserveCapacity(options.trees * (leafCount - 1))
    leaves.reserveCapacity(options.trees * leafCount * values)
    var change = [Float](repeating: 0, count: leafCount * values)
    var scoreChange = [SIMD8<Float>](repeating: .zero, count: leafCount * width / 8)
    for tree in 0..<options.trees {
      try cancellation?.check()
      var tests: [PixelDifferenceSplit] = []
      for depth in 0..<options.depth {
        let chosen = Array(splits.suffix(depth == 0 ? 0 : 1 << (depth - 1)))
        tests = drawTests(count: options.splitTests << depth, pairs, &random)
        splits += growDepth(depth, parents: chosen, tests: tests, scoreChange: scoreChange)
      }
      change = leafChanges(lastSplits: Array(splits.suffix(1 << (options.depth - 1))), change: change)
      scoreChange = project(change)
      leaves += change
      swap(&leaf, &node)
      if tree % 10 == 9 { progress(tree + 1) }
    }
    return ShapeForest(
      pool: pool, depth: options.depth, treeCount: options.trees, splits: splits, leaves: .float(leaves), width: values)
  }

  private func drawTests(count: Int, _ pairs: PixelPairs, _ random: inout RandomStream) -> [PixelDifferenceSplit] {
    (0..<count).map { _ in
      let (first, second) = pairs.draw(using: &random)
      let threshold: Int
      if options.thresholdsFromSamples {
        // One of the samples' own differences: tests then part the samples where these lie.
        let sample = random.index(below: samples.count)
        threshold =
          Int(pixels[first * samples.count + sample]) - Int(pixels[second * samples.count + sample])
          - random.index(below: 2)
      } else {
        threshold = Int((random.uniform() * 128 - 64).rounded(.down))
      }
      return PixelDifferenceSplit(first: UInt16(first), second: UInt16(second), threshold: Int16(threshold))
    }
  }

  /// Sets `directions` and the samples' scoring rows, and forgets the last level's leaves.
  private func projectResiduals() throws {
    let count = samples.count
    leaf.update(repeating: 0, count: count)
    if samples.hasAbsent || width >= values {
      directions = []
    } else {
      directions = try samples.principalDirections(width)
    }
    let (residuals, rows) = (samples.residuals, UnsafeMutableRawPointer(scores).assumingMemoryBound(to: Float.self))
    let (values, width) = (values, width)
    if directions.isEmpty {
      for sample in 0..<count {
        for k in 0..<width { rows[sample * width + k] = k < values ? residuals[sample * values + k] : 0 }
      }
    } else {
      directions.withUnsafeBufferPointer { directions in
        BLAS.gemm(
          transposeB: true, rows: count, columns: width, inner: values, residuals, leadingA: values,
          directions.baseAddress!, leadingB: values, rows, leadingC: width)
      }
    }
  }

  /// The leaves' changes in the coordinates that splits are scored in.
  private func project(_ change: [Float]) -> [SIMD8<Float>] {
    let leafCount = change.count / values
    var flat = [Float](repeating: 0, count: leafCount * width)
    if directions.isEmpty {
      for row in 0..<leafCount {
        for k in 0..<values { flat[row * width + k] = change[row * values + k] }
      }
    } else {
      BLAS.gemm(
        transposeB: true, rows: leafCount, columns: width, inner: values, change, directions, &flat)
    }
    return (0..<leafCount * width / 8).map { group in
      SIMD8(flat[8 * group..<8 * group + 8])
    }
  }

  /// Chooses the splits of one depth's nodes.
  private func growDepth(
    _ depth: Int, parents: [PixelDifferenceSplit], tests: [PixelDifferenceSplit], scoreChange: [SIMD8<Float>]
  ) -> [PixelDifferenceSplit] {
    let nodes = 1 << depth
    let testCount = options.splitTests
    let lanes = width / 8
    var sums = [SIMD8<Float>](repeating: .zero, count: parts.count * nodes * (testCount + 1) * lanes)
    var counts = [Int32](repeating: 0, count: parts.count * nodes * (testCount + 1))
    sums.withUnsafeMutableBufferPointer { sums in
      counts.withUnsafeMutableBufferPointer { counts in
        let (sums, counts) = (DisjointBuffer(sums), DisjointBuffer(counts))
        executor.forEach(parts.count) { part in
          scoreTests(
            parts[part], depth: depth, parents: parents, tests: tests, scoreChange: scoreChange,
            sums: sums.base + part * nodes * (testCount + 1) * lanes,
            counts: counts.base + part * nodes * (testCount + 1))
        }
      }
    }
    let stride = nodes * (testCount + 1)
    for part in 1..<max(1, parts.count) {
      for k in 0..<stride * lanes { sums[k] += sums[part * stride * lanes + k] }
      for k in 0..<stride { counts[k] += counts[part * stride + k] }
    }
    return (0..<nodes).map { node in
      let base = node * (testCount + 1)
      var best = 0
      var bestScore = -Float.infinity
      for test in 0..<testCount {
        var left: Float = 0
        var right: Float = 0
        for lane in 0..<lanes {
          let all = sums[(base + testCount) * lanes + lane]
          let l = sums[(base + test) * lanes + lane]
          left += (l * l).sum()
          right += ((all - l) * (all - l)).sum()
        }
        let nLeft = counts[base + test]
        let nRight = counts[base + testCount] - nLeft
        let score = (nLeft > 0 ? left / Float(nLeft) : 0) + (nRight > 0 ? right / Float(nRight) : 0)
        if score > bestScore { (bestScore, best) = (score, test) }
      }
      return tests[node * testCount + best]
    }
  }

  /// Sums of the rows that each test sends left, and, last in each node, of all; with counts.
  @inline(never)
  private func scoreTests(
    _ range: Range<Int>, depth: Int, parents: [PixelDifferenceSplit], tests: [PixelDifferenceSplit],
    scoreChange: [SIMD8<Float>], sums: UnsafeMutablePointer<SIMD8<Float>>, counts: UnsafeMutablePointer<Int32>
  ) {
    let nodes = 1 << depth
    let testCount = options.splitTests
    let lanes = width / 8
    let bits = depth <= 3 ? 5 : 4
    let groups = (testCount + bits - 1) / bits
    let codes = 1 << bits
    let parent = parents.map(columns)
    let columns = tests.map(columns)
    let (rows, node, leaf) = (scores, node, leaf)
    let mask = codes - 1
    withUnsafeTemporaryAllocation(of: SIMD8<Float>.self, capacity: nodes * groups * codes * lanes) { bins in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: nodes * groups * codes) { binCounts in
        bins.initialize(repeating: .zero)
        binCounts.initialize(repeating: 0)
        parent.withUnsafeBufferPointer { parent in
          columns.withUnsafeBufferPointer { columns in
            scoreChange.withUnsafeBufferPointer { change in
              let (bins, binCounts) = (bins.baseAddress!, binCounts.baseAddress!)
              for sample in range {
                let row = rows + sample * lanes
                var here = 0
                if depth == 0 {
                  let off = change.baseAddress! + Int(leaf[sample]) * lanes
                  for lane in 0..<lanes { row[lane] -= off[lane] }
                  node[sample] = 0
                } else {
                  let above = Int(node[sample])
                  here = 2 * above + (parent[above].holds(sample) ^ 1)
                  node[sample] = UInt8(truncatingIfNeeded: here)
                }
                let first = columns.baseAddress! + here * testCount
                var code = 0
                for test in 0..<testCount { code |= first[test].holds(sample) << test }
                var bin = here * groups * codes
                for _ in 0..<groups {
                  let place = bin + (code & mask)
                  binCounts[place] &+= 1
                  let to = bins + place * lanes
                  for lane in 0..<lanes { to[lane] += row[lane] }
                  code >>= bits
                  bin += codes
                }
              }
            }
          }
        }
        gather(
          UnsafeMutablePointer(bins.baseAddress!), binCounts.baseAddress!, nodes: nodes, groups: groups, bits: bits,
          sums: sums, counts: counts)
      }
    }
  }

  /// From the bins of answers to the sums of each test.
  private func gather(
    _ bins: UnsafeMutablePointer<SIMD8<Float>>, _ binCounts: UnsafeMutablePointer<Int32>, nodes: Int, groups: Int,
    bits: Int, sums: UnsafeMutablePointer<SIMD8<Float>>, counts: UnsafeMutablePointer<Int32>
  ) {
    let testCount = options.splitTests
    let lanes = width / 8
    let codes = 1 << bits
    for node in 0..<nodes {
      for group in 0..<groups {
        let base = (node * groups + group) * codes
        for bit in 0..<bits {
          let test = group * bits + bit
          if test >= testCount { break }
          let place = node * (testCount + 1) + test
          for code in 0..<codes where code >> bit & 1 == 1 {
            counts[place] += binCounts[base + code]
            for lane in 0..<lanes { sums[place * lanes + lane] += bins[(base + code) * lanes + lane] }
          }
        }
        if group == 0 {
          let place = node * (testCount + 1) + testCount
          for code in 0..<codes {
            counts[place] += binCounts[base + code]
            for lane in 0..<lanes { sums[place * lanes + lane] += bins[(base + code) * lanes + lane] }
          }
        }
      }
    }
  }

  private func columns(_ split: PixelDifferenceSplit) -> ColumnTest {
    ColumnTest(
      first: pixels + Int(split.first) * samples.count, second: pixels + Int(split.second) * samples.count,
      threshold: Int32(split.threshold))
  }

  /// Takes the last tree's changes off the residuals and gives the new tree's: shrunken means of what is left.
  private func leafChanges(lastSplits: [PixelDifferenceSplit], change: [Float]) -> [Float] {
    let leafCount = change.count / values
    let size = change.count
    var sums = [Float](repeating: 0, count: parts.count * size)
    var counts = [Int32](repeating: 0, count: parts.count * size)
    sums.withUnsafeMutableBufferPointer { sums in
      counts.withUnsafeMutableBufferPointer { counts in
        let (sums, counts) = (DisjointBuffer(sums), DisjointBuffer(counts))
        executor.forEach(parts.count) { part in
          sumLeaves(
            parts[part], lastSplits: lastSplits, change: change, sums: sums.base + part * size,
            counts: counts.base + part * size)
        }
      }
    }
    for part in 1..<max(1, parts.count) {
      for k in 0..<size {
        sums[k] += sums[part * size + k]
        counts[k] += counts[part * size + k]
      }
    }
    let shrinkage = Float(options.shrinkage)
    var result = [Float](repeating: 0, count: size)
    for row in 0..<leafCount {
      for k in 0..<values {
        // Without absent points only the row's first count is kept.
        let count = counts[row * values + (samples.hasAbsent ? k : 0)]
        if count > 0 { result[row * values + k] = shrinkage * sums[row * values + k] / Float(count) }
      }
    }
    return result
  }

  @inline(never)
  private func sumLeaves(
    _ range: Range<Int>, lastSplits: [PixelDifferenceSplit], change: [Float], sums: UnsafeMutablePointer<Float>,
    counts: UnsafeMutablePointer<Int32>
  ) {
    let parent = lastSplits.map(columns)
    let (residuals, node, leaf, values) = (samples.residuals, node, leaf, values)
    let hasAbsent = samples.hasAbsent
    parent.withUnsafeBufferPointer { parent in
      change.withUnsafeBufferPointer { change in
        for sample in range {
          let above = Int(node[sample])
          let here = 2 * above + (parent[above].holds(sample) ^ 1)
          node[sample] = UInt8(truncatingIfNeeded: here)
          let row = residuals + sample * values
          let off = change.baseAddress! + Int(leaf[sample]) * values
          let to = sums + here * values
          if hasAbsent {
            for k in 0..<values { row[k] -= off[k] }
            let missing = samples.absent[sample / samples.oversampling]
            for k in missing { row[k] = 0 }
            let seen = counts + here * values
            for k in 0..<values {
              to[k] += row[k]
              seen[k] += 1
            }
            for k in missing { seen[k] -= 1 }
          } else {
            counts[here * values] += 1
            addDifference(row, off, to, values)
          }
        }
      }
    }
  }
}

/// `row -= off`, then `sum += row`.
@inline(__always)
private func addDifference(
  _ row: UnsafeMutablePointer<Float>, _ off: UnsafePointer<Float>, _ sum: UnsafeMutablePointer<Float>, _ count: Int
) {
  var k = 0
  while k + 8 <= count {
    let at = UnsafeMutableRawPointer(row + k)
    let total = UnsafeMutableRawPointer(sum + k)
    let left =
      at.loadUnaligned(as: SIMD8<Float>.self) - UnsafeRawPointer(off + k).loadUnaligned(as: SIMD8<Float>.self)
    at.storeBytes(of: left, as: SIMD8<Float>.self)
    total.storeBytes(of: total.loadUnaligned(as: SIMD8<Float>.self) + left, as: SIMD8<Float>.self)
    k += 8
  }
  while k < count {
    row[k] -= off[k]
    sum[k] += row[k]
    k += 1
  }
}

/// A split over columns of pixels.
private struct ColumnTest {
  let first: UnsafePointer<UInt8>
  let second: UnsafePointer<UInt8>
  let threshold: Int32

  /// 1 where the sample's difference is above the threshold, else 0.
  @inline(__always)
  func holds(_ sample: Int) -> Int {
    Int(UInt32(bitPattern: threshold &- (Int32(first[sample]) &- Int32(second[sample]))) >> 31)
  }
}
