import Imaging

/// Histograms of 18 signed orientations for each cell, with bilinear votes: the first half of `FelzenszwalbHOG`.
///
/// A pixel votes for the 4 cells whose centres surround it. The image is therefore cut into tiles between cell centres:
/// all pixels of a tile vote for the same 4 cells, with 4 weights that depend on the place in the tile alone. A vote is
/// one multiplication and one addition of a vector of 4; a finished tile is transposed and added to its 4 cells.
struct CellHistograms {
  let cell: Int
  /// Values from one cell's place to the next: 32 or more.
  let placeStride: Int
  /// Weights of a tile's pixels (row by row) for its upper left, upper right, lower left and lower right cell.
  private let weights: [SIMD4<Float>]

  /// Vectors of a tile's accumulator: 18 bins, one more that wraps around to bin 0, and padding to whole vectors.
  private static let slotCount = 20
  /// Neighbouring pixels take turns at accumulators of their own: they mostly vote for the same bin, and would wait for
  /// each other's sum to be stored.
  private static let accumulatorCount = 4

  init(cellSize: Int, placeStride: Int) {
    cell = cellSize
    self.placeStride = placeStride
    // Within a tile, the first pixel's centre is half a pixel beyond the cells' centre, or on it where sides are odd.
    let start = cellSize.isMultiple(of: 2) ? 0.5 : 0
    let rising = (0..<cellSize).map { (Double($0) + start) / Double(cellSize) }
    weights = rising.flatMap { down in
      rising.map { across in
        SIMD4(
          Float((1 - down) * (1 - across)), Float((1 - down) * across), Float(down * (1 - across)),
          Float(down * across))
      }
    }
  }

  /// Writes the bins of each cell into the first 20 values of its place (the last two are zero).
  ///
  /// - Parameters:
  ///   - map: the first cell's place; places are `placeStride` apart.
  ///   - rowStride: values from one row of cells to the next.
  func fill(_ map: UnsafeMutablePointer<Float>, rowStride: Int, cells: MapSize, image: ByteImage) {
    // The image's outermost pixels have no gradient.
    let lastRow = min(cells.rows * cell, image.height) - 1
    let lastColumn = min(cells.columns * cell, image.width) - 1
    precondition(lastRow >= 1 && lastColumn >= 1)
    let rows = GradientRows(image, table: (0..<256).map { Float($0) }, columnPadding: 0, rowPadding: 0)
    // Column 0 of the band is the first pixel of the tile that ends at the first cell's centre.
    let lead = cell - cell / 2
    let width = (cells.columns + 1) * cell
    let pixels = (max(width, lead + image.width) + 14) / 8 * 8
    let bandCount = cell * pixels
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * bandCount) { band in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: Self.accumulatorCount * Self.slotCount + 10) {
        scratch in
        weights.withUnsafeBufferPointer { weights in
          let magnitudes = band.baseAddress!
          (magnitudes + bandCount).withMemoryRebound(to: UInt32.self, capacity: bandCount) { slots in
            magnitudes.initialize(repeating: 0, count: bandCount)
            slots.initialize(repeating: 0, count: bandCount)
            for tileRow in 0...cells.rows {
              for y in 0..<cell {
                let row = tileRow * cell - lead + y
                let to = magnitudes + y * pixels
                guard row >= 1 && row < lastRow else {
                  to.update(repeating: 0, count: pixels)
                  continue
                }
                SignedOrientations.write(
                  sides: GradientSides(rows, row: row, first: 1), planeStride: rows.planeStride,
                  planeCount: rows.planeCount, count: lastColumn - 1,
                  magnitudes: to + lead + 1, slots: slots + y * pixels + lead + 1)
                for x in lead + lastColumn..<min(lead + lastColumn + 8, pixels) { to[x] = 0 }
              }
              let place = map + tileRow * rowStride
              addTiles(
                magnitudes, slots, pixels, cells.columns, weights.baseAddress!, scratch.baseAddress!,
                upper: tileRow > 0 ? place - rowStride : nil, lower: tileRow < cells.rows ? place : nil)
            }
          }
        }
      }
    }
  }

  /// Adds a row of tiles to the cells above and below it.
  @inline(never)
  private func addTiles(
    _ magnitudes: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>, _ rowStride: Int, _ columns: Int,
    _ weights: UnsafePointer<SIMD4<Float>>, _ scratch: UnsafeMutablePointer<SIMD4<Float>>,
    upper: UnsafeMutablePointer<Float>?, lower: UnsafeMutablePointer<Float>?
  ) {
    let sums = scratch
    let carriedUp = scratch + Self.accumulatorCount * Self.slotCount
    let carriedDown = carriedUp + 5
    carriedUp.update(repeating: .zero, count: 10)
    for tile in 0...columns {
      if cell == 8 {
        Self.sumTile8(magnitudes + tile * 8, slots + tile * 8, rowStride, weights, sums)
      } else {
        Self.sumTile(magnitudes + tile * cell, slots + tile * cell, rowStride, weights, sums, cell)
      }
      sums[0] += sums[18]
      sums[18] = .zero
      for part in 0..<5 {
        let (upLeft, upRight, downLeft, downRight) = transposed(
          sums[4 * part], sums[4 * part + 1], sums[4 * part + 2], sums[4 * part + 3])
        if tile > 0 {
          let place = (tile - 1) * placeStride + 4 * part
          if let upper { store(load(upper + place) + carriedUp[part] + upLeft, upper + place) }
          if let lower { store(carriedDown[part] + downLeft, lower + place) }
        }
        carriedUp[part] = upRight
        carriedDown[part] = downRight
      }
    }
  }

  /// The usual cells, unrolled.
  @inline(never)
  private static func sumTile8(
    _ magnitudes: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>, _ rowStride: Int,
    _ weights: UnsafePointer<SIMD4<Float>>, _ sums: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    sumTile(magnitudes, slots, rowStride, weights, sums, 8)
  }

  /// Sums a tile's votes in the first accumulator.
  @inline(__always)
  private static func sumTile(
    _ magnitudes: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>, _ rowStride: Int,
    _ weights: UnsafePointer<SIMD4<Float>>, _ sums: UnsafeMutablePointer<SIMD4<Float>>, _ cell: Int
  ) {
    sums.update(repeating: .zero, count: accumulatorCount &* slotCount)
    var magnitude = magnitudes
    var slot = slots
    var weight = weights
    for _ in 0..<cell {
      for x in 0..<cell {
        (sums + (x & (accumulatorCount &- 1)) &* slotCount)[Int(slot[x])] += weight[x] * magnitude[x]
      }
      magnitude += rowStride
      slot += rowStride
      weight += cell
    }
    for slot in 0..<slotCount {
      sums[slot] =
        (sums[slot] + sums[slot &+ slotCount]) + (sums[slot &+ 2 &* slotCount] + sums[slot &+ 3 &* slotCount])
    }
  }
}

@inline(__always)
func transposed(
  _ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>
) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
  (
    SIMD4(a.x, b.x, c.x, d.x), SIMD4(a.y, b.y, c.y, d.y), SIMD4(a.z, b.z, c.z, d.z), SIMD4(a.w, b.w, c.w, d.w)
  )
}
