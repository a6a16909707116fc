/// The planes of an aligned face: its pixels, and the sums of their gradients.
///
/// A gradient is a sum of its octant's two border directions with weights that are not negative: `large - small` along the
/// nearer axis and `sqrt(2) small` along the diagonal, of the sizes of its two components. Axes are the even directions and
/// diagonals the odd ones, so that both weights repeated four times and masked by octant are the pixel's histogram.
extension AlignedFace {
  struct Maps {
    let width: Int
    let height: Int
    let cell: Int
    let gray: UnsafeMutablePointer<UInt8>
    /// For each pixel of a row two neighbours in the photo, the left one in the low byte; and those below.
    private let upper: UnsafeMutablePointer<UInt16>
    private let lower: UnsafeMutablePointer<UInt16>
    /// A row's gradients: the axis' weight in the low half, the diagonal's in the high one; and octants.
    private let weights: UnsafeMutablePointer<UInt32>
    private let octants: UnsafeMutablePointer<UInt8>
    private let masks: UnsafeMutablePointer<SIMD4<UInt32>>
    /// Histograms of the last `cell` rows, and their sums; those have `cell / 2` more at each end.
    private let rows: UnsafeMutablePointer<SIMD8<Int16>>
    private let column: UnsafeMutablePointer<SIMD8<Int16>>
    let sums: UnsafeMutablePointer<SIMD8<Int16>>

    init(width: Int, height: Int, cell: Int) {
      self.width = width
      self.height = height
      self.cell = cell
      gray = .allocate(capacity: width * height)
      upper = .allocate(capacity: width)
      lower = .allocate(capacity: width)
      weights = .allocate(capacity: width)
      octants = .allocate(capacity: width)
      rows = .allocate(capacity: width * cell)
      column = .allocate(capacity: width + 2 * (cell / 2))
      sums = .allocate(capacity: width * height)
      masks = .allocate(capacity: 8)
      for octant in 0..<8 {
        // Bits as `differentiate` sets them.
        let (isFlat, isLeft, isUp) = (octant & 1 != 0, octant & 2 != 0, octant & 4 != 0)
        let main = isFlat ? (isLeft ? 4 : 0) : (isUp ? 6 : 2)
        let slanted = isLeft ? (isUp ? 5 : 3) : (isUp ? 7 : 1)
        var mask = SIMD4<UInt32>.zero
        mask[main / 2] |= 0xFFFF
        mask[slanted / 2] |= 0xFFFF_0000
        (masks + octant).initialize(to: mask)
      }
    }

    func deallocate() {
      gray.deallocate()
      upper.deallocate()
      lower.deallocate()
      weights.deallocate()
      octants.deallocate()
      masks.deallocate()
      rows.deallocate()
      column.deallocate()
      sums.deallocate()
    }

    /// Takes the four pixels around each place of a row, whose coordinates have 16 bits behind the point.
    @inline(never)
    func fetch(
      _ pixels: UnsafePointer<UInt8>, stride: Int, x: Int, y: Int, stepX: Int, stepY: Int, count: Int
    ) {
      var (x, y) = (x, y)
      let source = UnsafeRawPointer(pixels)
      for k in 0..<count {
        let at = source + ((y >> 16) &* stride &+ (x >> 16))
        upper[k] = UInt16(littleEndian: at.loadUnaligned(as: UInt16.self))
        lower[k] = UInt16(littleEndian: (at + stride).loadUnaligned(as: UInt16.self))
        x &+= stepX
        y &+= stepY
      }
    }

    /// The fetched pixels' value between them.
    @inline(never)
    func blend(x: Int32, y: Int32, stepX: Int32, stepY: Int32, count: Int, to output: UnsafeMutablePointer<UInt8>) {
      let (upper, lower) = (upper, lower)
      for k in 0..<count {
        let (a, b) = (Int32(upper[k]), Int32(lower[k]))
        let n = Int32(truncatingIfNeeded: k)
        output[k] = AlignedFace.between(
          UInt8(truncatingIfNeeded: a), UInt8(truncatingIfNeeded: a &>> 8), UInt8(truncatingIfNeeded: b),
          UInt8(truncatingIfNeeded: b &>> 8), x &+ n &* stepX, y &+ n &* stepY)
      }
    }

    /// Sums the histograms of `gradients` around the pixels of `area`, all of whose neighbours' pixels must be there.
    func sum(_ area: PixelArea, gradients: PixelArea) {
      let half = cell / 2
      let (from, count) = (gradients.columns.lowerBound, gradients.columns.count)
      rows.update(repeating: .zero, count: cell * count)
      column.update(repeating: .zero, count: count + 2 * half)
      var last = -1
      var slot = 0
      // The rows above the first repeat it, so do those below the last.
      for row in area.rows.lowerBound - half..<area.rows.upperBound + half {
        let clamped = min(height - 1, max(0, row))
        if clamped != last { differentiate(clamped, gradients.columns) }
        last = clamped
        replace(rows + slot * count, count: count, half: half)
        slot = slot + 1 == cell ? 0 : slot + 1
        if row >= area.rows.lowerBound + half {
          // So do the columns beside the first and the last.
          if from == 0 { for k in 0..<half { column[k] = column[half] } }
          if from + count == width { for k in 0..<half { column[half + count + k] = column[half + count - 1] } }
          sumAlong(
            column + (area.columns.lowerBound - from), count: area.columns.count,
            to: sums + (row - half) * width + area.columns.lowerBound)
        }
      }
    }

    /// One row's gradients to `weights` and `octants`.
    @inline(never)
    private func differentiate(_ row: Int, _ columns: Range<Int>) {
      let here = gray + row * width
      let above = gray + max(0, row - 1) * width
      let below = gray + min(height - 1, row + 1) * width
      let (weights, octants) = (weights - columns.lowerBound, octants - columns.lowerBound)
      for k in max(1, columns.lowerBound)..<max(1, min(width - 1, columns.upperBound)) {
        let (weight, octant) = Maps.gradient(here[k &- 1], here[k &+ 1], above[k], below[k])
        weights[k] = weight
        octants[k] = octant
      }
      // The first and the last column have themselves beside them.
      if columns.lowerBound == 0 {
        (weights[0], octants[0]) = Maps.gradient(here[0], here[1], above[0], below[0])
      }
      if columns.upperBound == width {
        let k = width - 1
        (weights[k], octants[k]) = Maps.gradient(here[k - 1], here[k], above[k], below[k])
      }
    }

    @inline(__always)
    private static func gradient(
      _ left: UInt8, _ right: UInt8, _ above: UInt8, _ below: UInt8
    ) -> (weight: UInt32, octant: UInt8) {
      let (dx, dy) = (Int32(right) &- Int32(left), Int32(below) &- Int32(above))
      let (ax, ay) = (dx < 0 ? 0 &- dx : dx, dy < 0 ? 0 &- dy : dy)
      let (large, small) = (ax > ay ? ax : ay, ax > ay ? ay : ax)
      // The root of two, in 1/128. Signs, and which is larger, as bits.
      let weight = (large &- small) | (((small &* 181) >> 7) << 16)
      let octant = (((ay &- ax) >> 31) & 1) | ((dx >> 31) & 2) | ((dy >> 31) & 4)
      return (UInt32(bitPattern: weight), UInt8(truncatingIfNeeded: octant))
    }

    /// Puts the row's histograms in the place of others, in the sums, too.
    @inline(never)
    private func replace(_ slot: UnsafeMutablePointer<SIMD8<Int16>>, count: Int, half: Int) {
      let column = column + half
      let (weights, octants, masks) = (weights, octants, masks)
      for k in 0..<count {
        let both = SIMD4<UInt32>(repeating: weights[k]) & masks[Int(octants[k])]
        let histogram = unsafeBitCast(both, to: SIMD8<Int16>.self)
        column[k] = column[k] &+ (histogram &- slot[k])
        slot[k] = histogram
      }
    }

    /// Sums of `cell` histograms in turn, the first from `first` on.
    @inline(never)
    private func sumAlong(
      _ first: UnsafeMutablePointer<SIMD8<Int16>>, count: Int, to output: UnsafeMutablePointer<SIMD8<Int16>>
    ) {
      var sum = SIMD8<Int16>.zero
      for k in 0..<cell { sum &+= first[k] }
      let next = first + cell
      for k in 0..<count - 1 {
        output[k] = sum
        sum &+= next[k] &- first[k]
      }
      output[count - 1] = sum
    }
  }
}
