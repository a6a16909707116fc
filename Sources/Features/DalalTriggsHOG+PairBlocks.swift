import Geometry
import Imaging

/// The block map of 2 x 2 cells a block with a stride of one cell.
///
/// The image is cut into tiles of one cell's side. A tile's pixels belong to 4 blocks and to 4 cells in each, with
/// weights that are products of a factor across and one down. There are four factors for a pixel in a tile: as the
/// left part of a block, for its left (0) and right (1) cell, and as the right part, again for both (2, 3). So a tile
/// row is first summed across with all four at once, one vector a bin; the tile's rows are then summed down with the
/// same four (`PairBlocks+TileSums.swift`); and each quarter of the 4 x 4 sums goes to one block.
struct PairBlocks {
  let hog: DalalTriggsHOG
  let cell: Int
  let bins: Int
  /// Vectors of 4 that a row's sums take: a slot for each bin and one on either side (see `OrientationVotes`), and one more
  /// where that makes whole vectors of 8.
  let slotCount: Int
  /// The four factors of each of a tile's columns.
  let factorsAcross: [SIMD4<Float>]
  /// Four vectors for each of a tile's rows, each of one factor repeated.
  let factorsDown: [SIMD8<Float>]

  init(_ hog: DalalTriggsHOG) {
    precondition(hog.blockCells == 2 && hog.blockStride == hog.cellSize)
    self.hog = hog
    cell = hog.cellSize
    bins = hog.binCount
    slotCount = (hog.binCount + 3) / 2 * 2
    let axis = hog.axisWeights()
    factorsAcross = (0..<hog.cellSize).map {
      SIMD4(axis[0][$0], axis[1][$0], axis[0][$0 + hog.cellSize], axis[1][$0 + hog.cellSize])
    }
    factorsDown = factorsAcross.flatMap { factors in (0..<4).map { SIMD8(repeating: factors[$0]) } }
  }

  func fill(_ map: inout FeatureMap, image: ByteImage, padding: PixelSize) {
    let tiles = map.columns + 1
    let width = tiles * cell
    let pixels = (width + 7) / 8 * 8
    // Where a tile is as wide as a vector its pixels lie together, so that their distances are constants.
    let tileRow = cell == 8 ? 8 : pixels
    let tileStride = cell == 8 ? 64 : cell
    let rows = GradientRows(
      image, table: hog.gammaTable, difference: hog.colourDifference, reach: hog.reach, columnPadding: padding.width,
      rowPadding: padding.height)
    let votes = OrientationVotes(binCount: bins, signed: hog.orientation == .signed)
    let bandCount = cell * pixels
    // A tile's rows, its sums, and those of the tile to the left; a row of blocks' squares.
    let vectors = (cell + 8) * slotCount + (map.columns + 3)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * bandCount + 2 * pixels) { band in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: vectors) { scratch in
        let gradients = band.baseAddress!
        let firsts = gradients + 2 * pixels
        let seconds = firsts + bandCount
        let work = scratch.baseAddress!
        let squares = work + (cell + 8) * slotCount
        squares.initialize(repeating: .zero, count: map.columns + 3)
        (seconds + bandCount).withMemoryRebound(to: UInt32.self, capacity: bandCount) { slots in
          map.values.withUnsafeMutableBufferPointer { values in
            for line in 0...map.rows {
              for y in 0..<cell {
                let row = line * cell + y
                let first = y * tileRow
                votes.write(
                  sides: GradientSides(rows, row: row), planeStride: rows.planeStride, planeCount: rows.planeCount,
                  count: width, gradients: gradients,
                  firsts: firsts + first, seconds: seconds + first, slots: slots + first,
                  vectorStride: cell == 8 ? 64 : 8)
              }
              let place = values.baseAddress! + line * map.columns * map.channelStride
              for tile in 0..<tiles {
                let first = tile * tileStride
                let sums = work + (cell + 4 * (tile & 1)) * slotCount
                let left = work + (cell + 4 * (1 - tile & 1)) * slotCount
                sumTile(firsts + first, seconds + first, slots + first, tileRow, rows: work, into: sums)
                guard tile > 0 else { continue }
                deliver(
                  left, sums, top: line < map.rows ? place + (tile - 1) * map.channelStride : nil,
                  bottom: line > 0 ? place + (tile - 1 - map.columns) * map.channelStride : nil,
                  squares: squares + (tile - 1))
              }
              if line > 0 {
                normalise(place - map.columns * map.channelStride, count: map.columns, squares: squares)
              }
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private func deliver(
    _ left: UnsafePointer<SIMD4<Float>>, _ right: UnsafePointer<SIMD4<Float>>, top: UnsafeMutablePointer<Float>?,
    bottom: UnsafeMutablePointer<Float>?, squares: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    if bins == 9 {
      Self.deliver9(left, right, top: top, bottom: bottom, squares: squares)
    } else {
      Self.deliver(left, right, bins, slotCount, top: top, bottom: bottom, squares: squares)
    }
  }

  /// The usual bins, unrolled.
  @inline(never)
  private static func deliver9(
    _ left: UnsafePointer<SIMD4<Float>>, _ right: UnsafePointer<SIMD4<Float>>, top: UnsafeMutablePointer<Float>?,
    bottom: UnsafeMutablePointer<Float>?, squares: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    deliver(left, right, 9, 12, top: top, bottom: bottom, squares: squares)
  }

  /// Hands the sums of two neighbouring tiles to the two blocks that have both.
  ///
  /// - Parameters:
  ///   - top: the block whose upper half the tiles are; its lower half comes with the next tile row.
  ///   - bottom: the block whose lower half the tiles are, which is then complete.
  ///   - squares: takes the squares of the bottom block's values, in sums of every fourth.
  @inline(__always)
  private static func deliver(
    _ left: UnsafePointer<SIMD4<Float>>, _ right: UnsafePointer<SIMD4<Float>>, _ bins: Int, _ slotCount: Int,
    top: UnsafeMutablePointer<Float>?, bottom: UnsafeMutablePointer<Float>?,
    squares: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    /// A bin's sums in the 4 cells of a block: of the left tile those for blocks that begin with it, of the right tile those
    /// for blocks that end with it.
    @inline(__always)
    func both(_ factor: Int, _ bin: Int) -> SIMD4<Float> {
      let first = factor &* slotCount &+ bin &+ 1
      let second = first &+ slotCount
      return SIMD4(lowHalf: left[first].lowHalf, highHalf: left[second].lowHalf)
        + SIMD4(lowHalf: right[first].highHalf, highHalf: right[second].highHalf)
    }
    if let top {
      for bin in 0..<bins { store(both(0, bin), top + 4 &* bin) }
    }
    if let bottom {
      var sum = SIMD4<Float>.zero
      for bin in 0..<bins {
        let value = load(bottom + 4 &* bin) + both(2, bin)
        store(value, bottom + 4 &* bin)
        sum += value * value
      }
      squares[0] = sum
    }
  }

  /// L2-Hys with OpenCV's constants for a row of blocks.
  ///
  /// Four blocks at a time: a block alone would wait for two roots and two divisions one after the other.
  /// - Parameter squares: of each block, as `deliver` leaves them; room for three more behind the last. Overwritten.
  @inline(never)
  private func normalise(
    _ blocks: UnsafeMutablePointer<Float>, count: Int, squares: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    let values = 4 &* bins
    let clip = SIMD4<Float>(repeating: hog.clip)
    var first = 0
    while first < count {
      let group = squares + first
      let end = min(first &+ 4, count) &- first
      let scales = Self.reciprocalLengths(group, plus: Float(values) * 0.1)
      for index in 0..<end {
        let block = blocks + (first &+ index) &* values
        let scale = scales[index]
        var sum = SIMD4<Float>.zero
        for bin in 0..<bins {
          let clipped = smaller(load(block + 4 &* bin) * scale, clip)
          store(clipped, block + 4 &* bin)
          sum += clipped * clipped
        }
        group[index] = sum
      }
      let seconds = Self.reciprocalLengths(group, plus: 1e-3)
      for index in 0..<end {
        let block = blocks + (first &+ index) &* values
        let scale = seconds[index]
        for bin in 0..<bins { store(load(block + 4 &* bin) * scale, block + 4 &* bin) }
      }
      first &+= 4
    }
  }

  /// For each of four vectors of squares, one over the root of its sum and a constant.
  @inline(__always)
  private static func reciprocalLengths(
    _ squares: UnsafePointer<SIMD4<Float>>, plus constant: Float
  ) -> SIMD4<Float> {
    let (a, b, c, d) = transposed(squares[0], squares[1], squares[2], squares[3])
    let sums = (a + b) + (c + d)
    return 1 / (SIMD4(sums.x.squareRoot(), sums.y.squareRoot(), sums.z.squareRoot(), sums.w.squareRoot()) + constant)
  }
}

extension DalalTriggsHOG {
  /// The value of each pixel value that gradients are taken of.
  var gammaTable: [Float] {
    (0..<256).map { gamma == .squareRoot ? Float($0).squareRoot() : Float($0) }
  }
}
