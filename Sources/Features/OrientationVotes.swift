/// A row's votes for two neighbouring orientation bins a pixel.
///
/// With the bins' centres at half steps, an angle of `a` steps lies between bin `round(a) - 1` and bin `round(a)`.
/// `slots` holds `round(a)`, in 0...binCount: an accumulator of `binCount + 2` slots takes the first vote at `slot` and
/// the second at `slot + 1`; its slot `k` stands for bin `k - 1`, and the outermost two wrap around.
struct OrientationVotes {
  /// Orientation bins in one turn of 180 degrees (unsigned) or of 360 (signed).
  let binCount: Int
  let signed: Bool

  /// Votes of `count` pixels, whole vectors of 8 written, each `vectorStride` values behind the one before.
  ///
  /// Gradients are computed first, and votes from them (see `RowGradients`).
  /// - Parameters:
  ///   - sides: at the first pixel.
  ///   - gradients: room for two floats a pixel, the count rounded up to whole vectors.
  ///   - firsts, seconds: the votes for the two bins; their sum is the gradient's magnitude.
  func write(
    sides: GradientSides, planeStride: Int, planeCount: Int, count: Int, gradients: UnsafeMutablePointer<Float>,
    firsts: UnsafeMutablePointer<Float>,
    seconds: UnsafeMutablePointer<Float>, slots: UnsafeMutablePointer<UInt32>, vectorStride: Int
  ) {
    let along = gradients + (count + 7) / 8 * 8
    RowGradients.write(
      sides: sides, planeStride: planeStride, planeCount: planeCount, count: count,
      across: gradients, along: along)
    if signed {
      Self.signedVotes(count, Float(binCount) / 2, gradients, along, firsts, seconds, slots, vectorStride)
    } else {
      Self.unsignedVotes(count, Float(binCount), gradients, along, firsts, seconds, slots, vectorStride)
    }
  }

  @inline(never)
  private static func unsignedVotes(
    _ count: Int, _ stepsInHalfTurn: Float, _ across: UnsafePointer<Float>, _ along: UnsafePointer<Float>,
    _ firsts: UnsafeMutablePointer<Float>, _ seconds: UnsafeMutablePointer<Float>,
    _ slots: UnsafeMutablePointer<UInt32>, _ vectorStride: Int
  ) {
    votes(count, stepsInHalfTurn, false, across, along, firsts, seconds, slots, vectorStride)
  }

  @inline(never)
  private static func signedVotes(
    _ count: Int, _ stepsInHalfTurn: Float, _ across: UnsafePointer<Float>, _ along: UnsafePointer<Float>,
    _ firsts: UnsafeMutablePointer<Float>, _ seconds: UnsafeMutablePointer<Float>,
    _ slots: UnsafeMutablePointer<UInt32>, _ vectorStride: Int
  ) {
    votes(count, stepsInHalfTurn, true, across, along, firsts, seconds, slots, vectorStride)
  }

  /// Votes from the gradients' parts across and down.
  ///
  /// The arctangent is Abramowitz and Stegun's polynomial 4.4.49 (error at most 1e-5 radians), scaled to steps.
  @inline(__always)
  private static func votes(
    _ count: Int, _ stepsInHalfTurn: Float, _ signed: Bool, _ across: UnsafePointer<Float>,
    _ along: UnsafePointer<Float>, _ firsts: UnsafeMutablePointer<Float>, _ seconds: UnsafeMutablePointer<Float>,
    _ slots: UnsafeMutablePointer<UInt32>, _ vectorStride: Int
  ) {
    typealias Vector = SIMD8<Float>
    let scale = stepsInHalfTurn / Float.pi
    let c1 = Vector(repeating: 0.9998660 * scale)
    let c3 = Vector(repeating: -0.3302995 * scale)
    let c5 = Vector(repeating: 0.1801410 * scale)
    let c7 = Vector(repeating: -0.0851330 * scale)
    let c9 = Vector(repeating: 0.0208351 * scale)
    let quarter = Vector(repeating: stepsInHalfTurn / 2)
    let half = Vector(repeating: stepsInHalfTurn)
    let tiny = Vector(repeating: 1e-20)
    let rounder = Vector(repeating: 0x1p23)
    let signBit = SIMD8<UInt32>(repeating: 0x8000_0000)
    var x = 0
    var to = 0
    while x < count {
      let dx = load8(across + x)
      let dy = load8(along + x)
      let square = dx * dx + dy * dy
      let ax = Features.magnitude(dx)
      let ay = Features.magnitude(dy)
      let steepness = ax - ay
      let steep = negative(steepness)
      let exchange = (ax.bitPattern ^ ay.bitPattern) & unsafeBitCast(steep, to: SIMD8<UInt32>.self)
      let ratio = Vector(bitPattern: ay.bitPattern ^ exchange) / (Vector(bitPattern: ax.bitPattern ^ exchange) + tiny)
      let r2 = ratio * ratio
      let first = ((((c9 * r2 + c7) * r2 + c5) * r2 + c3) * r2 + c1) * ratio
      // The angle falls from a quarter where steep, from a half where the components' signs differ, and rises from a
      // quarter where both: one change of sign and one addition serve all octants. (Half turned: a gradient that
      // points up.)
      let slant = dx.bitPattern ^ dy.bitPattern
      let opposed = negative(Vector(bitPattern: slant))
      let start = select(
        steep, quarter, Vector(bitPattern: half.bitPattern & unsafeBitCast(opposed, to: SIMD8<UInt32>.self)))
      var angle = Vector(bitPattern: first.bitPattern ^ ((steepness.bitPattern ^ slant) & signBit)) + start
      if signed { angle = select(negative(dy), angle + half, angle) }
      let rounded = angle + rounder
      let second = angle + 0.5 - (rounded - rounder)
      let strength = square.squareRoot()
      let share = strength * second
      store(strength - share, firsts + to)
      store(share, seconds + to)
      UnsafeMutableRawPointer(slots + to).storeBytes(
        of: rounded.bitPattern & SIMD8<UInt32>(repeating: 0x1FF), as: SIMD8<UInt32>.self)
      x &+= 8
      to &+= vectorStride
    }
  }
}
