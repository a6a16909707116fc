import Geometry
import Imaging

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

  /// The whole image at a size.
  func level(_ size: PixelSize) -> ByteImage {
    let source = images.last { $0.width >= size.width && $0.height >= size.height } ?? images[0]
    return source.resized(to: size, method: .bilinear)
  }

  /// The part of the image under `box` (pixels of the full image; the border is repeated outside it) at a size.
  func window(_ box: Box, size: PixelSize) -> ByteImage {
    let ratio = min(box.width / Double(size.width), box.height / Double(size.height))
    var index = 0
    while index + 1 < images.count, ratio >= Double(images[0].width) / Double(images[index + 1].width) { index += 1 }
    let source = images[index]
    let part = box.scaled(
      x: Double(source.width) / Double(full.width), y: Double(source.height) / Double(full.height))
    return source.crop(part, to: size, method: .bilinear)
  }
}
