import Execution
import Geometry

/// A grid of small pictures with captions: false alarms, missed objects, training windows at a glance.
public enum ContactSheet {
  /// One picture of the sheet.
  public struct Cell: Sendable {
    public var image: ByteImage
    /// One line below the picture; `nil` or empty leaves the line blank.
    public var caption: String?

    public init(image: ByteImage, caption: String? = nil) {
      self.image = image
      self.caption = caption
    }
  }

  /// The grey between pictures.
  public static let ground = RGBColor(red: 64, green: 64, blue: 64)

  /// Lays pictures out row by row, each fitted into a cell with its aspect ratio kept, on a grey ground.
  ///
  /// - Parameters:
  ///   - cells: at least one; those without pixels leave their place empty.
  ///   - cellSize: room for one picture in pixels.
  ///   - columns: pictures in a row; fewer pictures make a narrower sheet.
  ///   - margin: pixels between pictures and around them.
  /// - Throws: `InputError` where there are no cells or the sheet's sides exceed 32767 pixels.
  /// - Precondition: `cellSize` and `columns` are positive, `margin` is not negative.
  public static func render(
    _ cells: [Cell], cellSize: PixelSize, columns: Int, margin: Int = 6
  ) throws -> ByteImage {
    precondition(cellSize.width > 0 && cellSize.height > 0 && columns > 0 && margin >= 0)
    guard !cells.isEmpty else {
      throw InputError(source: "contact sheet", problem: "has nothing to show", found: "no pictures")
    }
    let hasCaptions = cells.contains { !($0.caption ?? "").isEmpty }
    let textSize = min(max(10, Double(cellSize.height) / 10), 16)
    let lineHeight = hasCaptions ? Int(1.5 * textSize) : 0
    let across = min(columns, cells.count)
    let down = (cells.count + across - 1) / across
    let stepX = cellSize.width + margin
    let stepY = cellSize.height + lineHeight + margin
    let canvas = try Canvas(
      width: across * stepX + margin, height: down * stepY + margin, background: ground)
    for (index, cell) in cells.enumerated() where cell.image.width > 0 && cell.image.height > 0 {
      let left = margin + index % across * stepX
      let top = margin + index / across * stepY
      let factor = min(
        Double(cellSize.width) / Double(cell.image.width), Double(cellSize.height) / Double(cell.image.height))
      let size = PixelSize(
        width: min(cellSize.width, max(1, Int((Double(cell.image.width) * factor).rounded()))),
        height: min(cellSize.height, max(1, Int((Double(cell.image.height) * factor).rounded()))))
      let fitted = cell.image.resized(to: size, method: factor < 1 ? .area : .bilinear)
      canvas.draw(
        pixelsOf: fitted, column: left + (cellSize.width - size.width) / 2,
        row: top + (cellSize.height - size.height) / 2)
      if let caption = cell.caption, !caption.isEmpty {
        canvas.drawLine(
          caption, size: textSize, left: left, top: top + cellSize.height, width: cellSize.width, height: lineHeight)
      }
    }
    return canvas.image()
  }
}
