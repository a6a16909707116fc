/// A row's gradient magnitudes and nearest of 18 signed orientations.
enum SignedOrientations {
  /// Tangents of the angles half way between the directions 0, 20, 40, 60 and 80 degrees, with the directions' sines
  /// and cosines to the 4 digits that dlib has.
  static let tangents = SIMD4<Float>(
    (1 - 0.9397) / 0.3420, (0.9397 - 0.7660) / (0.6428 - 0.3420), (0.7660 - 0.5) / (0.8660 - 0.6428),
    (0.5 - 0.1736) / (0.9848 - 0.8660))

  /// - Parameters:
  ///   - sides: at the first pixel.
  ///   - magnitudes, slots: whole vectors of 8 are written. A slot is an orientation, or 18 for orientation 0.
  static func write(
    sides: GradientSides, planeStride: Int, planeCount: Int, count: Int, magnitudes: UnsafeMutablePointer<Float>,
    slots: UnsafeMutablePointer<UInt32>
  ) {
    if planeCount == 3 {
      // The slots' memory holds the gradients' second components meanwhile.
      slots.withMemoryRebound(to: Float.self, capacity: (count + 7) / 8 * 8) { along in
        RowGradients.write(
          sides: sides, planeStride: planeStride, planeCount: 3, count: count,
          across: magnitudes, along: along)
      }
      orient(count, magnitudes, slots)
    } else {
      orientGrey(sides, count, magnitudes, slots)
    }
  }

  /// Replaces gradients by their magnitudes and orientations.
  @inline(never)
  private static func orient(
    _ count: Int, _ magnitudes: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    var x = 0
    while x < count {
      let dx = load8(magnitudes + x)
      let dy = SIMD8<Float>(bitPattern: UnsafeRawPointer(slots + x).loadUnaligned(as: SIMD8<UInt32>.self))
      write(dx, dy, magnitudes + x, slots + x)
      x &+= 8
    }
  }

  /// In one loop: gradients of one plane cost less than storing and loading them.
  @inline(never)
  private static func orientGrey(
    _ sides: GradientSides, _ count: Int,
    _ magnitudes: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    var x = 0
    while x < count {
      let (dx, dy) = strongestGradient(sides + x, 0, 1)
      write(dx, dy, magnitudes + x, slots + x)
      x &+= 8
    }
  }

  /// The number of tangents that the gradient is steeper than gives the direction in the first quadrant; the signs
  /// give the quadrant.
  @inline(__always)
  private static func write(
    _ dx: SIMD8<Float>, _ dy: SIMD8<Float>, _ magnitudes: UnsafeMutablePointer<Float>,
    _ slots: UnsafeMutablePointer<UInt32>
  ) {
    typealias Vector = SIMD8<Float>
    let signBit = SIMD8<UInt32>(repeating: 0x8000_0000)
    let ax = magnitude(dx)
    let ay = magnitude(dy)
    // Each comparison that holds is -1.
    let steps =
      (negative(tangents.x * ax - ay) &+ negative(tangents.y * ax - ay))
      &+ (negative(tangents.z * ax - ay) &+ negative(tangents.w * ax - ay))
    // Turned by half where it points up: then only the x component's sign matters. Adding zero makes -0 positive.
    let left = negative(Vector(bitPattern: dx.bitPattern ^ (dy.bitPattern & signBit)) + 0)
    // 9 - k to the left, k to the right.
    let right = ~left
    let direction = ((steps ^ right) &- right &+ (left & 9)) &+ (negative(dy) & 9)
    store((dx * dx + dy * dy).squareRoot(), magnitudes)
    UnsafeMutableRawPointer(slots).storeBytes(of: direction, as: SIMD8<Int32>.self)
  }
}
