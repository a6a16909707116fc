import Geometry

extension ByteImage {
  /// The mirror image: left and right exchanged.
  public func mirrored() -> ByteImage { oriented(.upMirrored) }

  /// The image that stands upright when this one is stored with an EXIF orientation.
  ///
  /// Orientations 5 to 8 exchange width and height. Only bytes are moved: no value changes.
  public func oriented(_ orientation: Orientation) -> ByteImage {
    guard orientation != .up, width > 0, height > 0 else {
      return orientation.swapsAxes
        ? ByteImage(width: height, height: width, channelCount: channelCount, pixels: pixels) : self
    }
    // Source pixel of target (x, y): origin + x * stepX + y * stepY.
    let (lastColumn, lastRow) = (width - 1, (height - 1) * width)
    let (origin, stepX, stepY): (Int, Int, Int) =
      switch orientation {
      case .up: (0, 1, width)
      case .upMirrored: (lastColumn, -1, width)
      case .down: (lastRow + lastColumn, -1, -width)
      case .downMirrored: (lastRow, 1, -width)
      case .leftMirrored: (0, width, 1)
      case .right: (lastRow, -width, 1)
      case .rightMirrored: (lastRow + lastColumn, -width, -1)
      case .left: (lastColumn, width, -1)
      }
    let target =
      orientation.swapsAxes ? PixelSize(width: height, height: width) : PixelSize(width: width, height: height)
    let channels = channelCount
    let moved = [UInt8](unsafeUninitializedCapacity: pixels.count) { buffer, filled in
      filled = pixels.count
      pixels.withUnsafeBufferPointer { p in
        // Tiles keep both the rows read and the rows written in the cache when axes are exchanged.
        let tile = 32
        for tileY in stride(from: 0, to: target.height, by: tile) {
          for tileX in stride(from: 0, to: target.width, by: tile) {
            for y in tileY..<min(tileY + tile, target.height) {
              var from = (origin + tileX * stepX + y * stepY) * channels
              var to = (y * target.width + tileX) * channels
              for _ in tileX..<min(tileX + tile, target.width) {
                for c in 0..<channels { buffer[to + c] = p[from + c] }
                from += stepX * channels
                to += channels
              }
            }
          }
        }
      }
    }
    return ByteImage(width: target.width, height: target.height, channelCount: channels, pixels: moved)
  }
}
