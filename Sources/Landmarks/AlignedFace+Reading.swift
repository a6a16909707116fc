import Geometry

/// Where a landmark's grid lies in an aligned face.
struct GridPlace {
  /// The first place's pixel before it, and the shares of the pixels after it.
  var column: Int
  var row: Int
  var left: Float
  var top: Float
}

extension AlignedFace {
  /// Reads the histograms around `shape`, between the four nearest places each: `featureCount` values.
  ///
  /// The histograms of a landmark are divided by their norm (with an addend that keeps flat skin from becoming noise of full
  /// size), limited to a quarter, rooted (nearly), and brought to whole numbers of `0...featureLimit`, which rounding may pass by a
  /// twentieth.
  /// - Parameter plane: the photo that the face was aligned to.
  func read(_ plane: GreyPlane, _ shape: UnsafePointer<Float>, to output: UnsafeMutablePointer<Int16>) {
    let wanted = place(shape)
    if !ready.contains(wanted) {
      prepare(ready.joined(wanted).grown(by: spare, width: width, height: height), of: plane)
    }
    let (grid, cell) = (reading.grid, reading.cell)
    let count = grid * grid
    let reach = (grid - 1) * cell + 1
    for k in 0..<points {
      let place = places[k]
      let isInside =
        place.column >= 0 && place.column + reach < width && place.row >= 0 && place.row + reach < height
      let norm = isInside ? between(place) : betweenAtEdges(place)
      let scale = 1 / (norm.squareRoot() + 20 * Float(cell * cell))
      describe(scale, count, to: output + k * count * GradientLevel.directions)
    }
  }

  /// Finds the landmarks' grids.
  /// - Returns: the area of the sums that they read.
  private func place(_ shape: UnsafePointer<Float>) -> PixelArea {
    let back = turn.inverse
    let (grid, cell) = (reading.grid, reading.cell)
    let first = -Float((grid - 1) * cell) / 2 - 0.5
    let reach = (grid - 1) * cell + 1
    var (x0, x1, y0, y1) = (Int.max, Int.min, Int.max, Int.min)
    for k in 0..<points {
      let d = SIMD2(shape[2 * k], shape[2 * k + 1]) - middle
      let u = back.a * d.x - back.b * d.y + center.x - corner.x
      let v = back.b * d.x + back.a * d.y + center.y - corner.y
      let (x, left) = AlignedFace.place(u * Float(reading.resolution) + first)
      let (y, top) = AlignedFace.place(v * Float(reading.resolution) + first)
      places[k] = GridPlace(column: x, row: y, left: left, top: top)
      (x0, x1) = (min(x0, x), max(x1, x))
      (y0, y1) = (min(y0, y), max(y1, y))
    }
    func clamp(_ value: Int, _ count: Int) -> Int { min(count - 1, max(0, value)) }
    return PixelArea(
      rows: clamp(y0, height)..<clamp(y1 + reach, height) + 1,
      columns: clamp(x0, width)..<clamp(x1 + reach, width) + 1)
  }

  /// A landmark's histograms to `values`.
  /// - Returns: the sum of their squares.
  @inline(__always)
  private func between(_ place: GridPlace) -> Float {
    let (left, top) = (place.left, place.top)
    let (w00, w01) = ((1 - left) * (1 - top), left * (1 - top))
    let (w10, w11) = ((1 - left) * top, left * top)
    let (grid, cell, width, values) = (reading.grid, reading.cell, width, values)
    var norm = SIMD8<Float>.zero
    var upper = maps.sums + (place.row &* width &+ place.column)
    var to = values
    for _ in 0..<grid {
      var at = upper
      for _ in 0..<grid {
        var value = SIMD8<Float>(at[0]) * w00
        value += SIMD8<Float>(at[1]) * w01
        value += SIMD8<Float>(at[width]) * w10
        value += SIMD8<Float>(at[width &+ 1]) * w11
        norm += value * value
        to.pointee = value
        to += 1
        at += cell
      }
      upper += cell &* width
    }
    return norm.sum()
  }

  /// The same where the grid passes the face's edges: what lies beyond is as the nearest pixel.
  private func betweenAtEdges(_ place: GridPlace) -> Float {
    let (left, top) = (place.left, place.top)
    let (w00, w01) = ((1 - left) * (1 - top), left * (1 - top))
    let (w10, w11) = ((1 - left) * top, left * top)
    let (grid, cell) = (reading.grid, reading.cell)
    var norm = SIMD8<Float>.zero
    for row in 0..<grid {
      let r0 = maps.sums + min(height - 1, max(0, place.row + row * cell)) * width
      let r1 = maps.sums + min(height - 1, max(0, place.row + row * cell + 1)) * width
      for column in 0..<grid {
        let c0 = min(width - 1, max(0, place.column + column * cell))
        let c1 = min(width - 1, max(0, place.column + column * cell + 1))
        var value = SIMD8<Float>(r0[c0]) * w00
        value += SIMD8<Float>(r0[c1]) * w01
        value += SIMD8<Float>(r1[c0]) * w10
        value += SIMD8<Float>(r1[c1]) * w11
        norm += value * value
        values[row * grid + column] = value
      }
    }
    return norm.sum()
  }

  /// Brings `values` to whole numbers.
  @inline(__always)
  private func describe(_ scale: Float, _ count: Int, to output: UnsafeMutablePointer<Int16>) {
    let limit = SIMD8<Float>(repeating: 0.25)
    let values = values
    for cell in 0..<count {
      let value = values[cell] * scale - limit
      // Half of the sum less the distance is the lesser of the two.
      let distance = unsafeBitCast(unsafeBitCast(value, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: SIMD8<Float>.self)
      let limited = (value - distance) * 0.5 + limit
      // Halving the exponent, and with it what lies below, is a root to within a twentieth, and monotonic.
      let bits = (unsafeBitCast(limited, to: SIMD8<UInt32>.self) &>> 1) &+ 0x1FBD_1DF5
      // Added, the last number leaves the nearest whole number in the low bits.
      let rounded = unsafeBitCast(bits, to: SIMD8<Float>.self) * (2 * AlignedFace.featureLimit) + 12_582_912
      let whole = SIMD8<Int16>(truncatingIfNeeded: unsafeBitCast(rounded, to: SIMD8<Int32>.self))
      UnsafeMutableRawPointer(output + 8 * cell).storeBytes(of: whole, as: SIMD8<Int16>.self)
    }
  }

  /// The pixel before a coordinate and the share of the one after it; 0 for what is not a number.
  @inline(__always)
  private static func place(_ value: Float) -> (Int, Float) {
    let inside = value == value ? max(-4096, min(4096, value)) : 0
    let whole = inside.rounded(.down)
    return (Int(whole), inside - whole)
  }
}
