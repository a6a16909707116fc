import Geometry
import Imaging

/// Sums over a band of rows of one level, as `CascadeLayout` has them: what one piece of a scan works on.
///
/// Differences of sums need nothing above the band, so that a band is computed from its own rows alone, and memory is bounded
/// by the bands at work whatever the image's size.
struct CascadeBand: ~Copyable {
  let layout: CascadeLayout
  private let pixels: UnsafeMutablePointer<UInt8>
  private let pixelCapacity: Int
  /// Values of one kind of sums.
  let capacity: Int

  init(layout: CascadeLayout, width: Int, rows: Int) {
    self.layout = layout
    pixelCapacity = width * rows
    pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, pixelCapacity))
    capacity = (rows + 1) * layout.rowStride + CascadeLayout.slack
  }

  deinit { pixels.deallocate() }

  /// Rows of a level's image.
  func fill(_ rows: Range<Int>, of resizer: OpenCVResizer, from image: UnsafePointer<UInt8>) {
    precondition(rows.count * resizer.targetSize.width <= pixelCapacity)
    resizer.fill(rows, from: image, into: pixels)
  }

  /// Sums of pixels, modulo the word's size.
  @inline(__always)
  func integrate<Word: FixedWidthInteger>(_: Word.Type, width: Int, rows: Int, into sums: UnsafeMutablePointer<Word>) {
    precondition(width + 1 <= layout.rowStride && (rows + 1) * layout.rowStride <= capacity)
    sums.update(repeating: 0, count: layout.rowStride)
    for row in 0..<rows {
      let above = sums + row * layout.rowStride
      let here = above + layout.rowStride
      var running: Word = 0
      walk(width, pixels + row * width) { pixel, place in
        if let pixel { running &+= Word(truncatingIfNeeded: pixel) }
        here[place] = above[place] &+ running
      }
    }
  }

  /// Sums of squared pixels, modulo 2^32.
  func integrateSquares(width: Int, rows: Int, into sums: UnsafeMutablePointer<UInt32>) {
    precondition(width + 1 <= layout.rowStride && (rows + 1) * layout.rowStride <= capacity)
    sums.update(repeating: 0, count: layout.rowStride)
    for row in 0..<rows {
      let above = sums + row * layout.rowStride
      let here = above + layout.rowStride
      var running: UInt32 = 0
      walk(width, pixels + row * width) { pixel, place in
        if let pixel { running &+= UInt32(pixel) &* UInt32(pixel) }
        here[place] = above[place] &+ running
      }
    }
  }

  /// Sums over triangles that open upward, as `TiltedIntegralImage` defines them, cut off at the band's first row.
  ///
  /// - Parameter lines: room for three rows of `width + 1` values.
  func integrateTilted(
    width: Int, rows: Int, into sums: UnsafeMutablePointer<Int32>, lines: UnsafeMutablePointer<Int32>
  ) {
    precondition(width >= 1 && width + 1 <= layout.rowStride && (rows + 1) * layout.rowStride <= capacity)
    sums.update(repeating: 0, count: layout.rowStride)
    var twoAbove = lines
    var above = twoAbove + width + 1
    var here = above + width + 1
    lines.update(repeating: 0, count: 3 * (width + 1))
    for row in 0..<rows {
      let pixels = pixels + row * width
      let previous = row == 0 ? pixels : pixels - width
      // Nothing stands above the band's first row.
      let share: Int32 = row == 0 ? 0 : 1
      here[0] = above[1]
      for column in 1..<max(width, 1) {
        let tip = Int32(pixels[column - 1]) &+ share &* Int32(previous[column - 1])
        here[column] = above[column - 1] &+ above[column + 1] &- twoAbove[column] &+ tip
      }
      here[width] = above[width - 1] &+ Int32(pixels[width - 1]) &+ share &* Int32(previous[width - 1])
      let target = sums + (row + 1) * layout.rowStride
      let line = UnsafePointer(here)
      var column = 0
      walk(width, pixels) { _, place in
        target[place] = line[column]
        column += 1
      }
      (twoAbove, above, here) = (above, here, twoAbove)
    }
  }

  /// Visits the `width + 1` places of a row of sums in the order of columns, with the pixel left of each.
  @inline(__always)
  private func walk(_ width: Int, _ pixels: UnsafePointer<UInt8>, _ visit: (UInt8?, Int) -> Void) {
    visit(nil, 0)
    if layout.stride == 1 {
      for column in 0..<width { visit(pixels[column], column + 1) }
    } else if layout.stride == 2 {
      let half = layout.planeStride
      var column = 1
      while column < width {
        visit(pixels[column - 1], half + column >> 1)
        visit(pixels[column], (column + 1) >> 1)
        column += 2
      }
      if column == width { visit(pixels[column - 1], half + column >> 1) }
    } else {
      for column in 1..<width + 1 {
        visit(pixels[column - 1], column % layout.stride * layout.planeStride + column / layout.stride)
      }
    }
  }
}
