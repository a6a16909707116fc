import Features
import Geometry

/// Where the sixteen sums of a block pattern are, as distances from the window's own place, row after row.
struct PatternCorners {
  var rows: (SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>)
}

extension CompiledCascade {
  /// By feature.
  func patternCorners(_ layout: CascadeLayout) -> [PatternCorners] {
    guard case .blockPatterns(let patterns) = features else { return [] }
    return patterns.map { pattern in
      func row(_ index: Int) -> SIMD4<Int32> {
        var corners = SIMD4<Int32>()
        for column in 0..<4 {
          corners[column] = layout.offset(
            x: pattern.x + column * pattern.blockWidth, y: pattern.y + index * pattern.blockHeight)
        }
        return corners
      }
      return PatternCorners(rows: (row(0), row(1), row(2), row(3)))
    }
  }

  /// Whether all sums of blocks fit in 16 bits: then sums are kept modulo 2^16, and twice as many windows fit in a register.
  var hasSmallBlocks: Bool {
    guard case .blockPatterns(let patterns) = features else { return false }
    return patterns.allSatisfy { $0.blockWidth * $0.blockHeight <= Int(UInt16.max) / 255 }
  }
}

/// Looks at rows of windows: categories of eight neighbouring windows side by side, leaves one by one.
struct PatternScanner<Word: PatternWord> {
  let runs: UnsafePointer<CompiledCascade.Run>
  let runCount: Int
  /// The runs of the stages before the last whose margins are added to the last sum.
  let scoredRuns: Range<Int>
  let trees: UnsafePointer<CompiledCascade.Tree>
  let nodes: UnsafePointer<CompiledCascade.Node>
  let sets: UnsafePointer<UInt32>
  let leafTables: UnsafePointer<Double>
  let corners: UnsafePointer<PatternCorners>
  /// OpenCV's rule: a window after one that the first stage rejected is left out.
  let skipsAfterReject: Bool
  /// Room for the sums of 64 windows.
  let totals: UnsafeMutablePointer<Double>

  /// Looks at a row of windows and calls `found` with the column and the last sum, with the scored margins, of each that
  /// passes.
  @inline(__always)
  func scanRow(sums: UnsafePointer<Word>, count: Int, found: (Int, Double) -> Void) {
    var carry: UInt64 = 0
    var start = 0
    while start < count {
      let lanes = min(64, count - start)
      var passed: UInt64 = 0
      var group = 0
      while group < lanes {
        let all: UInt32 = lanes - group < 8 ? 1 << UInt32(lanes - group) - 1 : 255
        for lane in 0..<8 { totals[group + lane] = 0 }
        passed |= UInt64(advance(runs[0], sums + start + group, totals + group, all)) << UInt64(group)
        group += 8
      }
      if skipsAfterReject {
        let all: UInt64 = lanes == 64 ? .max : 1 << UInt64(lanes) - 1
        passed &= ~skippedWindows(all & ~passed, carry: &carry)
      }
      group = 0
      while passed != 0 {
        var alive = UInt32(truncatingIfNeeded: passed & 255)
        if alive != 0 {
          var index = 1
          while index < runCount && alive != 0 {
            alive = advance(runs[index], sums + start + group, totals + group, alive)
            index += 1
          }
          while alive != 0 {
            let lane = alive.trailingZeroBitCount
            alive &= alive &- 1
            let before = scoredRuns.isEmpty ? 0 : margins(sums + (start + group + lane))
            found(start + group + lane, totals[group + lane] + before)
          }
        }
        passed >>= 8
        group += 8
      }
      start += 64
    }
  }

  /// One run over eight windows of which some live: which still do.
  @inline(__always)
  private func advance(
    _ run: CompiledCascade.Run, _ sums: UnsafePointer<Word>, _ totals: UnsafeMutablePointer<Double>, _ bits: UInt32
  ) -> UInt32 {
    if run.begins { for lane in 0..<8 { totals[lane] = 0 } }
    var alive = bits
    for index in run.firstTree..<run.firstTree + run.treeCount {
      let tree = trees[index]
      if tree.table >= 0 {
        let categories = Word.categories(sums, corners + nodes[tree.firstNode].feature)
        let leaves = leafTables + tree.table
        if bits == 255 {
          for lane in 0..<8 { totals[lane] += leaves[Int(truncatingIfNeeded: categories[lane])] }
        } else {
          var rest = bits
          while rest != 0 {
            let lane = rest.trailingZeroBitCount
            rest &= rest &- 1
            totals[lane] += leaves[Int(truncatingIfNeeded: categories[lane])]
          }
        }
      } else {
        var rest = bits
        while rest != 0 {
          let lane = rest.trailingZeroBitCount
          rest &= rest &- 1
          totals[lane] += leaf(tree, sums + lane)
        }
      }
    }
    for lane in 0..<8 where totals[lane] < run.threshold { alive &= ~(1 << UInt32(lane)) }
    return alive
  }

  /// What the scored stages' sums exceed their thresholds by, in all, in a window that passed them.
  @inline(never)
  private func margins(_ sums: UnsafePointer<Word>) -> Double {
    var result = 0.0
    var total = 0.0
    for index in scoredRuns {
      let run = runs[index]
      if run.begins { total = 0 }
      for number in run.firstTree..<run.firstTree + run.treeCount { total += leaf(trees[number], sums) }
      if run.ends { result += total - run.stageThreshold }
    }
    return result
  }

  private func leaf(_ tree: CompiledCascade.Tree, _ sums: UnsafePointer<Word>) -> Double {
    var number = tree.firstNode
    while true {
      let node = nodes[number]
      let category = Int(truncatingIfNeeded: Word.categories(sums, corners + node.feature)[0])
      let isLeft = sets[node.set + category >> 5] & 1 << UInt32(category & 31) != 0
      let next = isLeft ? node.left : node.right
      if next == 0 { return Double(isLeft ? node.leftLeaf : node.rightLeaf) }
      number = tree.firstNode + Int(next)
    }
  }
}

/// Words that sums are kept in, modulo their size. Differences of differences of sums are exact where block sums fit.
///
/// The kernels are written for each word: in generic code Swift works at one lane after the other.
protocol PatternWord: FixedWidthInteger & UnsignedInteger {
  /// The categories of eight neighbouring windows.
  static func categories(_ sums: UnsafePointer<Self>, _ corners: UnsafePointer<PatternCorners>) -> SIMD8<UInt16>
}

extension UInt16: PatternWord {
  @inline(__always)
  static func categories(_ sums: UnsafePointer<UInt16>, _ corners: UnsafePointer<PatternCorners>) -> SIMD8<UInt16> {
    @inline(__always)
    func load(_ offset: Int32) -> SIMD8<UInt16> {
      UnsafeRawPointer(sums + Int(offset)).loadUnaligned(as: SIMD8<UInt16>.self)
    }
    /// Sums of a row's three spans from the image's top.
    @inline(__always)
    func spans(_ row: SIMD4<Int32>) -> (SIMD8<UInt16>, SIMD8<UInt16>, SIMD8<UInt16>) {
      let (a, b, c, d) = (load(row[0]), load(row[1]), load(row[2]), load(row[3]))
      return (b &- a, c &- b, d &- c)
    }
    let top = spans(corners.pointee.rows.0)
    let upper = spans(corners.pointee.rows.1)
    let lower = spans(corners.pointee.rows.2)
    let bottom = spans(corners.pointee.rows.3)
    let middle = lower.1 &- upper.1
    @inline(__always)
    func bit(_ sum: SIMD8<UInt16>, _ value: UInt16) -> SIMD8<UInt16> {
      SIMD8<UInt16>(repeating: 0).replacing(with: SIMD8<UInt16>(repeating: value), where: sum .>= middle)
    }
    return bit(upper.0 &- top.0, 128) | bit(upper.1 &- top.1, 64) | bit(upper.2 &- top.2, 32)
      | bit(lower.2 &- upper.2, 16) | bit(bottom.2 &- lower.2, 8) | bit(bottom.1 &- lower.1, 4)
      | bit(bottom.0 &- lower.0, 2) | bit(lower.0 &- upper.0, 1)
  }
}

extension UInt32: PatternWord {
  /// For blocks of more than 257 pixels: the same, a window at a time.
  static func categories(_ sums: UnsafePointer<UInt32>, _ corners: UnsafePointer<PatternCorners>) -> SIMD8<UInt16> {
    let rows = corners.pointee.rows
    var result = SIMD8<UInt16>(repeating: 0)
    for lane in 0..<8 {
      func block(_ upper: SIMD4<Int32>, _ lower: SIMD4<Int32>, _ column: Int) -> UInt32 {
        func sum(_ offset: Int32) -> UInt32 { sums[lane + Int(offset)] }
        return sum(lower[column + 1]) &- sum(lower[column]) &- sum(upper[column + 1]) &+ sum(upper[column])
      }
      let middle = block(rows.1, rows.2, 1)
      func bit(_ sum: UInt32, _ value: UInt16) -> UInt16 { sum >= middle ? value : 0 }
      result[lane] =
        bit(block(rows.0, rows.1, 0), 128) | bit(block(rows.0, rows.1, 1), 64) | bit(block(rows.0, rows.1, 2), 32)
        | bit(block(rows.1, rows.2, 2), 16) | bit(block(rows.2, rows.3, 2), 8) | bit(block(rows.2, rows.3, 1), 4)
        | bit(block(rows.2, rows.3, 0), 2) | bit(block(rows.1, rows.2, 0), 1)
    }
    return result
  }
}
