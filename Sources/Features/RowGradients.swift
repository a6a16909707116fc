/// The gradients of a row's pixels, each that of its strongest channel.
///
/// A loop of their own, ahead of the one that makes orientations of them: in a single loop the chain from a pixel's values
/// to its vote is so long that the processor cannot overlap enough pixels (half as slow again in colour).
enum RowGradients {
  /// - Parameters:
  ///   - sides: at the first pixel.
  ///   - across, along: the components to the right and down; whole vectors of 8 are written.
  static func write(
    sides: GradientSides, planeStride: Int, planeCount: Int, count: Int, across: UnsafeMutablePointer<Float>,
    along: UnsafeMutablePointer<Float>
  ) {
    if planeCount == 3 {
      colour(sides, planeStride, count, across, along)
    } else {
      grey(sides, count, across, along)
    }
  }

  @inline(never)
  private static func colour(
    _ sides: GradientSides, _ planeStride: Int,
    _ count: Int, _ across: UnsafeMutablePointer<Float>, _ along: UnsafeMutablePointer<Float>
  ) {
    gradients(sides, planeStride, 3, count, across, along)
  }

  @inline(never)
  private static func grey(
    _ sides: GradientSides, _ count: Int,
    _ across: UnsafeMutablePointer<Float>, _ along: UnsafeMutablePointer<Float>
  ) {
    gradients(sides, 0, 1, count, across, along)
  }

  @inline(__always)
  private static func gradients(
    _ sides: GradientSides, _ planeStride: Int,
    _ planeCount: Int, _ count: Int, _ across: UnsafeMutablePointer<Float>, _ along: UnsafeMutablePointer<Float>
  ) {
    var x = 0
    while x < count {
      let (dx, dy) = strongestGradient(sides + x, planeStride, planeCount)
      store(dx, across + x)
      store(dy, along + x)
      x &+= 8
    }
  }
}
