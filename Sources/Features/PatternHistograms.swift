import Imaging

/// Histograms of uniform patterns for each cell, with bilinear votes: the second half of `PatternedHOG`.
///
/// Votes are laid out as in `CellHistograms`: the pixels of a tile between cell centres vote for the same 4 cells.
/// Their weights are whole numbers, so that sums are exact in any order (cells of up to 32 pixels) and mirroring is, too.
struct PatternHistograms {
  let cell: Int
  /// Values from one cell's place to the next.
  let placeStride: Int
  /// The norm of a cell's histogram.
  let norm: Float
  /// Weights of a tile's pixels (row by row) for its upper left, upper right, lower left and lower right cell.
  private let weights: [SIMD4<Float>]

  /// Bins, padded to whole vectors.
  private static let slotCount = (UniformPatterns.binCount + 3) / 4 * 4

  init(cellSize: Int, placeStride: Int, norm: Float) {
    cell = cellSize
    self.placeStride = placeStride
    self.norm = norm
    let start = cellSize.isMultiple(of: 2) ? 1 : 0
    let rising = (0..<cellSize).map { 2 * $0 + start }
    weights = rising.flatMap { down in
      rising.map { across in
        let (up, back) = (2 * cellSize - down, 2 * cellSize - across)
        return SIMD4(Float(up * back), Float(up * across), Float(down * back), Float(down * across))
      }
    }
  }

  /// Adds up the bins of each cell, then replaces them by `norm` times the square root of their shares.
  ///
  /// - Parameters:
  ///   - map: the first bin of the first cell, zeros in all cells; a value behind the bins is overwritten, too.
  ///   - rowStride: values from one row of cells to the next.
  ///   - image: grey, more than 2 pixels a side. Its outermost pixels have no pattern.
  func fill(_ map: UnsafeMutablePointer<Float>, rowStride: Int, cells: MapSize, image: ByteImage) {
    precondition(image.channelCount == 1 && image.width > 2 && image.height > 2)
    let lastRow = min(cells.rows * cell, image.height) - 1
    let lastColumn = min(cells.columns * cell, image.width) - 1
    precondition(lastRow >= 1 && lastColumn >= 1)
    let lead = cell - cell / 2
    let width = image.width
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: cell * width) { band in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: Self.slotCount) { sums in
        let codes = band.baseAddress!
        image.pixels.withUnsafeBufferPointer { pixels in
          for tileRow in 0...cells.rows {
            let first = tileRow * cell - lead
            let begin = max(first, 1)
            let rows = begin..<max(begin, min(first + cell, lastRow))
            for y in rows {
              Self.writeCodes(
                of: pixels.baseAddress! + y * width, rowStride: width, columns: 1..<lastColumn,
                to: codes + (y - first) * width)
            }
            let place = map + tileRow * rowStride
            addTiles(
              codes, width, rows: rows.lowerBound - first..<rows.upperBound - first, lastColumn: lastColumn,
              columns: cells.columns, sums.baseAddress!, upper: tileRow > 0 ? place - rowStride : nil,
              lower: tileRow < cells.rows ? place : nil)
          }
        }
      }
    }
    for row in 0..<cells.rows {
      for column in 0..<cells.columns { normalise(map + row * rowStride + column * placeStride) }
    }
  }

  /// A loop over bytes without branches, which the compiler turns into vectors of 16.
  @inline(never)
  private static func writeCodes(
    of middle: UnsafePointer<UInt8>, rowStride: Int, columns: Range<Int>, to codes: UnsafeMutablePointer<UInt8>
  ) {
    // Pointers to each neighbour: an index that is added to may overflow, and the check would keep vectors away.
    let (right, left) = (middle + 1, middle - 1)
    let (up, down) = (middle - rowStride, middle + rowStride)
    let (upLeft, upRight, downLeft, downRight) = (up - 1, up + 1, down - 1, down + 1)
    for x in columns {
      let centre = middle[x]
      var code: UInt8 = right[x] >= centre ? 1 : 0
      code |= downRight[x] >= centre ? 2 : 0
      code |= down[x] >= centre ? 4 : 0
      code |= downLeft[x] >= centre ? 8 : 0
      code |= left[x] >= centre ? 16 : 0
      code |= upLeft[x] >= centre ? 32 : 0
      code |= up[x] >= centre ? 64 : 0
      code |= upRight[x] >= centre ? 128 : 0
      codes[x] = code
    }
  }

  /// Adds a row of tiles to the cells above and below it.
  ///
  /// - Parameters:
  ///   - codes: of the tiles' pixels, `width` a row; those of `rows` and of columns 1 to `lastColumn` are there.
  @inline(never)
  private func addTiles(
    _ codes: UnsafePointer<UInt8>, _ width: Int, rows: Range<Int>, lastColumn: Int, columns: Int,
    _ sums: UnsafeMutablePointer<SIMD4<Float>>, upper: UnsafeMutablePointer<Float>?,
    lower: UnsafeMutablePointer<Float>?
  ) {
    let lead = cell - cell / 2
    UniformPatterns.bins.withUnsafeBufferPointer { bins in
      weights.withUnsafeBufferPointer { weights in
        let bins = bins.baseAddress!
        let weights = weights.baseAddress!
        for tile in 0...columns {
          sums.update(repeating: .zero, count: Self.slotCount)
          let first = tile * cell - lead
          let begin = max(first, 1)
          let end = min(first + cell, lastColumn)
          if begin >= end { continue }
          for y in rows {
            let row = codes + y * width
            let weight = weights + y * cell - first
            for x in begin..<end { sums[Int(bins[Int(row[x])])] += weight[x] }
          }
          for slot in stride(from: 0, to: Self.slotCount, by: 4) {
            let (upLeft, upRight, downLeft, downRight) = transposed(
              sums[slot], sums[slot + 1], sums[slot + 2], sums[slot + 3])
            let right = tile * placeStride + slot
            let left = right - placeStride
            if let upper {
              if tile > 0 { store(load(upper + left) + upLeft, upper + left) }
              if tile < columns { store(load(upper + right) + upRight, upper + right) }
            }
            if let lower {
              if tile > 0 { store(load(lower + left) + downLeft, lower + left) }
              if tile < columns { store(load(lower + right) + downRight, lower + right) }
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private func normalise(_ bins: UnsafeMutablePointer<Float>) {
    var total = SIMD4<Float>.zero
    for slot in stride(from: 0, to: Self.slotCount, by: 4) { total += load(bins + slot) }
    let sum = total.sum()
    guard sum > 0 else { return }
    // Roots and divisions cost as much for 8 values as for 4; the last 4 of 60 are left.
    let pairs = Self.slotCount / 8 * 8
    var slot = 0
    while slot < pairs {
      store((load8(bins + slot) / sum).squareRoot() * norm, bins + slot)
      slot &+= 8
    }
    while slot < Self.slotCount {
      store((load(bins + slot) / sum).squareRoot() * norm, bins + slot)
      slot &+= 4
    }
  }
}
