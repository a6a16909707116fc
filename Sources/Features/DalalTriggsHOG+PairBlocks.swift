import Geometry
import Imaging

/// The block map of 2 x 2 cells a block with a stride of one cell.
///
/// The image is cut into tiles of one cell's side. A tile's pixels belong to 4 blocks and to 4 cells in each, with
/// weights that are products of a factor across and one down. There are four factors for a pixel in a tile: as the
/// left part of a block, for its left (0) and right (1) cell, and as the right part, again for both (2, 3). So a tile
/// row is first summed across with all four at once, one vector a bin; the tile's rows are then summed down with the
/// same four; and each quarter of the 4 x 4 sums goes to one block.
struct PairBlocks {
  let hog: DalalTriggsHOG
  let cell: Int
  let bins: Int
  /// Accumulators of one tile row: a slot for each bin and one on either side (see `OrientationVotes`).
  let slotCount: Int
  /// The four factors of each of a tile's pixels; then each of them again, repeated over a vector.
  let factors: [SIMD4<Float>]

  init(_ hog: DalalTriggsHOG) {
    precondition(hog.blockCells == 2 && hog.blockStride == hog.cellSize)
    self.hog = hog
    cell = hog.cellSize
    bins = hog.binCount
    slotCount = hog.binCount + 2
    let axis = hog.axisWeights()
    let across = (0..<hog.cellSize).map {
      SIMD4(axis[0][$0], axis[1][$0], axis[0][$0 + hog.cellSize], axis[1][$0 + hog.cellSize])
    }
    factors = across + across.flatMap { factor in (0..<4).map { SIMD4(repeating: factor[$0]) } }
  }

  func fill(_ map: inout FeatureMap, image: ByteImage, padding: PixelSize) {
    let tiles = map.columns + 1
    let width = tiles * cell
    let pixels = (width + 3) / 4 * 4
    let rows = GradientRows(
      image, table: hog.gammaTable, columnPadding: padding.width, rowPadding: padding.height)
    let votes = OrientationVotes(binCount: bins, signed: hog.orientation == .signed)
    let bandCount = cell * pixels
    let vectors = cell * slotCount + 4 * slotCount + 2 * bins
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * bandCount) { band in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: vectors) { scratch in
        let magnitudes = band.baseAddress!
        let seconds = magnitudes + bandCount
        let work = scratch.baseAddress!
        (seconds + bandCount).withMemoryRebound(to: UInt32.self, capacity: bandCount) { slots in
          map.values.withUnsafeMutableBufferPointer { values in
            factors.withUnsafeBufferPointer { factors in
              for tileRow in 0...map.rows {
                for y in 0..<cell {
                  let row = tileRow * cell + y
                  votes.write(
                    up: rows.row(row - 1), middle: rows.row(row), down: rows.row(row + 1),
                    planeStride: rows.planeStride, planeCount: rows.planeCount, count: width,
                    magnitudes: magnitudes + y * pixels, seconds: seconds + y * pixels, slots: slots + y * pixels)
                }
                let place = values.baseAddress! + tileRow * map.columns * map.channelStride
                for tile in 0..<tiles {
                  let x = tile * cell
                  sumTile(magnitudes + x, seconds + x, slots + x, pixels, factors.baseAddress!, work)
                  deliver(
                    work + cell * slotCount, carried: work + (cell + 4) * slotCount,
                    top: tileRow < map.rows && tile > 0 ? place + (tile - 1) * map.channelStride : nil,
                    bottom: tileRow > 0 && tile > 0
                      ? place + (tile - 1 - map.columns) * map.channelStride : nil)
                }
              }
            }
          }
        }
      }
    }
  }

  /// Sums a tile's votes across and down; the usual cells of 8 pixels with 9 bins have loops of their own, unrolled.
  @inline(__always)
  private func sumTile(
    _ magnitudes: UnsafePointer<Float>, _ seconds: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>,
    _ rowStride: Int, _ factors: UnsafePointer<SIMD4<Float>>, _ rows: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    if cell == 8 && slotCount == 11 {
      Self.sumAcross8(magnitudes, seconds, slots, rowStride, factors, rows)
      Self.sumDown8(rows, factors + 8, rows + 8 * 11)
    } else {
      Self.sumAcross(magnitudes, seconds, slots, rowStride, factors, rows, cell, slotCount, rowsAtOnce: 1)
      Self.sumDown(rows, factors + cell, rows + cell * slotCount, cell, slotCount)
    }
  }

  @inline(never)
  private static func sumAcross8(
    _ magnitudes: UnsafePointer<Float>, _ seconds: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>,
    _ rowStride: Int, _ factors: UnsafePointer<SIMD4<Float>>, _ sums: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    sumAcross(magnitudes, seconds, slots, rowStride, factors, sums, 8, 11, rowsAtOnce: 2)
  }

  @inline(never)
  private static func sumDown8(
    _ rows: UnsafePointer<SIMD4<Float>>, _ factors: UnsafePointer<SIMD4<Float>>,
    _ sums: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    sumDown(rows, factors, sums, 8, 11)
  }

  /// One vector a bin for each row of a tile: the sums over its pixels with the four factors.
  ///
  /// - Parameter rowsAtOnce: rows that are gone through side by side, a divisor of `cell`. Neighbours in a row mostly
  ///   vote for the same bin, and would wait for each other's sum to be stored.
  @inline(__always)
  private static func sumAcross(
    _ magnitudes: UnsafePointer<Float>, _ seconds: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>,
    _ rowStride: Int, _ factors: UnsafePointer<SIMD4<Float>>, _ sums: UnsafeMutablePointer<SIMD4<Float>>,
    _ cell: Int, _ slotCount: Int, rowsAtOnce: Int
  ) {
    sums.update(repeating: .zero, count: cell &* slotCount)
    var row = sums
    var magnitude = magnitudes
    var second = seconds
    var slot = slots
    for _ in 0..<cell / rowsAtOnce {
      for x in 0..<cell {
        let factor = factors[x]
        for y in 0..<rowsAtOnce {
          let pixel = y &* rowStride &+ x
          let place = row + (Int(slot[pixel]) &+ y &* slotCount)
          let share = factor * second[pixel]
          place[1] += share
          place[0] += factor * magnitude[pixel] - share
        }
      }
      row += rowsAtOnce &* slotCount
      magnitude += rowsAtOnce &* rowStride
      second += rowsAtOnce &* rowStride
      slot += rowsAtOnce &* rowStride
    }
  }

  /// The rows' sums with the four factors down: `sums[factor * slotCount + slot]`.
  ///
  /// - Parameter factors: four vectors a row, each of one factor repeated.
  @inline(__always)
  private static func sumDown(
    _ rows: UnsafePointer<SIMD4<Float>>, _ factors: UnsafePointer<SIMD4<Float>>,
    _ sums: UnsafeMutablePointer<SIMD4<Float>>, _ cell: Int, _ slotCount: Int
  ) {
    let middle = (cell &+ 1) / 2
    for slot in 0..<slotCount {
      var s0 = SIMD4<Float>.zero
      var s1 = SIMD4<Float>.zero
      var s2 = SIMD4<Float>.zero
      var s3 = SIMD4<Float>.zero
      var row = rows + slot
      var factor = factors
      // Of the factors 1 and 2 one is zero in either half.
      for _ in 0..<middle {
        let value = row[0]
        s0 += value * factor[0]
        s2 += value * factor[2]
        s3 += value * factor[3]
        row += slotCount
        factor += 4
      }
      for _ in middle..<cell {
        let value = row[0]
        s0 += value * factor[0]
        s1 += value * factor[1]
        s3 += value * factor[3]
        row += slotCount
        factor += 4
      }
      sums[slot] = s0
      sums[slotCount &+ slot] = s1
      sums[2 &* slotCount &+ slot] = s2
      sums[3 &* slotCount &+ slot] = s3
    }
    for factor in 0..<4 {
      let part = sums + factor &* slotCount
      part[1] += part[slotCount &- 1]
      part[slotCount &- 2] += part[0]
    }
  }

  /// Hands a tile's sums to the two blocks that end with it, and keeps those of the two that begin with it.
  ///
  /// - Parameters:
  ///   - carried: what the tile to the left kept: `bins` vectors for the block below, `bins` for the one above.
  ///   - top: the block whose upper right part the tile is; its lower half comes with the next tile row.
  ///   - bottom: the block whose lower right part the tile is, which is then complete and is normalised.
  @inline(never)
  private func deliver(
    _ sums: UnsafePointer<SIMD4<Float>>, carried: UnsafeMutablePointer<SIMD4<Float>>,
    top: UnsafeMutablePointer<Float>?, bottom: UnsafeMutablePointer<Float>?
  ) {
    let upper0 = sums + 1
    let upper1 = upper0 + slotCount
    let lower0 = upper1 + slotCount
    let lower1 = lower0 + slotCount
    let carriedBelow = carried + bins
    if let top {
      for bin in 0..<bins {
        store(carried[bin] + SIMD4(lowHalf: upper0[bin].highHalf, highHalf: upper1[bin].highHalf), top + 4 * bin)
      }
    }
    if let bottom {
      var squares = SIMD4<Float>.zero
      for bin in 0..<bins {
        let value =
          load(bottom + 4 * bin) + carriedBelow[bin]
          + SIMD4(lowHalf: lower0[bin].highHalf, highHalf: lower1[bin].highHalf)
        store(value, bottom + 4 * bin)
        squares += value * value
      }
      normalise(bottom, squares: squares.sum())
    }
    for bin in 0..<bins {
      carried[bin] = SIMD4(lowHalf: upper0[bin].lowHalf, highHalf: upper1[bin].lowHalf)
      carriedBelow[bin] = SIMD4(lowHalf: lower0[bin].lowHalf, highHalf: lower1[bin].lowHalf)
    }
  }

  /// L2-Hys with OpenCV's constants.
  @inline(__always)
  private func normalise(_ block: UnsafeMutablePointer<Float>, squares: Float) {
    let first = 1 / (squares.squareRoot() + Float(4 * bins) * 0.1)
    let clip = SIMD4<Float>(repeating: hog.clip)
    var clippedSquares = SIMD4<Float>.zero
    for bin in 0..<bins {
      let scaled = load(block + 4 * bin) * first
      let clipped = smaller(scaled, clip)
      store(clipped, block + 4 * bin)
      clippedSquares += clipped * clipped
    }
    let second = 1 / (clippedSquares.sum().squareRoot() + 1e-3)
    for bin in 0..<bins { store(load(block + 4 * bin) * second, block + 4 * bin) }
  }
}

extension DalalTriggsHOG {
  /// The value of each pixel value that gradients are taken of.
  var gammaTable: [Float] {
    (0..<256).map { gamma == .squareRoot ? Float($0).squareRoot() : Float($0) }
  }
}
