import Imaging

/// Rows of an image as planes of floats, widened at the borders, so that a gradient kernel runs over whole vectors.
///
/// Holds as many of the last rows that were asked for as a gradient spans, `2 * reach + 1`. Column `x` of a row lies at
/// `x + reach`; columns from `-reach` to `width - 1 + reach` are there, and columns beyond (up to whole vectors) hold
/// zeros.
final class GradientRows {
  /// Floats of one plane of one row.
  let planeStride: Int
  let planeCount: Int
  /// Columns of the (padded) rows.
  let width: Int
  /// Pixels from a gradient's own to those whose difference it is.
  let reach: Int

  private let image: ByteImage
  private let difference: DalalTriggsHOG.ColourDifference?
  private let columnPadding: Int
  private let rowPadding: Int
  private let table: [Float]
  private let storage: UnsafeMutablePointer<Float>
  private var held: [Int]

  /// - Parameters:
  ///   - image: grey or RGB, not empty.
  ///   - table: the value of each of the 256 pixel values.
  ///   - difference: of channels, the only plane then; `nil` keeps the channels.
  ///   - reach: 1 or more.
  ///   - columnPadding: columns added on either side, mirrored (reflect 101).
  ///   - rowPadding: rows added above and below.
  init(
    _ image: ByteImage, table: [Float], difference: DalalTriggsHOG.ColourDifference? = nil, reach: Int = 1,
    columnPadding: Int, rowPadding: Int
  ) {
    precondition(table.count == 256 && image.width > 0 && image.height > 0 && reach >= 1)
    self.image = image
    self.table = table
    self.columnPadding = columnPadding
    self.rowPadding = rowPadding
    self.difference = difference
    self.reach = reach
    let rowCount = 2 * reach + 1
    held = [Int](repeating: .min, count: rowCount)
    planeCount = difference == nil ? image.channelCount : 1
    width = image.width + 2 * columnPadding
    planeStride = (width + 2 * reach + 15) / 8 * 8
    let count = rowCount * planeCount * planeStride
    storage = .allocate(capacity: count)
    storage.initialize(repeating: 0, count: count)
  }

  deinit { storage.deallocate() }

  /// The planes of padded row `row` (from `-reach` to as many below the last), mirrored at the image's border.
  ///
  /// Valid until `2 * reach + 1` other rows have been asked for.
  func row(_ row: Int) -> UnsafePointer<Float> {
    let slot = (row + reach) % held.count
    let base = storage + slot * planeCount * planeStride
    if held[slot] != row {
      held[slot] = row
      let source = reflected(row - rowPadding, image.height)
      image.pixels.withUnsafeBufferPointer { pixels in
        table.withUnsafeBufferPointer { table in
          let bytes = pixels.baseAddress! + source * image.width * image.channelCount
          let inside = base + reach + columnPadding
          if let difference {
            // A grey image has no colour: the row stays zero.
            if image.channelCount == 3 {
              Self.mix3(bytes, table.baseAddress!, difference.weights, inside, image.width)
            }
          } else if planeCount == 1 {
            Self.convert(bytes, table.baseAddress!, inside, image.width)
          } else {
            Self.convert3(bytes, table.baseAddress!, inside, planeStride, image.width)
          }
        }
      }
      for plane in 0..<planeCount {
        let inside = base + plane * planeStride + reach + columnPadding
        for step in 1...columnPadding + reach {
          inside[-step] = inside[reflected(-step, image.width)]
          inside[image.width - 1 + step] = inside[reflected(image.width - 1 + step, image.width)]
        }
      }
    }
    return UnsafePointer(base)
  }

  @inline(never)
  private static func convert(
    _ bytes: UnsafePointer<UInt8>, _ table: UnsafePointer<Float>, _ values: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    for index in 0..<count { values[index] = table[Int(bytes[index])] }
  }

  @inline(never)
  private static func mix3(
    _ bytes: UnsafePointer<UInt8>, _ table: UnsafePointer<Float>, _ weights: SIMD3<Float>,
    _ values: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    let (red, green, blue) = (weights.x, weights.y, weights.z)
    var p = bytes
    for index in 0..<count {
      values[index] = red * table[Int(p[0])] + green * table[Int(p[1])] + blue * table[Int(p[2])]
      p += 3
    }
  }

  @inline(never)
  private static func convert3(
    _ bytes: UnsafePointer<UInt8>, _ table: UnsafePointer<Float>, _ values: UnsafeMutablePointer<Float>,
    _ planeStride: Int, _ count: Int
  ) {
    let second = values + planeStride
    let third = second + planeStride
    var index = 0
    var p = bytes
    /// The value of a byte of eight.
    @inline(__always)
    func value(_ eight: UInt64, _ byte: UInt64) -> Float {
      table[Int(truncatingIfNeeded: (eight &>> (8 &* byte)) & 0xFF)]
    }
    // Bytes are loaded eight at a time, and values stored four at a time: single ones would keep the loads and stores,
    // of which the table's are enough, busy for half as long again.
    while index &+ 8 <= count {
      let raw = UnsafeRawPointer(p)
      let a = UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self))
      let b = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      let c = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
      store(SIMD4(value(a, 0), value(a, 3), value(a, 6), value(b, 1)), values + index)
      store(SIMD4(value(a, 1), value(a, 4), value(a, 7), value(b, 2)), second + index)
      store(SIMD4(value(a, 2), value(a, 5), value(b, 0), value(b, 3)), third + index)
      store(SIMD4(value(b, 4), value(b, 7), value(c, 2), value(c, 5)), values + (index &+ 4))
      store(SIMD4(value(b, 5), value(c, 0), value(c, 3), value(c, 6)), second + (index &+ 4))
      store(SIMD4(value(b, 6), value(c, 1), value(c, 4), value(c, 7)), third + (index &+ 4))
      index &+= 8
      p += 24
    }
    while index < count {
      values[index] = table[Int(p[0])]
      second[index] = table[Int(p[1])]
      third[index] = table[Int(p[2])]
      index &+= 1
      p += 3
    }
  }
}

extension DalalTriggsHOG.ColourDifference {
  /// Of red, green and blue. They add up to zero, exactly, so that grey has no colour.
  var weights: SIMD3<Float> {
    switch self {
    case .redGreen: SIMD3(1, -1, 0)
    case .blueYellow: SIMD3(-0.5, -0.5, 1)
    }
  }
}

/// The gradient of 8 pixels from the planes around them: that of the channel of the largest magnitude. A tie goes to
/// blue, then green, then red.
///
/// - Parameter sides: at the first pixel.
@inline(__always)
func strongestGradient(_ sides: GradientSides, _ planeStride: Int, _ planeCount: Int) -> (
  dx: SIMD8<Float>, dy: SIMD8<Float>
) {
  let last = planeCount == 3 ? planeStride &+ planeStride : 0
  var dx = load8(sides.right + last) - load8(sides.left + last)
  var dy = load8(sides.down + last) - load8(sides.up + last)
  if planeCount == 3 {
    for plane in 1...2 {
      let offset = planeStride &- (plane &- 1) &* planeStride
      let dx2 = load8(sides.right + offset) - load8(sides.left + offset)
      let dy2 = load8(sides.down + offset) - load8(sides.up + offset)
      let stronger = negative((dx * dx + dy * dy) - (dx2 * dx2 + dy2 * dy2))
      dx = select(stronger, dx2, dx)
      dy = select(stronger, dy2, dy)
    }
  }
  return (dx, dy)
}
