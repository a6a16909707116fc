import CCairo
import Execution
import Geometry

/// A picture to draw on: boxes, captions, points and lines over a photo, by Cairo.
///
/// Coordinates are those of the image that the canvas was made from, whatever its scale; widths of lines and sizes of
/// text are pixels of the picture that comes out. What lies outside is clipped; what is not finite is left out.
///
/// ```swift
/// let canvas = try Canvas(photo)
/// canvas.draw(result.detections)
/// try ImageFile.write(canvas.image(), to: "overlay.png")
/// ```
public final class Canvas {
  /// The finished picture's columns.
  public let width: Int
  /// The finished picture's rows.
  public let height: Int
  /// Picture pixels for each image pixel.
  public let scale: Double
  /// Width of lines that names none: about 1/300 of the shorter side, at least 1.5.
  public let defaultLineWidth: Double
  /// Height of text that names none: about 1/35 of the shorter side, within 11...40.
  public let defaultTextSize: Double

  private let surface: OpaquePointer
  let context: OpaquePointer

  /// A canvas that shows an image.
  ///
  /// - Parameter scale: enlarges (above 1) or shrinks the picture.
  /// - Throws: `InputError` where the picture would have no pixels, a side over 32767, or more memory than there is.
  /// - Precondition: `scale` is finite and positive.
  public convenience init(_ image: ByteImage, scale: Double = 1) throws {
    precondition(scale.isFinite && scale > 0, "a canvas needs a positive scale, got \(scale)")
    guard image.width > 0 && image.height > 0 else { throw Canvas.failure(image.width, image.height, nil) }
    let width = max(1, (Double(image.width) * scale).rounded())
    let height = max(1, (Double(image.height) * scale).rounded())
    guard width <= 32767 && height <= 32767 else { throw Canvas.failure(Int(width), Int(height), nil) }
    try self.init(width: Int(width), height: Int(height), scale: scale, background: nil)
    draw(pixelsOf: image.resized(to: PixelSize(width: self.width, height: self.height)).rgb(), column: 0, row: 0)
  }

  /// An empty canvas of one colour.
  ///
  /// - Throws: as the other initializer.
  public convenience init(width: Int, height: Int, background: RGBColor = .white) throws {
    try self.init(width: width, height: height, scale: 1, background: background)
  }

  private init(width: Int, height: Int, scale: Double, background: RGBColor?) throws {
    guard width > 0 && height > 0 && width <= 32767 && height <= 32767 else {
      throw Canvas.failure(width, height, nil)
    }
    guard let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height)),
      cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS
    else { throw Canvas.failure(width, height, "no memory for it") }
    guard let context = cairo_create(surface), cairo_status(context) == CAIRO_STATUS_SUCCESS else {
      cairo_surface_destroy(surface)
      throw Canvas.failure(width, height, "no memory for it")
    }
    self.width = width
    self.height = height
    self.scale = scale
    self.surface = surface
    self.context = context
    let side = Double(min(width, height))
    defaultLineWidth = max(1.5, side / 300)
    defaultTextSize = min(max(11, side / 35), 40)
    cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
    cairo_set_line_join(context, CAIRO_LINE_JOIN_MITER)
    if let background {
      setColor(background)
      cairo_paint(context)
    }
  }

  deinit {
    cairo_destroy(context)
    cairo_surface_destroy(surface)
  }

  /// The picture so far, as RGB.
  public func image() -> ByteImage {
    cairo_surface_flush(surface)
    let stride = Int(cairo_image_surface_get_stride(surface))
    let count = width * height * 3
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = count
      guard let data = cairo_image_surface_get_data(surface) else {
        buffer.update(repeating: 0)
        return
      }
      for y in 0..<height {
        let row = UnsafeRawPointer(data + y * stride)
        for x in 0..<width {
          let word = row.load(fromByteOffset: 4 * x, as: UInt32.self)
          let target = (y * width + x) * 3
          buffer[target] = UInt8(truncatingIfNeeded: word >> 16)
          buffer[target + 1] = UInt8(truncatingIfNeeded: word >> 8)
          buffer[target + 2] = UInt8(truncatingIfNeeded: word)
        }
      }
    }
    return ByteImage(width: width, height: height, channelCount: 3, pixels: pixels)
  }

  /// Copies an image's pixels onto the picture's, unscaled; what does not fit is cut off.
  func draw(pixelsOf image: ByteImage, column: Int, row: Int) {
    cairo_surface_flush(surface)
    guard let data = cairo_image_surface_get_data(surface) else { return }
    let stride = Int(cairo_image_surface_get_stride(surface))
    let channels = image.channelCount
    let columns = max(0, -column)..<max(0, -column, min(image.width, width - column))
    let rows = max(0, -row)..<max(0, -row, min(image.height, height - row))
    image.pixels.withUnsafeBufferPointer { p in
      for y in rows {
        let target = UnsafeMutableRawPointer(data + (row + y) * stride)
        for x in columns {
          let at = (y * image.width + x) * channels
          let (red, green, blue) = channels == 3 ? (p[at], p[at + 1], p[at + 2]) : (p[at], p[at], p[at])
          target.storeBytes(
            of: UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), toByteOffset: 4 * (column + x),
            as: UInt32.self)
        }
      }
    }
    cairo_surface_mark_dirty(surface)
  }

  func setColor(_ color: RGBColor, opacity: Double = 1) {
    cairo_set_source_rgba(
      context, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255, opacity)
  }

  private static func failure(_ width: Int, _ height: Int, _ reason: String?) -> InputError {
    InputError(
      source: "picture", problem: "cannot be drawn", found: "\(width) x \(height)" + (reason.map { ", \($0)" } ?? ""),
      expected: "1...32767 pixels a side")
  }
}
