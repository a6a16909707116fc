extension PairBlocks {
  /// A tile's votes summed across and down: `sums[factor down * slotCount + slot]`, a vector of the factors across.
  ///
  /// The usual cells of 8 pixels with 9 bins have loops of their own, unrolled.
  /// - Parameters:
  ///   - firsts, seconds, slots: the tile's first pixel in a band of `OrientationVotes`, whose rows are `rowStride` apart.
  ///   - rows: room for `cell * slotCount` vectors.
  ///   - sums: room for `4 * slotCount` vectors.
  @inline(__always)
  func sumTile(
    _ firsts: UnsafePointer<Float>, _ seconds: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>, _ rowStride: Int,
    rows: UnsafeMutablePointer<SIMD4<Float>>, into sums: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    factorsAcross.withUnsafeBufferPointer { across in
      factorsDown.withUnsafeBufferPointer { down in
        if cell == 8 && bins == 9 {
          Self.sumAcross8(firsts, seconds, slots, across.baseAddress!, rows)
          Self.sumDown8(rows, down.baseAddress!, sums)
        } else {
          Self.sumAcross(firsts, seconds, slots, rowStride, across.baseAddress!, rows, cell, slotCount)
          Self.sumDown(rows, down.baseAddress!, sums, cell, slotCount)
        }
      }
    }
    for factor in 0..<4 {
      let part = sums + factor &* slotCount
      part[1] += part[bins &+ 1]
      part[bins] += part[0]
    }
  }

  @inline(never)
  private static func sumAcross8(
    _ firsts: UnsafePointer<Float>, _ seconds: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>,
    _ factors: UnsafePointer<SIMD4<Float>>, _ sums: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    sumAcross(firsts, seconds, slots, 8, factors, sums, 8, 12)
  }

  /// Four slots at a time: the factors, read once for them, would otherwise be half of all that is read.
  @inline(never)
  private static func sumDown8(
    _ rows: UnsafePointer<SIMD4<Float>>, _ factors: UnsafePointer<SIMD8<Float>>,
    _ sums: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    let stride: Int = 192
    let rows = UnsafeRawPointer(rows)
    let sums = UnsafeMutableRawPointer(sums)
    for four in 0..<3 {
      var (a0, a1, a2, a3) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
      var (b0, b1, b2, b3) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
      let first = rows + 64 &* four
      // Of the factors 1 and 2 one is zero in either half.
      for row in 0..<4 {
        let a = first.loadUnaligned(fromByteOffset: row &* stride, as: SIMD8<Float>.self)
        let b = first.loadUnaligned(fromByteOffset: row &* stride &+ 32, as: SIMD8<Float>.self)
        let (f0, f2, f3) = (factors[4 &* row], factors[4 &* row &+ 2], factors[4 &* row &+ 3])
        a0 += a * f0
        b0 += b * f0
        a2 += a * f2
        b2 += b * f2
        a3 += a * f3
        b3 += b * f3
      }
      for row in 4..<8 {
        let a = first.loadUnaligned(fromByteOffset: row &* stride, as: SIMD8<Float>.self)
        let b = first.loadUnaligned(fromByteOffset: row &* stride &+ 32, as: SIMD8<Float>.self)
        let (f0, f1, f3) = (factors[4 &* row], factors[4 &* row &+ 1], factors[4 &* row &+ 3])
        a0 += a * f0
        b0 += b * f0
        a1 += a * f1
        b1 += b * f1
        a3 += a * f3
        b3 += b * f3
      }
      let place = sums + 64 &* four
      place.storeBytes(of: a0, as: SIMD8<Float>.self)
      place.storeBytes(of: b0, toByteOffset: 32, as: SIMD8<Float>.self)
      place.storeBytes(of: a1, toByteOffset: stride, as: SIMD8<Float>.self)
      place.storeBytes(of: b1, toByteOffset: stride &+ 32, as: SIMD8<Float>.self)
      place.storeBytes(of: a2, toByteOffset: 2 &* stride, as: SIMD8<Float>.self)
      place.storeBytes(of: b2, toByteOffset: 2 &* stride &+ 32, as: SIMD8<Float>.self)
      place.storeBytes(of: a3, toByteOffset: 3 &* stride, as: SIMD8<Float>.self)
      place.storeBytes(of: b3, toByteOffset: 3 &* stride &+ 32, as: SIMD8<Float>.self)
    }
  }

  /// One vector a slot for each row of a tile: the sums over its pixels with the four factors.
  ///
  /// The rows of a column are gone through side by side: neighbours in a row mostly vote for the same bin, and would
  /// wait for each other's sum to be stored.
  @inline(__always)
  private static func sumAcross(
    _ firsts: UnsafePointer<Float>, _ seconds: UnsafePointer<Float>, _ slots: UnsafePointer<UInt32>,
    _ rowStride: Int, _ factors: UnsafePointer<SIMD4<Float>>, _ sums: UnsafeMutablePointer<SIMD4<Float>>,
    _ cell: Int, _ slotCount: Int
  ) {
    for place in 0..<cell &* slotCount { sums[place] = .zero }
    for x in 0..<cell {
      let factor = factors[x]
      for y in 0..<cell {
        let pixel = y &* rowStride &+ x
        let place = sums + (Int(slots[pixel]) &+ y &* slotCount)
        place[0] += factor * firsts[pixel]
        place[1] += factor * seconds[pixel]
      }
    }
  }

  /// The rows' sums with the four factors down, two slots at a time.
  ///
  /// - Parameter factors: four vectors a row, each of one factor repeated.
  @inline(__always)
  private static func sumDown(
    _ rows: UnsafePointer<SIMD4<Float>>, _ factors: UnsafePointer<SIMD8<Float>>,
    _ sums: UnsafeMutablePointer<SIMD4<Float>>, _ cell: Int, _ slotCount: Int
  ) {
    let middle = (cell &+ 1) / 2
    let rows = UnsafeRawPointer(rows)
    let sums = UnsafeMutableRawPointer(sums)
    let stride = 16 &* slotCount
    for pair in 0..<slotCount / 2 {
      var s0 = SIMD8<Float>.zero
      var s1 = SIMD8<Float>.zero
      var s2 = SIMD8<Float>.zero
      var s3 = SIMD8<Float>.zero
      var row = rows + 32 &* pair
      var factor = factors
      // Of the factors 1 and 2 one is zero in either half.
      for _ in 0..<middle {
        let value = row.loadUnaligned(as: SIMD8<Float>.self)
        s0 += value * factor[0]
        s2 += value * factor[2]
        s3 += value * factor[3]
        row += stride
        factor += 4
      }
      for _ in middle..<cell {
        let value = row.loadUnaligned(as: SIMD8<Float>.self)
        s0 += value * factor[0]
        s1 += value * factor[1]
        s3 += value * factor[3]
        row += stride
        factor += 4
      }
      let place = sums + 32 &* pair
      place.storeBytes(of: s0, as: SIMD8<Float>.self)
      place.storeBytes(of: s1, toByteOffset: stride, as: SIMD8<Float>.self)
      place.storeBytes(of: s2, toByteOffset: 2 &* stride, as: SIMD8<Float>.self)
      place.storeBytes(of: s3, toByteOffset: 3 &* stride, as: SIMD8<Float>.self)
    }
  }
}
