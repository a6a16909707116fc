/// A row's gradient magnitudes and nearest of 18 signed orientations.
enum SignedOrientations {
  /// Tangents of the angles half way between the directions 0, 20, 40, 60 and 80 degrees, with the directions' sines
  /// and cosines to the 4 digits that dlib has.
  static let tangents = SIMD4<Float>(
    (1 - 0.9397) / 0.3420, (0.9397 - 0.7660) / (0.6428 - 0.3420), (0.7660 - 0.5) / (0.8660 - 0.6428),
    (0.5 - 0.1736) / (0.9848 - 0.8660))

  /// - Parameters:
  ///   - up, middle, down: rows of `GradientRows`; the first pixel is their column 0.
  ///   - magnitudes, slots: whole vectors of 4 are written. A slot is an orientation, or 18 for orientation 0.
  static func write(
    up: UnsafePointer<Float>, middle: UnsafePointer<Float>, down: UnsafePointer<Float>, planeStride: Int,
    planeCount: Int, count: Int, magnitudes: UnsafeMutablePointer<Float>, slots: UnsafeMutablePointer<UInt32>
  ) {
    if planeCount == 3 {
      colour(up, middle, down, planeStride, count, magnitudes, slots)
    } else {
      grey(up, middle, down, count, magnitudes, slots)
    }
  }

  @inline(never)
  private static func colour(
    _ up: UnsafePointer<Float>, _ middle: UnsafePointer<Float>, _ down: UnsafePointer<Float>, _ planeStride: Int,
    _ count: Int, _ magnitudes: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    orient(up, middle, down, planeStride, 3, count, magnitudes, slots)
  }

  @inline(never)
  private static func grey(
    _ up: UnsafePointer<Float>, _ middle: UnsafePointer<Float>, _ down: UnsafePointer<Float>, _ count: Int,
    _ magnitudes: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    orient(up, middle, down, 0, 1, count, magnitudes, slots)
  }

  /// The number of tangents that the gradient is steeper than gives the direction in the first quadrant; the signs
  /// give the quadrant.
  @inline(__always)
  private static func orient(
    _ up: UnsafePointer<Float>, _ middle: UnsafePointer<Float>, _ down: UnsafePointer<Float>, _ planeStride: Int,
    _ planeCount: Int, _ count: Int, _ magnitudes: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    typealias Vector = SIMD4<Float>
    let t0 = Vector(repeating: tangents.x)
    let t1 = Vector(repeating: tangents.y)
    let t2 = Vector(repeating: tangents.z)
    let t3 = Vector(repeating: tangents.w)
    let signBit = SIMD4<UInt32>(repeating: 0x8000_0000)
    var x = 0
    while x < count {
      let (dx, dy, square) = strongestGradient(up + x, middle + x, down + x, planeStride, planeCount)
      let ax = Features.magnitude(dx)
      let ay = Features.magnitude(dy)
      // Each comparison that holds is -1.
      let steps =
        (negative(t0 * ax - ay) &+ negative(t1 * ax - ay)) &+ (negative(t2 * ax - ay) &+ negative(t3 * ax - ay))
      // Turned by half where it points up: then only the x component's sign matters. Adding zero makes -0 positive.
      let left = negative(Vector(bitPattern: dx.bitPattern ^ (dy.bitPattern & signBit)) + 0)
      // 9 - k to the left, k to the right.
      let right = ~left
      let direction = ((steps ^ right) &- right &+ (left & 9)) &+ (negative(dy) & 9)
      store(square.squareRoot(), magnitudes + x)
      UnsafeMutableRawPointer(slots + x).storeBytes(of: direction, as: SIMD4<Int32>.self)
      x += 4
    }
  }
}
