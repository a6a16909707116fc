import Geometry
import Imaging

/// Sums over all boxes from an image's top left corner, from which the sum over any box takes four look-ups.
///
/// `sums` has one row and one column more than the image: the value at row `r` and column `c` is the sum of the pixels
/// above row `r` and left of column `c`, so row 0 and column 0 are zero. Values are kept modulo 2^32. A difference of
/// them is exact for every box of at most 16 843 009 pixels (2^32 / 255); `sum(x:y:width:height:)` cuts larger boxes and is exact for
/// all. Four bytes a value keep a cascade's scan in cache.
///
/// Memory: 4 bytes a pixel. Reference: F. Crow, "Summed-area tables for texture mapping", SIGGRAPH 1984.
public struct IntegralImage: Hashable, Sendable {
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
    self.width = width
    height = image.height
    sums = integralSums(of: image) { _, pixels, above in
      Self.integrateRow(pixels, above: above, into: above + width + 1, width)
    }
  }

  /// The sum of a box of whole pixels, exact for every box.
  ///
  /// - Precondition: the box lies in the image and its sides are not negative.
  /// - Complexity: O(1): one difference for each 16.8 million pixels.
  public func sum(x: Int, y: Int, width boxWidth: Int, height boxHeight: Int) -> UInt64 {
    precondition(x >= 0 && y >= 0 && boxWidth >= 0 && boxHeight >= 0, "a box inside the image expected")
    precondition(x + boxWidth <= width && y + boxHeight <= height, "a box inside the image expected")
    let rowsAtOnce = max(1, Self.exactArea / max(1, boxWidth))
    var total: UInt64 = 0
    var top = y
    while top < y + boxHeight {
      let bottom = min(top + rowsAtOnce, y + boxHeight)
      let upper = top * stride + x
      let lower = bottom * stride + x
      total += UInt64(sums[lower + boxWidth] &- sums[lower] &- sums[upper + boxWidth] &+ sums[upper])
      top = bottom
    }
    return total
  }

  /// The largest area whose sum surely fits in 32 bits.
  static let exactArea = Int(UInt32.max) / 255

  @inline(never)
  private static func integrateRow(
    _ pixels: UnsafePointer<UInt8>, above: UnsafePointer<UInt32>, into sums: UnsafeMutablePointer<UInt32>, _ width: Int
  ) {
    var running: UInt32 = 0
    sums[0] = 0
    for column in 0..<width {
      running &+= UInt32(pixels[column])
      sums[column + 1] = above[column + 1] &+ running
    }
  }
}
