import CCairo
import Geometry

extension Canvas {
  /// How a line looks. A dark rim under the colour keeps it visible on any background.
  public struct LineStyle: Hashable, Sendable {
    public var color: RGBColor
    /// Picture pixels; `nil` takes the canvas's own.
    public var width: Double?
    public var isDashed: Bool

    public init(color: RGBColor, width: Double? = nil, isDashed: Bool = false) {
      self.color = color
      self.width = width
      self.isDashed = isDashed
    }
  }

  /// Draws a box's outline, and a caption on a plate of its colour: above the box, else below it, or inside where there is
  /// no room.
  public func draw(_ box: Box, style: LineStyle, caption: String? = nil) {
    draw([CaptionedBox(box, style: style, caption: caption)])
  }

  /// Draws a line through points; fewer than two draw nothing.
  public func draw(polyline points: [Point], isClosed: Bool = false, style: LineStyle) {
    let finite = points.filter { $0.x.isFinite && $0.y.isFinite }
    guard finite.count >= 2 else { return }
    cairo_new_path(context)
    for point in finite { cairo_line_to(context, device(point.x), device(point.y)) }
    if isClosed { cairo_close_path(context) }
    stroke(style)
  }

  /// Draws a dot with a dark rim at each point.
  ///
  /// - Parameter radius: picture pixels; `nil` takes 1.2 line widths.
  public func draw(points: [Point], color: RGBColor, radius: Double? = nil) {
    let radius = radius ?? 1.2 * defaultLineWidth
    for point in points where point.x.isFinite && point.y.isFinite {
      for (extra, color) in [(0.8, RGBColor.black), (0, color)] {
        cairo_new_path(context)
        cairo_arc(context, device(point.x), device(point.y), radius + extra, 0, 2 * Double.pi)
        setColor(color, opacity: extra > 0 ? 0.7 : 1)
        cairo_fill(context)
      }
    }
  }

  /// Writes one line of text on a plate, its top left corner at a point; moved so that it lies in the picture.
  ///
  /// - Parameter size: height of the text in picture pixels; `nil` takes the canvas's own.
  public func draw(text: String, at point: Point, color: RGBColor = .white, size: Double? = nil) {
    guard point.x.isFinite, point.y.isFinite, !text.isEmpty else { return }
    drawPlate(text, size: size ?? defaultTextSize, left: device(point.x), top: device(point.y), color: color)
  }

  /// Image to picture coordinates, kept within what Cairo's 24 integer bits hold with room to spare.
  func device(_ value: Double) -> Double { min(max(value * scale, -65536), 65536) }

  func lineWidth(_ style: LineStyle) -> Double { max(0.5, style.width ?? defaultLineWidth) }

  func stroke(_ style: LineStyle) {
    let width = lineWidth(style)
    if style.isDashed {
      cairo_set_dash(context, [4 * width, 3 * width], 2, 0)
    }
    setColor(.black, opacity: 0.55)
    cairo_set_line_width(context, width + 1.6)
    cairo_stroke_preserve(context)
    setColor(style.color)
    cairo_set_line_width(context, width)
    cairo_stroke(context)
    cairo_set_dash(context, nil, 0, 0)
  }

  func plateSize(_ text: String, size: Double) -> (width: Double, height: Double) {
    cairo_set_font_size(context, size)
    var extents = cairo_text_extents_t()
    cairo_text_extents(context, text, &extents)
    return (extents.x_advance + 0.5 * size, 1.3 * size)
  }

  /// Black or white text on a plate of a colour, moved so that it lies in the picture where it fits.
  func drawPlate(_ text: String, size: Double, left: Double, top: Double, color: RGBColor) {
    let plate = plateSize(text, size: size)
    let x = max(0, min(left, Double(width) - plate.width))
    let y = max(0, min(top, Double(height) - plate.height))
    cairo_new_path(context)
    cairo_rectangle(context, x, y, plate.width, plate.height)
    setColor(color)
    cairo_fill(context)
    setColor(color.isLight ? .black : .white)
    cairo_move_to(context, x + 0.25 * size, y + size)
    cairo_show_text(context, text)
    cairo_new_path(context)
  }
}

extension Canvas {
  /// Writes light text without a plate, clipped to a rectangle of the picture.
  func drawLine(_ text: String, size: Double, left: Int, top: Int, width: Int, height: Int) {
    cairo_save(context)
    cairo_new_path(context)
    cairo_rectangle(context, Double(left), Double(top), Double(width), Double(height))
    cairo_clip(context)
    cairo_set_font_size(context, size)
    setColor(.white)
    cairo_move_to(context, Double(left), Double(top) + 1.1 * size)
    cairo_show_text(context, text)
    cairo_restore(context)
    cairo_new_path(context)
  }
}
