import Geometry
import Imaging

/// What a predictor sees of a photo: the grey pixels around one face, no larger than the model wants them.
struct FaceView: Sendable {
  let pixels: [UInt8]
  let width: Int
  let height: Int
  /// From box units to `pixels`.
  let frame: BoxFrame
  /// From box units to the photo.
  let pictureFrame: BoxFrame

  init(pixels: [UInt8], width: Int, height: Int, frame: BoxFrame, pictureFrame: BoxFrame) {
    precondition(width > 0 && height > 0 && pixels.count == width * height)
    self.pixels = pixels
    self.width = width
    self.height = height
    self.frame = frame
    self.pictureFrame = pictureFrame
  }

  /// - Parameters:
  ///   - largestBox: the box is scaled down to this width where it is wider.
  ///   - margin: box sides seen on each side; `nil`: the whole photo.
  /// - Precondition: the box is finite and not empty and the image has pixels.
  init(_ image: ByteImage, box: Box, largestBox: Int?, margin: Double?) {
    pictureFrame = BoxFrame(box)
    var (x0, y0, x1, y1) = (0, 0, image.width, image.height)
    if let margin {
      let (dx, dy) = (margin * box.width, margin * box.height)
      x0 = FaceView.clamp(box.x - dx, image.width - 1)
      y0 = FaceView.clamp(box.y - dy, image.height - 1)
      x1 = max(x0 + 1, min(image.width, FaceView.clamp(box.maxX + dx, image.width - 1) + 1))
      y1 = max(y0 + 1, min(image.height, FaceView.clamp(box.maxY + dy, image.height - 1) + 1))
    }
    let (w, h) = (x1 - x0, y1 - y0)
    var grey = FaceView.grey(image, x: x0, y: y0, width: w, height: h)
    // Half sizes keep whole pixels together; what is left over is within a factor of two of what the model saw.
    var (gw, gh, factor) = (w, h, 1.0)
    if let largestBox {
      while box.width / factor >= 2 * Double(largestBox) && gw >= 2 && gh >= 2 {
        grey = FaceView.halved(grey, width: gw, height: gh)
        (gw, gh, factor) = (gw / 2, gh / 2, factor * 2)
      }
    }
    pixels = grey
    width = gw
    height = gh
    frame = BoxFrame(
      originX: (pictureFrame.originX - Double(x0)) / factor, originY: (pictureFrame.originY - Double(y0)) / factor,
      unitX: pictureFrame.unitX / factor, unitY: pictureFrame.unitY / factor)
  }

  func withPlane<Result>(_ body: (GreyPlane, BoxFrame) throws -> Result) rethrows -> Result {
    try pixels.withUnsafeBufferPointer { buffer in
      try body(
        GreyPlane(
          pixels: buffer.baseAddress!, width: width, height: height, originX: frame.originX, originY: frame.originY,
          unitX: frame.unitX, unitY: frame.unitY), pictureFrame)
    }
  }

  private static func clamp(_ value: Double, _ last: Int) -> Int {
    Int(min(max(value.rounded(.down), 0), Double(last)))
  }

  /// The mean of the channels, rounded down: dlib's grey.
  private static func grey(_ image: ByteImage, x: Int, y: Int, width: Int, height: Int) -> [UInt8] {
    if image.channelCount == 1 && width == image.width && height == image.height { return image.pixels }
    return image.pixels.withUnsafeBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: width * height) { output, count in
        let channels = image.channelCount
        for row in 0..<height {
          let from = source.baseAddress! + ((y + row) * image.width + x) * channels
          let to = output.baseAddress! + row * width
          if channels == 1 {
            to.initialize(from: from, count: width)
          } else {
            for k in 0..<width {
              let sum = UInt32(from[3 * k]) + UInt32(from[3 * k + 1]) + UInt32(from[3 * k + 2])
              to[k] = UInt8(truncatingIfNeeded: sum / 3)
            }
          }
        }
        count = width * height
      }
    }
  }

  private static func halved(_ pixels: [UInt8], width: Int, height: Int) -> [UInt8] {
    let (w, h) = (width / 2, height / 2)
    return pixels.withUnsafeBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: w * h) { output, count in
        for row in 0..<h {
          let top = source.baseAddress! + 2 * row * width
          let bottom = top + width
          let to = output.baseAddress! + row * w
          for k in 0..<w {
            let sum = UInt32(top[2 * k]) + UInt32(top[2 * k + 1]) + UInt32(bottom[2 * k]) + UInt32(bottom[2 * k + 1])
            to[k] = UInt8(truncatingIfNeeded: (sum + 2) / 4)
          }
        }
        count = w * h
      }
    }
  }
}
