/// Where the pixels lie, in rows of `GradientRows`, whose differences are the gradients of a row's pixels.
struct GradientSides {
  let left, right, up, down: UnsafePointer<Float>

  /// Those of the gradients of a padded row, from its column `first` on. Valid as `GradientRows.row` is.
  init(_ rows: GradientRows, row: Int, first: Int = 0) {
    // From the upper row down, so that none of them takes another's place.
    up = rows.row(row - rows.reach) + rows.reach + first
    left = rows.row(row) + first
    right = left + 2 * rows.reach
    down = rows.row(row + rows.reach) + rows.reach + first
  }

  private init(
    left: UnsafePointer<Float>, right: UnsafePointer<Float>, up: UnsafePointer<Float>, down: UnsafePointer<Float>
  ) {
    (self.left, self.right, self.up, self.down) = (left, right, up, down)
  }

  @inline(__always)
  static func + (sides: GradientSides, offset: Int) -> GradientSides {
    GradientSides(
      left: sides.left + offset, right: sides.right + offset, up: sides.up + offset, down: sides.down + offset)
  }
}
