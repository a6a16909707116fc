import Imaging

/// Sums over all triangles that open upward at 45 degrees, from which the sum over any box turned by 45 degrees takes
/// four look-ups.
///
/// `sums` has one row and one column more than the image: the value at row `r` and column `c` is the sum of the pixels
/// of rows `y < r` whose column `x` holds `|x - c + 1| <= r - y - 1`: the triangle whose lowest pixel is `(c - 1,
/// r - 1)`. Values are kept modulo 2^32, as in `IntegralImage`; `sum` is exact for every box.
///
/// Memory: 4 bytes a pixel. Reference: R. Lienhart, J. Maydt, "An extended set of Haar-like features for rapid object
/// detection", ICIP 2002.
public struct TiltedIntegralImage: Hashable, Sendable {
  /// The image's width; a row of `sums` holds `width + 1` values.
  public let width: Int
  public let height: Int
  /// `(height + 1) * (width + 1)` values modulo 2^32, row-major.
  public let sums: [UInt32]

  /// Values from one row of `sums` to the next.
  public var stride: Int { width + 1 }

  /// - Parameter image: grey, of any size.
  /// - Precondition: one channel.
  public init(_ image: ByteImage) {
    let width = image.width
    let stride = width + 1
    self.width = width
    height = image.height
    let zeros = [UInt32](repeating: 0, count: stride)
    let dark = [UInt8](repeating: 0, count: width)
    sums = zeros.withUnsafeBufferPointer { zeros in
      dark.withUnsafeBufferPointer { dark in
        integralSums(of: image) { row, pixels, above in
          Self.integrateRow(
            pixels, previous: row == 0 ? dark.baseAddress! : pixels - width, above: above,
            twoAbove: row == 0 ? zeros.baseAddress! : UnsafePointer(above - stride), into: above + stride, width)
        }
      }
    }
  }

  /// The sum over a box turned by 45 degrees about its topmost corner, as OpenCV's tilted features have it.
  ///
  /// From the corner `(x, y)` the box runs `width` steps down to the right and `height` steps down to the left; it
  /// covers `2 * width * height` pixels.
  ///
  /// - Precondition: `x - height >= 0`, `x + width <= self.width`, `y >= 0`, `y + width + height <= self.height`.
  /// - Complexity: O(1): one difference for each 16.8 million pixels.
  public func sum(x: Int, y: Int, width boxWidth: Int, height boxHeight: Int) -> UInt64 {
    precondition(boxWidth >= 0 && boxHeight >= 0 && y >= 0, "a tilted box inside the image expected")
    precondition(
      x - boxHeight >= 0 && x + boxWidth <= width && y + boxWidth + boxHeight <= height,
      "a tilted box inside the image expected")
    let stepsAtOnce = max(1, IntegralImage.exactArea / max(1, 2 * boxWidth))
    var total: UInt64 = 0
    var start = 0
    while start < boxHeight {
      let steps = min(stepsAtOnce, boxHeight - start)
      let top = (y + start) * stride + x - start
      let left = top + steps * stride - steps
      let right = top + boxWidth * stride + boxWidth
      let bottom = right + steps * stride - steps
      total += UInt64(sums[top] &- sums[left] &- sums[right] &+ sums[bottom])
      start += steps
    }
    return total
  }

  /// A triangle is its two upper neighbours' union, less what they share, with the two pixels at its tip. Beyond the
  /// left and right borders the neighbour's triangle holds the same pixels as the one that is taken off.
  @inline(never)
  private static func integrateRow(
    _ pixels: UnsafePointer<UInt8>, previous: UnsafePointer<UInt8>, above: UnsafePointer<UInt32>,
    twoAbove: UnsafePointer<UInt32>, into sums: UnsafeMutablePointer<UInt32>, _ width: Int
  ) {
    sums[0] = above[1]
    for column in 1..<max(width, 1) {
      let tip = UInt32(pixels[column - 1]) &+ UInt32(previous[column - 1])
      sums[column] = above[column - 1] &+ above[column + 1] &- twoAbove[column] &+ tip
    }
    sums[width] = above[width - 1] &+ UInt32(pixels[width - 1]) &+ UInt32(previous[width - 1])
  }
}
