import Execution
import Geometry
import Imaging

/// A window that passed all stages.
public struct CascadeWindow: Hashable, Sendable {
  /// Index of the level, largest image first.
  public let level: Int
  /// Place of the window, counted in windows of its level.
  public let row: Int
  public let column: Int
  /// The last stage's sum less its threshold, and those of the stages before that are scored.
  public let score: Double
  /// What is reported for it, in pixels of the image.
  public let box: Box
}

/// One image being scanned.
///
/// Work is cut into bands of rows of each level, by sizes alone, so that the answer does not depend on who does it.
struct CascadeScan: Sendable {
  private let cascade: CompiledCascade
  private let image: ByteImage
  private let plan: CascadeScanPlan
  private let runs: [CompiledCascade.Run]
  /// The runs of the stages before the last whose margins are added to a score.
  private let scoredRuns: Range<Int>
  /// What a score must reach where several stages are added up.
  private let leastSum: Double
  private let skipsAfterReject: Bool
  private let bands: [Band]
  private let layouts: [Int: Layout]

  private struct Band: Sendable {
    var level: Int
    /// Rows of windows.
    var rows: Range<Int>
  }

  /// What all bands of one stride share.
  private struct Layout: Sendable {
    var layout: CascadeLayout
    var pixelRows: Int
    var width: Int
    var haarNodes: [HaarNode]
    var corners: [PatternCorners]

    /// Values of each kind of sums.
    var capacity: Int { (pixelRows + 1) * layout.rowStride + CascadeLayout.slack }
  }

  /// Pixel rows of a band beyond the window's height: many, so that little is computed twice, few enough for the cache.
  private static let bandHeight = 128

  /// - Parameters:
  ///   - floor: the least score that passes; 0 is the cascade's own threshold.
  ///   - scoredStages: how many of the last stages a score adds up.
  init(
    _ detector: CascadeDetector, image: ByteImage, plan: CascadeScanPlan, floor: Double, scoredStages: Int = 1
  ) {
    cascade = detector.compiled
    self.image = image.grey()
    self.plan = plan
    skipsAfterReject = plan.rule == .openCV
    var runs = cascade.runs
    scoredRuns = cascade.runs(ofStagesBeforeLast: scoredStages - 1)
    leastSum = scoredRuns.isEmpty ? -.infinity : floor
    if scoredRuns.isEmpty { runs[runs.count - 1].threshold += floor }
    self.runs = runs
    let window = detector.windowSize
    var bands: [Band] = []
    var layouts: [Int: Layout] = [:]
    for (index, level) in plan.levels.enumerated() where level.rows > 0 && level.columns > 0 {
      let rows = max(1, (CascadeScan.bandHeight + level.stride - 1) / level.stride)
      for first in Swift.stride(from: 0, to: level.rows, by: rows) {
        bands.append(Band(level: index, rows: first..<min(first + rows, level.rows)))
      }
      // Levels shrink: the first of a stride is the widest.
      guard layouts[level.stride] == nil else { continue }
      let layout = CascadeLayout(stride: level.stride, width: level.size.width)
      let pixelRows = (min(rows, level.rows) - 1) * level.stride + window.height
      let capacity = (pixelRows + 1) * layout.rowStride + CascadeLayout.slack
      layouts[level.stride] = Layout(
        layout: layout, pixelRows: pixelRows, width: level.size.width,
        haarNodes: cascade.haarNodes(layout, tiltedOffset: capacity), corners: cascade.patternCorners(layout))
    }
    self.bands = bands
    self.layouts = layouts
  }

  /// Windows looked at, those left out by OpenCV's rule included.
  var windowCount: Int { plan.levels.reduce(0) { $0 + $1.rows * $1.columns } }

  /// All windows that pass, in the order of level, row and column.
  func windows(executor: ParallelExecutor) -> [CascadeWindow] {
    executor.map(bands.count) { scan(bands[$0]) }.flatMap { $0 }
  }

  private func scan(_ band: Band) -> [CascadeWindow] {
    let level = plan.levels[band.level]
    guard let layout = layouts[level.stride] else { return [] }
    var windows: [CascadeWindow] = []
    func keep(row: Int, column: Int, total: Double) {
      let score = total - cascade.lastThreshold
      guard score >= leastSum else { return }
      windows.append(
        CascadeWindow(
          level: band.level, row: row, column: column, score: score,
          box: plan.box(level: level, row: row, column: column)))
    }
    let top = band.rows.lowerBound * level.stride
    let rows = (band.rows.count - 1) * level.stride + plan.windowSize.height
    let sums = CascadeBand(layout: layout.layout, width: layout.width, rows: layout.pixelRows)
    let resizer = OpenCVResizer(from: image.size, to: level.size, channelCount: 1, rows: top..<top + rows)
    image.pixels.withUnsafeBufferPointer { sums.fill(top..<top + rows, of: resizer, from: $0.baseAddress!) }
    let work = BandWork(
      cascade: cascade, runs: runs, scoredRuns: scoredRuns, columns: level.columns, firstRow: band.rows.lowerBound,
      rowCount: band.rows.count, step: level.stride * layout.layout.rowStride, skipsAfterReject: skipsAfterReject)
    if case .haar = cascade.features {
      work.scanHaar(sums, nodes: layout.haarNodes, layout: layout.layout, width: level.size.width, rows: rows, keep)
    } else if cascade.hasSmallBlocks {
      work.scanSmallPatterns(sums, corners: layout.corners, width: level.size.width, rows: rows, keep)
    } else {
      work.scanLargePatterns(sums, corners: layout.corners, width: level.size.width, rows: rows, keep)
    }
    return windows
  }
}

/// The windows of one band.
private struct BandWork {
  let cascade: CompiledCascade
  let runs: [CompiledCascade.Run]
  let scoredRuns: Range<Int>
  let columns: Int
  let firstRow: Int
  let rowCount: Int
  /// Values from one row of windows to the next.
  let step: Int
  let skipsAfterReject: Bool

  @inline(never)
  func scanHaar(
    _ band: borrowing CascadeBand, nodes: [HaarNode], layout: CascadeLayout, width: Int, rows: Int,
    _ keep: (_ row: Int, _ column: Int, _ total: Double) -> Void
  ) {
    let kinds = cascade.hasTiltedFeatures ? 3 : 2
    let sums = UnsafeMutablePointer<Int32>.allocate(capacity: kinds * band.capacity)
    defer { sums.deallocate() }
    band.integrate(Int32.self, width: width, rows: rows, into: sums)
    if cascade.hasTiltedFeatures {
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * (width + 1)) {
        band.integrateTilted(width: width, rows: rows, into: sums + band.capacity, lines: $0.baseAddress!)
      }
    }
    let squares = UnsafeMutableRawPointer(sums + (kinds - 1) * band.capacity).assumingMemoryBound(to: UInt32.self)
    band.integrateSquares(width: width, rows: rows, into: squares)
    let window = cascade.windowSize
    let norm = (
      layout.offset(x: 1, y: 1), layout.offset(x: window.width - 1, y: 1), layout.offset(x: 1, y: window.height - 1),
      layout.offset(x: window.width - 1, y: window.height - 1)
    )
    runs.withUnsafeBufferPointer { runs in
      cascade.trees.withUnsafeBufferPointer { trees in
        nodes.withUnsafeBufferPointer { nodes in
          withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: CompiledCascade.wideTreeLimit) { scratch in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 64) { inverses in
              withUnsafeTemporaryAllocation(of: Double.self, capacity: 64) { totals in
                let scanner = HaarScanner(
                  runs: runs.baseAddress!, runCount: runs.count, scoredRuns: scoredRuns, trees: trees.baseAddress!,
                  nodes: nodes.baseAddress!, norm: norm,
                  area: Double((window.width - 2) * (window.height - 2)), leastVariation: cascade.leastVariation,
                  skipsAfterReject: skipsAfterReject, scratch: scratch.baseAddress!,
                  inverses: inverses.baseAddress!, totals: totals.baseAddress!)
                for row in 0..<rowCount {
                  scanner.scanRow(sums: sums + row * step, squares: squares + row * step, count: columns) {
                    keep(firstRow + row, $0, $1)
                  }
                }
              }
            }
          }
        }
      }
    }
  }

  @inline(never)
  func scanSmallPatterns(
    _ band: borrowing CascadeBand, corners: [PatternCorners], width: Int, rows: Int,
    _ keep: (_ row: Int, _ column: Int, _ total: Double) -> Void
  ) {
    scanPatterns(UInt16.self, band, corners: corners, width: width, rows: rows, keep)
  }

  @inline(never)
  func scanLargePatterns(
    _ band: borrowing CascadeBand, corners: [PatternCorners], width: Int, rows: Int,
    _ keep: (_ row: Int, _ column: Int, _ total: Double) -> Void
  ) {
    scanPatterns(UInt32.self, band, corners: corners, width: width, rows: rows, keep)
  }

  @inline(__always)
  private func scanPatterns<Word: PatternWord>(
    _: Word.Type, _ band: borrowing CascadeBand, corners: [PatternCorners], width: Int, rows: Int,
    _ keep: (_ row: Int, _ column: Int, _ total: Double) -> Void
  ) {
    let sums = UnsafeMutablePointer<Word>.allocate(capacity: band.capacity)
    defer { sums.deallocate() }
    band.integrate(Word.self, width: width, rows: rows, into: sums)
    runs.withUnsafeBufferPointer { runs in
      cascade.trees.withUnsafeBufferPointer { trees in
        cascade.nodes.withUnsafeBufferPointer { nodes in
          cascade.sets.withUnsafeBufferPointer { sets in
            cascade.leafTables.withUnsafeBufferPointer { tables in
              corners.withUnsafeBufferPointer { corners in
                withUnsafeTemporaryAllocation(of: Double.self, capacity: 64) { totals in
                  // A cascade of deep trees has no tables: their pointer is then never followed.
                  let none = UnsafePointer(totals.baseAddress!)
                  let scanner = PatternScanner<Word>(
                    runs: runs.baseAddress!, runCount: runs.count, scoredRuns: scoredRuns,
                    trees: trees.baseAddress!, nodes: nodes.baseAddress!, sets: sets.baseAddress!,
                    leafTables: tables.baseAddress ?? none,
                    corners: corners.baseAddress!, skipsAfterReject: skipsAfterReject,
                    totals: totals.baseAddress!)
                  for row in 0..<rowCount {
                    scanner.scanRow(sums: sums + row * step, count: columns) { keep(firstRow + row, $0, $1) }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}
