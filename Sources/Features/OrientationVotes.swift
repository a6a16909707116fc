/// A row's votes for two neighbouring orientation bins a pixel.
///
/// With the bins' centres at half steps, an angle of `a` steps lies between bin `round(a) - 1` and bin `round(a)`.
/// `slots` holds `round(a)`, in 0...binCount: an accumulator of `binCount + 2` slots takes the first vote at `slot` and
/// the second at `slot + 1`; its slot `k` stands for bin `k - 1`, and the outermost two wrap around.
struct OrientationVotes {
  /// Orientation bins in one turn of 180 degrees (unsigned) or of 360 (signed).
  let binCount: Int
  let signed: Bool

  /// Votes of `count` pixels, whole vectors of 4 written.
  ///
  /// - Parameters:
  ///   - up, middle, down: rows of `GradientRows`; the first pixel is their column 0.
  ///   - magnitudes: gradient magnitudes: both votes together.
  ///   - seconds: the second votes.
  func write(
    up: UnsafePointer<Float>, middle: UnsafePointer<Float>, down: UnsafePointer<Float>, planeStride: Int,
    planeCount: Int, count: Int, magnitudes: UnsafeMutablePointer<Float>, seconds: UnsafeMutablePointer<Float>,
    slots: UnsafeMutablePointer<UInt32>
  ) {
    let steps = signed ? Float(binCount) / 2 : Float(binCount)
    switch (planeCount, signed) {
    case (3, false): Self.unsignedColour(up, middle, down, planeStride, count, steps, magnitudes, seconds, slots)
    case (3, true): Self.signedColour(up, middle, down, planeStride, count, steps, magnitudes, seconds, slots)
    case (_, false): Self.unsignedGrey(up, middle, down, planeStride, count, steps, magnitudes, seconds, slots)
    case (_, true): Self.signedGrey(up, middle, down, planeStride, count, steps, magnitudes, seconds, slots)
    }
  }

  @inline(never)
  private static func unsignedColour(
    _ up: UnsafePointer<Float>, _ middle: UnsafePointer<Float>, _ down: UnsafePointer<Float>, _ planeStride: Int,
    _ count: Int, _ stepsInHalfTurn: Float, _ magnitudes: UnsafeMutablePointer<Float>,
    _ seconds: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    votes(up, middle, down, planeStride, 3, count, stepsInHalfTurn, false, magnitudes, seconds, slots)
  }

  @inline(never)
  private static func signedColour(
    _ up: UnsafePointer<Float>, _ middle: UnsafePointer<Float>, _ down: UnsafePointer<Float>, _ planeStride: Int,
    _ count: Int, _ stepsInHalfTurn: Float, _ magnitudes: UnsafeMutablePointer<Float>,
    _ seconds: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    votes(up, middle, down, planeStride, 3, count, stepsInHalfTurn, true, magnitudes, seconds, slots)
  }

  @inline(never)
  private static func unsignedGrey(
    _ up: UnsafePointer<Float>, _ middle: UnsafePointer<Float>, _ down: UnsafePointer<Float>, _ planeStride: Int,
    _ count: Int, _ stepsInHalfTurn: Float, _ magnitudes: UnsafeMutablePointer<Float>,
    _ seconds: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    votes(up, middle, down, planeStride, 1, count, stepsInHalfTurn, false, magnitudes, seconds, slots)
  }

  @inline(never)
  private static func signedGrey(
    _ up: UnsafePointer<Float>, _ middle: UnsafePointer<Float>, _ down: UnsafePointer<Float>, _ planeStride: Int,
    _ count: Int, _ stepsInHalfTurn: Float, _ magnitudes: UnsafeMutablePointer<Float>,
    _ seconds: UnsafeMutablePointer<Float>, _ slots: UnsafeMutablePointer<UInt32>
  ) {
    votes(up, middle, down, planeStride, 1, count, stepsInHalfTurn, true, magnitudes, seconds, slots)
  }

  /// The arctangent is Abramowitz and Stegun's polynomial 4.4.49 (error at most 1e-5 radians), scaled to steps.
  @inline(__always)
  private static func votes(
    _ up: UnsafePointer<Float>, _ middle: UnsafePointer<Float>, _ down: UnsafePointer<Float>, _ planeStride: Int,
    _ planeCount: Int, _ count: Int, _ stepsInHalfTurn: Float, _ signed: Bool,
    _ magnitudes: UnsafeMutablePointer<Float>, _ seconds: UnsafeMutablePointer<Float>,
    _ slots: UnsafeMutablePointer<UInt32>
  ) {
    typealias Vector = SIMD4<Float>
    let scale = stepsInHalfTurn / Float.pi
    let c1 = Vector(repeating: 0.9998660 * scale)
    let c3 = Vector(repeating: -0.3302995 * scale)
    let c5 = Vector(repeating: 0.1801410 * scale)
    let c7 = Vector(repeating: -0.0851330 * scale)
    let c9 = Vector(repeating: 0.0208351 * scale)
    let quarter = Vector(repeating: stepsInHalfTurn / 2)
    let half = Vector(repeating: stepsInHalfTurn)
    let whole = Vector(repeating: 2 * stepsInHalfTurn)
    let tiny = Vector(repeating: 1e-20)
    let rounder = Vector(repeating: 0x1p23)
    let signBit = SIMD4<UInt32>(repeating: 0x8000_0000)
    var x = 0
    while x < count {
      let (dx, dy, square) = strongestGradient(up + x, middle + x, down + x, planeStride, planeCount)
      let ax = Features.magnitude(dx)
      let ay = Features.magnitude(dy)
      let steep = negative(ax - ay)
      let ratio = select(steep, ax, ay) / (select(steep, ay, ax) + tiny)
      let r2 = ratio * ratio
      var angle = ((((c9 * r2 + c7) * r2 + c5) * r2 + c3) * r2 + c1) * ratio
      angle = select(steep, quarter - angle, angle)
      if signed {
        angle = select(negative(dx), half - angle, angle)
        angle = select(negative(dy), whole - angle, angle)
      } else {
        // A gradient that points up is turned by half: its x component's sign changes.
        let turned = Vector(bitPattern: dx.bitPattern ^ (dy.bitPattern & signBit))
        angle = select(negative(turned), half - angle, angle)
      }
      let rounded = angle + rounder
      let second = angle + 0.5 - (rounded - rounder)
      let strength = square.squareRoot()
      store(strength, magnitudes + x)
      store(strength * second, seconds + x)
      UnsafeMutableRawPointer(slots + x).storeBytes(
        of: rounded.bitPattern & SIMD4<UInt32>(repeating: 0x1FF), as: SIMD4<UInt32>.self)
      x += 4
    }
  }
}
