/// The 31 channels of cells from their histograms: the second half of `FelzenszwalbHOG`.
struct CellChannels {
  let cells: MapSize
  /// Values from one row of cells to the next.
  let rowStride: Int

  private static let stride = FelzenszwalbHOG.channelStride

  /// Replaces each cell's 18 bins by its channels, in place.
  func replaceHistograms(_ map: UnsafeMutablePointer<Float>) {
    // Energies with one more row and column on each side, where the nearest cell's stand in.
    let columns = cells.columns + 2
    withUnsafeTemporaryAllocation(of: Float.self, capacity: (cells.rows + 2) * columns) { buffer in
      let energies = buffer.baseAddress!
      for row in 0..<cells.rows {
        let to = energies + (row + 1) * columns + 1
        for column in 0..<cells.columns { to[column] = energy(map + row * rowStride + column * Self.stride) }
        to[-1] = to[0]
        to[cells.columns] = to[cells.columns - 1]
      }
      energies.update(from: energies + columns, count: columns)
      (energies + (cells.rows + 1) * columns).update(from: energies + cells.rows * columns, count: columns)
      for row in 0..<cells.rows { replaceRow(map + row * rowStride, energies + (row + 1) * columns + 1, columns) }
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

  /// - Parameter energies: the row's own; rows are `columns` apart.
  @inline(never)
  private func replaceRow(_ row: UnsafeMutablePointer<Float>, _ energies: UnsafePointer<Float>, _ columns: Int) {
    typealias Vector = SIMD4<Float>
    let texture = Vector(repeating: 0.2357 * 2)
    for column in 0..<cells.columns {
      let e = energies + column
      let up = e - columns
      let down = e + columns
      let upPair = up[0] + e[0]
      let downPair = down[0] + e[0]
      let left = Vector(0, 0, down[-1] + e[-1], up[-1] + e[-1])
      let sums = Vector(downPair, upPair, downPair, upPair) + left + Vector(down[1] + e[1], up[1] + e[1], 0, 0)
      let limits = 0.2 * (sums + 0.0001).squareRoot()
      let scales = 0.1 / limits
      let bins = row + column * Self.stride
      let limit0 = Vector(repeating: limits.x)
      let limit1 = Vector(repeating: limits.y)
      let limit2 = Vector(repeating: limits.z)
      let limit3 = Vector(repeating: limits.w)
      var total0 = Vector.zero
      var total1 = Vector.zero
      var total2 = Vector.zero
      var total3 = Vector.zero
      @inline(__always)
      func clipped(_ value: Vector, _ limit: Vector) -> Vector { smaller(value, limit) }
      @inline(__always)
      func weighted(_ c0: Vector, _ c1: Vector, _ c2: Vector, _ c3: Vector) -> Vector {
        (c0 * scales.x + c1 * scales.y) + (c2 * scales.z + c3 * scales.w)
      }
      let unsigned0 = load(bins) + load(bins + 9)
      let unsigned1 = load(bins + 4) + load(bins + 13)
      let unsigned2 = bins[8] + bins[17]
      for part in 0..<5 {
        let value = load(bins + 4 * part)
        let c0 = clipped(value, limit0)
        let c1 = clipped(value, limit1)
        let c2 = clipped(value, limit2)
        let c3 = clipped(value, limit3)
        total0 += c0
        total1 += c1
        total2 += c2
        total3 += c3
        store(weighted(c0, c1, c2, c3), bins + 4 * part)
      }
      store(
        weighted(
          clipped(unsigned0, limit0), clipped(unsigned0, limit1), clipped(unsigned0, limit2),
          clipped(unsigned0, limit3)), bins + 18)
      store(
        weighted(
          clipped(unsigned1, limit0), clipped(unsigned1, limit1), clipped(unsigned1, limit2),
          clipped(unsigned1, limit3)), bins + 22)
      let last = clipped(Vector(repeating: unsigned2), limits) * scales
      bins[26] = last.sum()
      let (t0, t1, t2, t3) = transposed(total0, total1, total2, total3)
      store((t0 + t1 + t2 + t3) * scales * texture, bins + 27)
      bins[31] = 0
    }
  }
}
