import Imaging

/// The sums of an integral image: one row and one column more than the image, the first row of zeros.
///
/// - Parameters:
///   - image: grey, of any size.
///   - fillRow: is given an image row's number, its first pixel and the first of the sums above it, and fills the sums
///     below: `width + 1` values from `above + width + 1`.
/// - Returns: `(height + 1) * (width + 1)` values, row-major.
/// - Precondition: one channel.
func integralSums<Sum: FixedWidthInteger>(
  of image: ByteImage, fillRow: (_ row: Int, _ pixels: UnsafePointer<UInt8>, _ above: UnsafeMutablePointer<Sum>) -> Void
) -> [Sum] {
  precondition(image.channelCount == 1, "an integral image is of a grey image")
  let stride = image.width + 1
  let total = (image.height + 1) * stride
  return [Sum](unsafeUninitializedCapacity: total) { buffer, count in
    count = total
    let base = buffer.baseAddress!
    guard image.width > 0 else { return base.initialize(repeating: 0, count: total) }
    base.initialize(repeating: 0, count: stride)
    image.pixels.withUnsafeBufferPointer { pixels in
      for row in 0..<image.height { fillRow(row, pixels.baseAddress! + row * image.width, base + row * stride) }
    }
  }
}
