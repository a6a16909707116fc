import Geometry
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// An image and its halvings, from which levels and training windows are sampled.
///
/// A level is interpolated linearly from the smallest halving that is at least its size, so that no detail is skipped
/// (interpolation alone aliases below half size) and no level costs more than four times its own pixels. Training
/// windows are cut by the same rule, so that a window looks in training as it looks in a scan.
struct ImageOctaves: Sendable {
  private let images: [ByteImage]

  /// - Parameter smallest: size below which no level or window is asked for.
  init(_ image: ByteImage, smallest: PixelSize) {
    var images = [image]
    while let last = images.last, last.width / 2 >= max(1, smallest.width), last.height / 2 >= max(1, smallest.height) {
      let half = PixelSize(width: (last.width + 1) / 2, height: (last.height + 1) / 2)
      images.append(last.resized(to: half, method: .area))
    }
    self.images = images
  }

  var full: ByteImage { images[0] }

  /// The whole image at a size, within a frame in which its border is repeated, in the memory of `image`.
  func write(level size: PixelSize, into image: inout ByteImage, left: Int, top: Int, frame: PixelSize) {
    image.setToResized(source(forLevel: size), size: size, left: left, top: top, frame: frame)
  }

  private func source(forLevel size: PixelSize) -> ByteImage {
    images.last { $0.width >= size.width && $0.height >= size.height } ?? images[0]
  }

  /// The part of the image under `box` (pixels of the full image; the border is repeated outside it) at a size.
  func window(_ box: Box, size: PixelSize) -> ByteImage {
    let source = source(for: box, size: size)
    let part = box.scaled(
      x: Double(source.width) / Double(full.width), y: Double(source.height) / Double(full.height))
    return source.crop(part, to: size, method: .bilinear)
  }

  /// The part of the image under a turned box at a size.
  ///
  /// - Parameters:
  ///   - rotation: radians; the box is turned clockwise as seen, so that what is tilted clockwise comes out upright.
  ///   - pivot: the point about which it is turned, in pixels of the full image.
  func window(_ box: Box, size: PixelSize, rotation: Double, pivot: Point) -> ByteImage {
    let source = source(for: box, size: size)
    let factorX = Double(source.width) / Double(full.width)
    let factorY = Double(source.height) / Double(full.height)
    let (cosine, sine) = (cos(rotation), sin(rotation))
    let (stepX, stepY) = (box.width / Double(size.width), box.height / Double(size.height))
    let channels = source.channelCount
    let count = size.width * size.height * channels
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = count
      source.pixels.withUnsafeBufferPointer { pixels in
        let (columns, rows) = (source.width, source.height)
        for row in 0..<size.height {
          let v = box.y + (Double(row) + 0.5) * stepY - pivot.y
          for column in 0..<size.width {
            let u = box.x + (Double(column) + 0.5) * stepX - pivot.x
            let x = max(0, min(Double(columns - 1), (pivot.x + cosine * u - sine * v) * factorX - 0.5))
            let y = max(0, min(Double(rows - 1), (pivot.y + sine * u + cosine * v) * factorY - 0.5))
            let (left, top) = (Int(x), Int(y))
            let (right, bottom) = (min(columns - 1, left + 1), min(rows - 1, top + 1))
            let (a, b) = (x - Double(left), y - Double(top))
            for c in 0..<channels {
              func at(_ row: Int, _ column: Int) -> Double { Double(pixels[(row * columns + column) * channels + c]) }
              let upper = at(top, left) * (1 - a) + at(top, right) * a
              let lower = at(bottom, left) * (1 - a) + at(bottom, right) * a
              buffer[(row * size.width + column) * channels + c] = UInt8((upper * (1 - b) + lower * b).rounded())
            }
          }
        }
      }
    }
    return ByteImage(width: size.width, height: size.height, channelCount: channels, pixels: pixels)
  }

  /// The smallest halving that has at least a pixel for each of the target's.
  private func source(for box: Box, size: PixelSize) -> ByteImage {
    let ratio = min(box.width / Double(size.width), box.height / Double(size.height))
    var index = 0
    while index + 1 < images.count, ratio >= Double(images[0].width) / Double(images[index + 1].width) { index += 1 }
    return images[index]
  }
}
