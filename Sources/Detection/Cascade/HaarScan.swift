import Features
import Geometry

/// A node of a tree over Haar features, for one layout.
///
/// Corners of up to three boxes, as distances from the window's own place. The order of the single-precision operations is
/// OpenCV's, so that values agree to the bit: first box plus second, plus third, times the inverse contrast.
struct HaarNode {
  var a: (Int32, Int32, Int32, Int32)
  var b: (Int32, Int32, Int32, Int32)
  var c: (Int32, Int32, Int32, Int32)
  var weightA: Float
  var weightB: Float
  /// 0 where there is no third box.
  var weightC: Float
  var threshold: Float
  /// Nodes from the tree's root on, where above 0; else a leaf.
  var left: Int32
  var right: Int32
  var leftLeaf: Float
  var rightLeaf: Float
}

extension CompiledCascade {
  /// - Parameter tiltedOffset: from a sum to the tilted sum of the same place.
  func haarNodes(_ layout: CascadeLayout, tiltedOffset: Int) -> [HaarNode] {
    guard case .haar(let features) = features else { return [] }
    return nodes.map { node in
      let feature = features[node.feature]
      func corners(_ index: Int) -> ((Int32, Int32, Int32, Int32), Float) {
        guard index < feature.boxes.count else { return ((0, 0, 0, 0), 0) }
        let box = feature.boxes[index]
        func at(_ x: Int, _ y: Int) -> Int32 {
          layout.offset(x: x, y: y) + (feature.isTilted ? Int32(tiltedOffset) : 0)
        }
        let (x, y, w, h) = (box.x, box.y, box.width, box.height)
        return feature.isTilted
          ? ((at(x, y), at(x - h, y + h), at(x + w, y + w), at(x + w - h, y + w + h)), box.weight)
          : ((at(x, y), at(x + w, y), at(x, y + h), at(x + w, y + h)), box.weight)
      }
      let (a, weightA) = corners(0)
      let (b, weightB) = corners(1)
      let (c, weightC) = corners(2)
      return HaarNode(
        a: a, b: b, c: c, weightA: weightA, weightB: weightB, weightC: weightC, threshold: node.threshold,
        left: node.left, right: node.right, leftLeaf: node.leftLeaf, rightLeaf: node.rightLeaf)
    }
  }
}

/// Looks at rows of windows: four neighbouring windows side by side while at least two of them live, then one by one.
struct HaarScanner {
  let runs: UnsafePointer<CompiledCascade.Run>
  let runCount: Int
  /// The runs of the stages before the last whose margins are added to the last sum.
  let scoredRuns: Range<Int>
  let trees: UnsafePointer<CompiledCascade.Tree>
  let nodes: UnsafePointer<HaarNode>
  /// Corners of the window less a border of one pixel, whose contrast normalises.
  let norm: (Int32, Int32, Int32, Int32)
  let area: Double
  let leastVariation: Double
  /// OpenCV's rule: a window after one that the first stage rejected is left out.
  let skipsAfterReject: Bool
  /// Room for the values of one tree's nodes.
  let scratch: UnsafeMutablePointer<SIMD4<Float>>
  /// Room for 64 inverse contrasts and sums.
  let inverses: UnsafeMutablePointer<Float>
  let totals: UnsafeMutablePointer<Double>

  /// Looks at a row of windows and calls `found` with the column and the last sum, with the scored margins, of each that
  /// passes.
  @inline(__always)
  func scanRow(
    sums: UnsafePointer<Int32>, squares: UnsafePointer<UInt32>, count: Int, found: (Int, Double) -> Void
  ) {
    var carry: UInt64 = 0
    var start = 0
    while start < count {
      var (passed, rejected) = firstRun(sums + start, squares + start, lanes: min(64, count - start))
      if skipsAfterReject { passed &= ~skippedWindows(rejected, carry: &carry) }
      var group = 0
      while passed != 0 {
        let bits = UInt32(truncatingIfNeeded: passed & 15)
        if bits != 0 {
          let alive = finish(sums + start + group, inverses + group, totals + group, bits)
          if alive != 0 {
            for lane in 0..<4 where alive & 1 << UInt32(lane) != 0 {
              let before = scoredRuns.isEmpty ? 0 : margins(sums + (start + group + lane), inverses[group + lane])
              found(start + group + lane, totals[group + lane] + before)
            }
          }
        }
        passed >>= 4
        group += 4
      }
      start += 64
    }
  }

  /// The first run over up to 64 windows: which pass, and which it rejects. Windows of too little contrast are neither.
  @inline(__always)
  private func firstRun(
    _ sums: UnsafePointer<Int32>, _ squares: UnsafePointer<UInt32>, lanes: Int
  ) -> (passed: UInt64, rejected: UInt64) {
    var passed: UInt64 = 0
    var rejected: UInt64 = 0
    let run = runs[0]
    var group = 0
    while group < lanes {
      let sums = sums + group
      let squares = squares + group
      let sum = SIMD4<Double>(boxes(sums, norm))
      let square =
        load(squares, norm.0) &- load(squares, norm.1) &- load(squares, norm.2) &+ load(squares, norm.3)
      let variation = area * SIMD4<Double>(square) - sum * sum
      var contrast = maskBits(variation .>= leastVariation)
      if lanes - group < 4 { contrast &= 1 << UInt32(lanes - group) - 1 }
      if contrast != 0 {
        for lane in 0..<4 {
          inverses[group + lane] = Float(1 / max(variation[lane], 1).squareRoot())
          totals[group + lane] = 0
        }
        let alive = advance(run, sums, inverses + group, totals + group, contrast)
        passed |= UInt64(alive) << UInt64(group)
        rejected |= UInt64(contrast & ~alive) << UInt64(group)
      }
      group += 4
    }
    return (passed, rejected)
  }

  /// One run over four windows of which some live: which still do.
  @inline(__always)
  private func advance(
    _ run: CompiledCascade.Run, _ sums: UnsafePointer<Int32>, _ inverses: UnsafePointer<Float>,
    _ totals: UnsafeMutablePointer<Double>, _ bits: UInt32
  ) -> UInt32 {
    if run.isWide {
      let inverse = UnsafeRawPointer(inverses).loadUnaligned(as: SIMD4<Float>.self)
      var total = UnsafeRawPointer(totals).loadUnaligned(as: SIMD4<Double>.self)
      let alive = bits & wide(run, sums, inverse, &total)
      UnsafeMutableRawPointer(totals).storeBytes(of: total, as: SIMD4<Double>.self)
      return alive
    }
    var alive = bits
    for lane in 0..<4 where alive & 1 << UInt32(lane) != 0 {
      if !single(run, sums + lane, inverses[lane], &totals[lane]) { alive &= ~(1 << UInt32(lane)) }
    }
    return alive
  }

  /// All runs but the first over four windows of which some live: which pass.
  @inline(never)
  private func finish(
    _ sums: UnsafePointer<Int32>, _ inverses: UnsafePointer<Float>, _ totals: UnsafeMutablePointer<Double>,
    _ bits: UInt32
  ) -> UInt32 {
    var alive = bits
    var index = 1
    if alive & (alive &- 1) != 0 {
      let inverse = UnsafeRawPointer(inverses).loadUnaligned(as: SIMD4<Float>.self)
      var total = UnsafeRawPointer(totals).loadUnaligned(as: SIMD4<Double>.self)
      while index < runCount, runs[index].isWide, alive & (alive &- 1) != 0 {
        alive &= wide(runs[index], sums, inverse, &total)
        index += 1
      }
      UnsafeMutableRawPointer(totals).storeBytes(of: total, as: SIMD4<Double>.self)
    }
    if alive == 0 || index == runCount { return alive }
    for lane in 0..<4 where alive & 1 << UInt32(lane) != 0 {
      let inverse = inverses[lane]
      var total = totals[lane]
      for index in index..<runCount where !single(runs[index], sums + lane, inverse, &total) {
        alive &= ~(1 << UInt32(lane))
        break
      }
      totals[lane] = total
    }
    return alive
  }

  /// What the scored stages' sums exceed their thresholds by, in all, in a window that passed them.
  @inline(never)
  private func margins(_ sums: UnsafePointer<Int32>, _ inverse: Float) -> Double {
    var result = 0.0
    var total = 0.0
    for index in scoredRuns {
      _ = single(runs[index], sums, inverse, &total)
      if runs[index].ends { result += total - runs[index].stageThreshold }
    }
    return result
  }

  @inline(__always)
  private func single(
    _ run: CompiledCascade.Run, _ sums: UnsafePointer<Int32>, _ inverse: Float, _ total: inout Double
  ) -> Bool {
    if run.begins { total = 0 }
    for index in run.firstTree..<run.firstTree + run.treeCount {
      let tree = trees[index]
      var node = nodes + tree.firstNode
      while true {
        var value = node.pointee.weightA * Float(box(sums, node.pointee.a))
        value += node.pointee.weightB * Float(box(sums, node.pointee.b))
        if node.pointee.weightC != 0 { value += node.pointee.weightC * Float(box(sums, node.pointee.c)) }
        let isLeft = value * inverse < node.pointee.threshold
        let next = isLeft ? node.pointee.left : node.pointee.right
        if next == 0 {
          total += Double(isLeft ? node.pointee.leftLeaf : node.pointee.rightLeaf)
          break
        }
        node = nodes + (tree.firstNode + Int(next))
      }
    }
    return !(total < run.threshold)
  }

  /// Four neighbouring windows: all nodes of each tree, from the last to the root.
  @inline(__always)
  private func wide(
    _ run: CompiledCascade.Run, _ sums: UnsafePointer<Int32>, _ inverse: SIMD4<Float>, _ total: inout SIMD4<Double>
  ) -> UInt32 {
    if run.begins { total = SIMD4(repeating: 0) }
    for index in run.firstTree..<run.firstTree + run.treeCount {
      let tree = trees[index]
      var number = tree.nodeCount - 1
      var value = SIMD4<Float>(repeating: 0)
      while true {
        let node = nodes + (tree.firstNode + number)
        value = answer(node, sums, inverse)
        if number == 0 { break }
        scratch[number] = value
        number -= 1
      }
      total += SIMD4<Double>(value)
    }
    return maskBits(total .>= run.threshold)
  }

  @inline(__always)
  private func answer(
    _ node: UnsafePointer<HaarNode>, _ sums: UnsafePointer<Int32>, _ inverse: SIMD4<Float>
  ) -> SIMD4<Float> {
    var value = node.pointee.weightA * SIMD4<Float>(boxes(sums, node.pointee.a))
    value += node.pointee.weightB * SIMD4<Float>(boxes(sums, node.pointee.b))
    if node.pointee.weightC != 0 { value += node.pointee.weightC * SIMD4<Float>(boxes(sums, node.pointee.c)) }
    let isLeft = value * inverse .< node.pointee.threshold
    let left =
      node.pointee.left == 0 ? SIMD4(repeating: node.pointee.leftLeaf) : scratch[Int(node.pointee.left)]
    let right =
      node.pointee.right == 0 ? SIMD4(repeating: node.pointee.rightLeaf) : scratch[Int(node.pointee.right)]
    return right.replacing(with: left, where: isLeft)
  }
}

/// Which windows of 64 are left out because the one before was looked at and rejected by the first stage.
///
/// Of a row of rejected windows every second is, and so may be the one behind it: as a backslash escapes the character
/// behind it, be that a backslash or not. Sums carry along rows of ones, so that no loop is needed.
///
/// Reference: G. Langdale, D. Lemire, "Parsing gigabytes of JSON per second", VLDB Journal 2019, section 3.1.1.
@inline(__always)
func skippedWindows(_ rejected: UInt64, carry: inout UInt64) -> UInt64 {
  let even: UInt64 = 0x5555_5555_5555_5555
  let rejected = rejected & ~carry
  let follows = rejected << 1 | carry
  let oddStarts = rejected & ~even & ~follows
  let (sum, overflow) = oddStarts.addingReportingOverflow(rejected)
  carry = overflow ? 1 : 0
  return (even ^ (sum << 1)) & follows
}

@inline(__always)
private func load(_ base: UnsafePointer<Int32>, _ offset: Int32) -> SIMD4<Int32> {
  UnsafeRawPointer(base + Int(offset)).loadUnaligned(as: SIMD4<Int32>.self)
}

@inline(__always)
private func load(_ base: UnsafePointer<UInt32>, _ offset: Int32) -> SIMD4<UInt32> {
  UnsafeRawPointer(base + Int(offset)).loadUnaligned(as: SIMD4<UInt32>.self)
}

@inline(__always)
private func boxes(_ sums: UnsafePointer<Int32>, _ corners: (Int32, Int32, Int32, Int32)) -> SIMD4<Int32> {
  load(sums, corners.0) &- load(sums, corners.1) &- load(sums, corners.2) &+ load(sums, corners.3)
}

@inline(__always)
private func box(_ sums: UnsafePointer<Int32>, _ corners: (Int32, Int32, Int32, Int32)) -> Int32 {
  sums[Int(corners.0)] &- sums[Int(corners.1)] &- sums[Int(corners.2)] &+ sums[Int(corners.3)]
}

@inline(__always)
private func maskBits(_ mask: SIMDMask<SIMD4<Int64>>) -> UInt32 {
  UInt32(truncatingIfNeeded: (unsafeBitCast(mask, to: SIMD4<UInt64>.self) & SIMD4(1, 2, 4, 8)).wrappedSum())
}
