import CCairo
import Geometry

extension Canvas {
  /// A box to draw, with the text that belongs to it.
  public struct CaptionedBox: Hashable, Sendable {
    public var box: Box
    public var style: LineStyle
    public var caption: String?

    public init(_ box: Box, style: LineStyle, caption: String? = nil) {
      self.box = box
      self.style = style
      self.caption = caption
    }
  }

  /// Draws the outlines of several boxes, the first on top, then their captions on plates of their colours.
  ///
  /// A caption stands above its box, below it, or inside, at the left or at the right: where it covers least of the other
  /// boxes and of the captions before it, the earlier of these places where they are equal. A caption is always wholly in
  /// the picture where it fits at all. Beside a small box its text is smaller, down to 10 pixels. Boxes that are empty or not
  /// finite are left out.
  /// - Complexity: O(boxes^2).
  public func draw(_ boxes: [CaptionedBox]) {
    let shown = boxes.filter { $0.box.isFinite && !$0.box.isEmpty }
    let frames = shown.map { item in
      let (left, top) = (device(item.box.x), device(item.box.y))
      return Box(x: left, y: top, width: device(item.box.maxX) - left, height: device(item.box.maxY) - top)
    }
    for (item, frame) in zip(shown, frames).reversed() {
      cairo_new_path(context)
      cairo_rectangle(context, frame.x, frame.y, frame.width, frame.height)
      stroke(item.style)
    }
    var plates: [(plate: Box, size: Double, index: Int)] = []
    for (index, item) in shown.enumerated() {
      guard let caption = item.caption, !caption.isEmpty else { continue }
      let textSize = captionSize(caption, frame: frames[index])
      let size = plateSize(caption, size: textSize)
      let places = platePlaces(
        width: size.width, height: size.height, frame: frames[index], line: lineWidth(item.style))
      var best = places[0]
      var least = Double.infinity
      for place in places {
        var covered = place.isInside ? 0.25 * place.plate.area : 0
        for (other, frame) in frames.enumerated() where other != index {
          covered += place.plate.intersectionArea(frame)
        }
        // Two captions over each other can neither be read.
        for (plate, _, _) in plates { covered += 4 * place.plate.intersectionArea(plate) }
        if covered < least { (best, least) = (place, covered) }
      }
      plates.append((best.plate, textSize, index))
    }
    for (plate, size, index) in plates.reversed() {
      drawPlate(shown[index].caption ?? "", size: size, left: plate.x, top: plate.y, color: shown[index].style.color)
    }
  }

  /// Height of a caption's text: the canvas's own, or as much less as keeps the plate within one and a half box widths.
  private func captionSize(_ caption: String, frame: Box) -> Double {
    let width = plateSize(caption, size: defaultTextSize).width
    return max(min(10, defaultTextSize), defaultTextSize * min(1, 1.5 * frame.width / width))
  }

  /// Where a box's caption may stand, the usual place first; only places in the picture, or the usual one moved into it.
  private func platePlaces(
    width plateWidth: Double, height plateHeight: Double, frame: Box, line: Double
  ) -> [(plate: Box, isInside: Bool)] {
    let columns = [frame.x - line / 2, frame.maxX + line / 2 - plateWidth]
    let rows = [
      (frame.y - line / 2 - plateHeight, false), (frame.maxY + line / 2, false), (frame.y, true),
      (frame.maxY - plateHeight, true),
    ]
    func held(_ value: Double, _ limit: Double) -> Double { max(0, min(value, limit)) }
    let right = Double(width) - plateWidth
    let bottom = Double(height) - plateHeight
    let places = rows.flatMap { row, isInside in
      columns.map { column in
        (plate: Box(x: held(column, right), y: row, width: plateWidth, height: plateHeight), isInside: isInside)
      }
    }.filter { $0.plate.y >= 0 && $0.plate.y <= bottom }
    guard places.isEmpty else { return places }
    let usual = Box(x: held(columns[0], right), y: held(frame.y, bottom), width: plateWidth, height: plateHeight)
    return [(usual, true)]
  }
}
