/// The 31 channels of cells from their histograms: the second half of `FelzenszwalbHOG`.
struct CellChannels {
  let cells: MapSize
  /// Values from one row of cells to the next.
  let rowStride: Int
  /// Values from one cell's place to the next: 32 or more.
  let placeStride: Int

  /// Replaces each cell's 18 bins by its channels, in place.
  func replaceHistograms(_ map: UnsafeMutablePointer<Float>) {
    // Energies with one more row and column on each side, where the nearest cell's stand in.
    let columns = cells.columns + 2
    let count = (cells.rows + 2) * columns
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * count) { buffer in
      let energies = buffer.baseAddress!
      for row in 0..<cells.rows {
        let to = energies + (row + 1) * columns + 1
        for column in 0..<cells.columns { to[column] = energy(map + row * rowStride + column * placeStride) }
        to[-1] = to[0]
        to[cells.columns] = to[cells.columns - 1]
      }
      energies.update(from: energies + columns, count: columns)
      (energies + (cells.rows + 1) * columns).update(from: energies + cells.rows * columns, count: columns)
      // Four cells share a block of 2 x 2; it is kept at its upper left cell.
      let limits = energies + count
      let scales = limits + count
      for block in 0..<count - columns - 1 {
        let sum =
          (energies[block] + energies[block + 1]) + (energies[block + columns] + energies[block + columns + 1])
        limits[block] = 0.2 * (sum + 0.0001).squareRoot()
        scales[block] = 0.1 / limits[block]
      }
      for row in 0..<cells.rows {
        replaceRow(map + row * rowStride, limits + row * columns, scales + row * columns, columns)
      }
    }
  }

  /// The squared norm of the 9 unsigned bins.
  @inline(__always)
  private func energy(_ bins: UnsafePointer<Float>) -> Float {
    let first = load(bins) + load(bins + 9)
    let second = load(bins + 4) + load(bins + 13)
    let last = bins[8] + bins[17]
    return (first * first + second * second).sum() + last * last
  }

  /// - Parameters:
  ///   - limits, scales: of the blocks up and to the left of each cell; rows are `columns` apart.
  @inline(never)
  private func replaceRow(
    _ row: UnsafeMutablePointer<Float>, _ limits: UnsafePointer<Float>, _ scales: UnsafePointer<Float>, _ columns: Int
  ) {
    typealias Vector = SIMD4<Float>
    withUnsafeTemporaryAllocation(of: Vector.self, capacity: 4) { totals in
      let totals = totals.baseAddress!
      for column in 0..<cells.columns {
        let bins = row + column * placeStride
        let downRight = column + columns + 1
        let limit0 = Vector(repeating: limits[downRight])
        let limit1 = Vector(repeating: limits[column + 1])
        let limit2 = Vector(repeating: limits[downRight - 1])
        let limit3 = Vector(repeating: limits[column])
        let scale0 = Vector(repeating: scales[downRight])
        let scale1 = Vector(repeating: scales[column + 1])
        let scale2 = Vector(repeating: scales[downRight - 1])
        let scale3 = Vector(repeating: scales[column])
        @inline(__always)
        func weighted(_ c0: Vector, _ c1: Vector, _ c2: Vector, _ c3: Vector) -> Vector {
          (c0 * scale0 + c1 * scale1) + (c2 * scale2 + c3 * scale3)
        }
        @inline(__always)
        func clipped(_ value: Vector) -> Vector {
          weighted(smaller(value, limit0), smaller(value, limit1), smaller(value, limit2), smaller(value, limit3))
        }
        let unsigned0 = load(bins) + load(bins + 9)
        let unsigned1 = load(bins + 4) + load(bins + 13)
        let unsigned2 = Vector(repeating: bins[8] + bins[17])
        var total0 = Vector.zero
        var total1 = Vector.zero
        var total2 = Vector.zero
        var total3 = Vector.zero
        for part in 0..<5 {
          let value = load(bins + 4 * part)
          let c0 = smaller(value, limit0)
          let c1 = smaller(value, limit1)
          let c2 = smaller(value, limit2)
          let c3 = smaller(value, limit3)
          total0 += c0
          total1 += c1
          total2 += c2
          total3 += c3
          store(weighted(c0, c1, c2, c3), bins + 4 * part)
        }
        store(clipped(unsigned0), bins + 18)
        store(clipped(unsigned1), bins + 22)
        store(clipped(unsigned2), bins + 26)
        totals[0] = total0 * scale0
        totals[1] = total1 * scale1
        totals[2] = total2 * scale2
        totals[3] = total3 * scale3
        Self.storeTextures(totals, bins + 27)
        bins[31] = 0
      }
    }
  }

  /// Sums each of 4 vectors. Apart from the loop above, because the compiler would otherwise transpose the vectors in
  /// every one of its steps to make this sum easy.
  @inline(never)
  private static func storeTextures(_ totals: UnsafePointer<SIMD4<Float>>, _ textures: UnsafeMutablePointer<Float>) {
    let (t0, t1, t2, t3) = transposed(totals[0], totals[1], totals[2], totals[3])
    store(((t0 + t1) + (t2 + t3)) * (2 * 0.2357), textures)
  }
}
