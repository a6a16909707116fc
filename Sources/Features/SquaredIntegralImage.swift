import Imaging

/// Sums of squared pixels over all boxes from an image's top left corner, for variances of windows in O(1).
///
/// Laid out as `IntegralImage`, in 64 bits: exact for every box of every image (the largest sum of 100 million pixels
/// is 6.5e12).
///
/// Memory: 8 bytes a pixel.
public struct SquaredIntegralImage: Hashable, Sendable {
  /// The image's width; a row of `sums` holds `width + 1` values.
  public let width: Int
  public let height: Int
  /// `(height + 1) * (width + 1)` values, row-major.
  public let sums: [UInt64]

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

  /// The sum of the squares of a box of whole pixels.
  ///
  /// - Precondition: the box lies in the image and its sides are not negative.
  /// - Complexity: O(1).
  public func sum(x: Int, y: Int, width boxWidth: Int, height boxHeight: Int) -> UInt64 {
    precondition(x >= 0 && y >= 0 && boxWidth >= 0 && boxHeight >= 0, "a box inside the image expected")
    precondition(x + boxWidth <= width && y + boxHeight <= height, "a box inside the image expected")
    let upper = y * stride + x
    let lower = (y + boxHeight) * stride + x
    return sums[lower + boxWidth] &- sums[lower] &- sums[upper + boxWidth] &+ sums[upper]
  }

  @inline(never)
  private static func integrateRow(
    _ pixels: UnsafePointer<UInt8>, above: UnsafePointer<UInt64>, into sums: UnsafeMutablePointer<UInt64>, _ width: Int
  ) {
    // A row's squares fit in 32 bits up to 66 051 pixels only, so the running sum is of 64.
    var running: UInt64 = 0
    sums[0] = 0
    for column in 0..<width {
      let value = UInt32(pixels[column])
      running &+= UInt64(value &* value)
      sums[column + 1] = above[column + 1] &+ running
    }
  }
}
