import Geometry

extension ByteImage {
  /// The pixels of a rectangle; the nearest border pixel stands for each pixel outside the image.
  ///
  /// - Parameters x, y: left column and top row; may be negative.
  /// - Precondition: the image has pixels, the sizes are not negative.
  public func crop(x: Int, y: Int, width cropWidth: Int, height cropHeight: Int) -> ByteImage {
    precondition(width > 0 && height > 0, "an empty image has no border to replicate")
    precondition(cropWidth >= 0 && cropHeight >= 0)
    let channels = channelCount
    let count = cropWidth * cropHeight * channels
    let cut = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = count
      guard count > 0 else { return }
      // Columns of the crop left of, within and right of the image.
      let left = max(0, min(cropWidth, 0 &- x))
      let inside = max(left, min(cropWidth, width &- x))
      pixels.withUnsafeBufferPointer { p in
        for row in 0..<cropHeight {
          let source = p.baseAddress! + max(0, min(height - 1, y &+ row)) * width * channels
          let target = buffer.baseAddress! + row * cropWidth * channels
          for column in 0..<left {
            for c in 0..<channels { target[column * channels + c] = source[c] }
          }
          if inside > left {
            (target + left * channels).update(
              from: source + (x + left) * channels, count: (inside - left) * channels)
          }
          for column in inside..<cropWidth {
            for c in 0..<channels { target[column * channels + c] = source[(width - 1) * channels + c] }
          }
        }
      }
    }
    return ByteImage(width: cropWidth, height: cropHeight, channelCount: channels, pixels: cut)
  }

  /// The part of the image under a box, resampled to a size: how training windows are cut.
  ///
  /// Edges of the box may lie anywhere between pixels and outside the image, where the border pixels are repeated.
  /// `.area` (the default) averages each target pixel's footprint where the box shrinks and interpolates linearly where
  /// it grows; the two meet at scale 1, so the result changes continuously with the box. `.bilinear` takes the two
  /// nearest samples an axis whatever the scale, exactly as `resized(to:method:)` does on a detection pyramid.
  /// - Precondition: the image has pixels; the box is finite and not empty; the size is positive.
  /// - Complexity: O(source pixels under the box + target pixels).
  public func crop(_ box: Box, to size: PixelSize, method: ResizeMethod = .area) -> ByteImage {
    precondition(width > 0 && height > 0, "an empty image has no border to replicate")
    precondition(box.isFinite && !box.isEmpty, "a crop needs a finite box with an area, got \(box)")
    precondition(size.width > 0 && size.height > 0)
    let columns = AxisTaps(
      origin: box.x, extent: box.width, count: size.width, sourceCount: width, method: method, interpolatesGrowth: true)
    let rows = AxisTaps(
      origin: box.y, extent: box.height, count: size.height, sourceCount: height, method: method,
      interpolatesGrowth: true)
    return resampled(columns: columns, rows: rows)
  }
}
