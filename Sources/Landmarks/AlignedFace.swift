import Geometry

/// A face in the mean shape's frame: its gradients by direction, summed over cells, to be read around landmarks.
///
/// The face is sampled at `resolution` pixels to a box unit (between the photo's pixels; the nearest one outside it). Each
/// pixel's gradient is shared between the two nearest of eight directions (0...360 degrees), and each of the eight planes is
/// summed over `cell x cell` pixels around every pixel. Whole numbers throughout, so that the same photo gives the same bits
/// everywhere. Reused from face to face.
///
/// Cost of aligning: some 15 operations for each of the face's pixels; of reading: `8 grid^2` values a landmark.
final class AlignedFace {
  let reading: GradientLevel.Reading
  /// Values of a feature are in `0...featureLimit`.
  static let featureLimit: Float = 511

  private let points: Int
  /// The mean shape's middle, and the frame's first pixel, in box units.
  private let center: SIMD2<Float>
  private let corner: SIMD2<Float>
  private let width: Int
  private let height: Int
  private let gray: UnsafeMutablePointer<UInt8>
  /// A row's gradients, and its sums over `cell` pixels, of the last `cell` rows.
  private let line: UnsafeMutablePointer<SIMD8<Int16>>
  private let rows: UnsafeMutablePointer<SIMD8<Int16>>
  private let column: UnsafeMutablePointer<SIMD8<Int16>>
  private let sums: UnsafeMutablePointer<SIMD8<Int16>>
  private let values: UnsafeMutablePointer<SIMD8<Float>>
  /// Where the face was aligned to.
  private(set) var middle = SIMD2<Float>.zero
  private(set) var turn = Turn.identity

  init(_ reading: GradientLevel.Reading, meanShape: [Float]) {
    self.reading = reading
    points = meanShape.count / 2
    var low = SIMD2(Float.infinity, .infinity)
    var high = -low
    var sum = SIMD2<Float>.zero
    for k in 0..<points {
      let place = SIMD2(meanShape[2 * k], meanShape[2 * k + 1])
      low = pointwiseMin(low, place)
      high = pointwiseMax(high, place)
      sum += place
    }
    center = sum / Float(points)
    // Room for the outermost grids, and for shapes that are wider than the mean.
    let reach = Float(Double(reading.grid * reading.cell) / 2 / reading.resolution) + 0.1
    corner = low - reach
    let size = (high + reach - corner) * Float(reading.resolution)
    width = min(1024, max(4, Int(size.x.rounded(.up))))
    height = min(1024, max(4, Int(size.y.rounded(.up))))
    gray = .allocate(capacity: width * height)
    line = .allocate(capacity: width)
    rows = .allocate(capacity: width * reading.cell)
    column = .allocate(capacity: width)
    sums = .allocate(capacity: width * height)
    values = .allocate(capacity: reading.grid * reading.grid)
  }

  deinit {
    gray.deallocate()
    line.deallocate()
    rows.deallocate()
    column.deallocate()
    sums.deallocate()
    values.deallocate()
  }

  var featureCount: Int { reading.featureCount(points: points) }

  /// Takes the face under `shape`, whose turn from the mean shape is `turn`.
  func align(_ plane: GreyPlane, shape: UnsafePointer<Float>, turn: Turn) {
    var middle = SIMD2<Float>.zero
    for k in 0..<points { middle += SIMD2(shape[2 * k], shape[2 * k + 1]) }
    align(plane, middle: middle / Float(points), turn: turn)
  }

  /// Takes the face as it lay when another run had `middle` and `turn`.
  func align(_ plane: GreyPlane, middle: SIMD2<Float>, turn: Turn) {
    self.middle = middle
    self.turn = turn
    sample(plane)
    let cell = reading.cell
    let half = cell / 2
    // The rows above the first repeat it, so do those below the last.
    for k in 0..<width { column[k] = .zero }
    for row in -half..<height + half {
      let slot = rows + (row + half) % cell * width
      if row >= cell - half {
        // The slot still holds the row that leaves the sum.
        for k in 0..<width { column[k] &-= slot[k] }
      }
      if row <= 0 || row < height {
        differentiate(max(0, row))
        sumAlong(to: slot)
      } else {
        let last = rows + (row - 1 + half) % cell * width
        if last != slot { slot.update(from: last, count: width) }
      }
      let to = sums + max(0, row - half) * width
      for k in 0..<width { column[k] &+= slot[k] }
      if row >= half { to.update(from: column, count: width) }
    }
  }

  /// Fills `gray`, by steps of 1/65536 of a pixel.
  private func sample(_ plane: GreyPlane) {
    let step = Float(1 / reading.resolution)
    let (ux, uy) = (Float(plane.unitX), Float(plane.unitY))
    let (lastX, lastY) = (Int32(plane.width - 1) << 16, Int32(plane.height - 1) << 16)
    let stepX = AlignedFace.fixed(turn.a * step * ux)
    let stepY = AlignedFace.fixed(turn.b * step * uy)
    let stride = plane.width
    for row in 0..<height {
      let place = SIMD2<Float>(0.5, Float(row) + 0.5)
      let d: SIMD2<Float> = corner - center + place * step
      let u = middle.x + turn.a * d.x - turn.b * d.y
      let v = middle.y + turn.b * d.x + turn.a * d.y
      // Between pixel centres.
      var x = AlignedFace.fixed(Float(plane.originX) + ux * u - 0.5)
      var y = AlignedFace.fixed(Float(plane.originY) + uy * v - 0.5)
      let to = gray + row * width
      if AlignedFace.stays(x, stepX, width, below: lastX) && AlignedFace.stays(y, stepY, width, below: lastY) {
        for k in 0..<width {
          let offset: Int = Int(y >> 16) &* stride &+ Int(x >> 16)
          let at = plane.pixels + offset
          to[k] = AlignedFace.between(at[0], at[1], at[stride], at[stride &+ 1], x, y)
          x &+= stepX
          y &+= stepY
        }
      } else {
        for k in 0..<width {
          let (cx, cy) = (min(max(x, 0), lastX), min(max(y, 0), lastY))
          let offset: Int = Int(cy >> 16) * stride + Int(cx >> 16)
          let at = plane.pixels + offset
          let right = cx < lastX ? 1 : 0
          let below = cy < lastY ? stride : 0
          to[k] = AlignedFace.between(at[0], at[right], at[below], at[below + right], cx, cy)
          x &+= stepX
          y &+= stepY
        }
      }
    }
  }

  /// Whether all places of a row lie in `0..<last`.
  private static func stays(_ first: Int32, _ step: Int32, _ count: Int, below last: Int32) -> Bool {
    let end = Int64(first) + Int64(step) * Int64(count - 1)
    return first >= 0 && first < last && end >= 0 && end < Int64(last)
  }

  /// 16 bits behind the point; what is no number, or farther than photos are wide, is brought near.
  private static func fixed(_ value: Float) -> Int32 {
    value == value ? Int32((max(-16_000, min(16_000, value)) * 65_536).rounded()) : 0
  }

  @inline(__always)
  private static func between(
    _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ x: Int32, _ y: Int32
  ) -> UInt8 {
    let (fx, fy) = ((x >> 8) & 255, (y >> 8) & 255)
    let (first, second): (Int32, Int32) = (Int32(b) &- Int32(a), Int32(d) &- Int32(c))
    let top: Int32 = (Int32(a) << 8) &+ first &* fx
    let bottom: Int32 = (Int32(c) << 8) &+ second &* fx
    let sum: Int32 = (top << 8) &+ (bottom &- top) &* fy
    return UInt8(truncatingIfNeeded: (sum &+ 32_768) >> 16)
  }

  /// One row's gradients, each shared between the two nearest directions, to `line`.
  private func differentiate(_ row: Int) {
    let (w, h) = (width, height)
    let here = gray + row * w
    let above = gray + max(0, row - 1) * w
    let below = gray + min(h - 1, row + 1) * w
    let histograms = UnsafeMutableRawPointer(line)
    for k in 0..<w {
      let dx = Int32(here[k &+ 1 < w ? k &+ 1 : k]) &- Int32(here[k > 0 ? k &- 1 : 0])
      let dy = Int32(below[k]) &- Int32(above[k])
      line[k] = .zero
      // The gradient is a sum of its octant's two border directions with weights that are not negative.
      let (ax, ay) = (dx < 0 ? 0 &- dx : dx, dy < 0 ? 0 &- dy : dy)
      let main = ax > ay ? (dx >= 0 ? 0 : 4) : (dy >= 0 ? 2 : 6)
      let slanted = dx >= 0 ? (dy >= 0 ? 1 : 7) : (dy >= 0 ? 3 : 5)
      let (large, small) = ax > ay ? (ax, ay) : (ay, ax)
      histograms.storeBytes(
        of: Int16(truncatingIfNeeded: large &- small), toByteOffset: 16 &* k &+ 2 &* main, as: Int16.self)
      // The root of two, in 1/128.
      histograms.storeBytes(
        of: Int16(truncatingIfNeeded: (small &* 181) >> 7), toByteOffset: 16 &* k &+ 2 &* slanted, as: Int16.self)
    }
  }

  /// Running sums of `cell` histograms along `line`, its ends repeated.
  private func sumAlong(to row: UnsafeMutablePointer<SIMD8<Int16>>) {
    let w = width
    let half = reading.cell / 2
    var sum = SIMD8<Int16>.zero
    for k in -half...half { sum &+= line[min(w - 1, max(0, k))] }
    for k in 0..<w {
      row[k] = sum
      sum &+= line[min(w - 1, k + half + 1)]
      sum &-= line[max(0, k - half)]
    }
  }

  /// Reads the histograms around `shape`, between the four nearest places each: `featureCount` values.
  ///
  /// The histograms of a landmark are divided by their norm (with an addend that keeps flat skin from becoming noise of full
  /// size), limited to a quarter, rooted (nearly), and brought to whole numbers of `0...featureLimit`, which rounding may pass by a
  /// twentieth.
  func read(_ shape: UnsafePointer<Float>, to output: UnsafeMutablePointer<Int16>) {
    let back = turn.inverse
    let (grid, cell) = (reading.grid, reading.cell)
    let first = -Float((grid - 1) * cell) / 2 - 0.5
    let count = grid * grid
    let addend = 20 * Float(cell * cell)
    let limit = SIMD8<Float>(repeating: 0.25)
    for k in 0..<points {
      let d = SIMD2(shape[2 * k], shape[2 * k + 1]) - middle
      let u = back.a * d.x - back.b * d.y + center.x - corner.x
      let v = back.b * d.x + back.a * d.y + center.y - corner.y
      let (x, left) = AlignedFace.place(u * Float(reading.resolution) + first)
      let (y, top) = AlignedFace.place(v * Float(reading.resolution) + first)
      let (w00, w01) = ((1 - left) * (1 - top), left * (1 - top))
      let (w10, w11) = ((1 - left) * top, left * top)
      var norm = SIMD8<Float>.zero
      for row in 0..<grid {
        let r0 = sums + min(height - 1, max(0, y + row * cell)) * width
        let r1 = sums + min(height - 1, max(0, y + row * cell + 1)) * width
        for column in 0..<grid {
          let c0 = min(width - 1, max(0, x + column * cell))
          let c1 = min(width - 1, max(0, x + column * cell + 1))
          var value = SIMD8<Float>(r0[c0]) * w00
          value += SIMD8<Float>(r0[c1]) * w01
          value += SIMD8<Float>(r1[c0]) * w10
          value += SIMD8<Float>(r1[c1]) * w11
          norm += value * value
          values[row * grid + column] = value
        }
      }
      let scale = 1 / (norm.sum().squareRoot() + addend)
      let to = output + k * count * GradientLevel.directions
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
        UnsafeMutableRawPointer(to + 8 * cell).storeBytes(of: whole, as: SIMD8<Int16>.self)
      }
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
