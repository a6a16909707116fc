import Geometry
import Imaging
import Landmarks

/// A shape drawn with the groups of its layout, each in a colour of its own, and the numbers of its points.
enum LandmarkDiagram {
  private static let side = 640.0
  private static let legend = 170.0
  private static let textSize = 10.0
  private static let ground = RGBColor(red: 28, green: 30, blue: 34)

  /// - Parameter shape: at least one point, in any units.
  /// - Throws: `InputError` where the picture cannot be made.
  static func picture(_ shape: [Point], layout: LandmarkLayout?) throws -> ByteImage {
    let (left, right) = (shape.map(\.x).min() ?? 0, shape.map(\.x).max() ?? 1)
    let (top, bottom) = (shape.map(\.y).min() ?? 0, shape.map(\.y).max() ?? 1)
    let extent = max(right - left, bottom - top, 1e-9)
    let scale = 0.88 * side / extent
    let points = shape.map { point in
      Point(
        x: side / 2 + scale * (point.x - (left + right) / 2), y: side / 2 + scale * (point.y - (top + bottom) / 2))
    }
    let groups = layout?.groups ?? []
    let canvas = try Canvas(
      width: Int(side + (groups.isEmpty ? 0 : legend)), height: Int(side), background: ground)
    // Numbers stand away from the middle of the first group that a point is in.
    var anchors = [Point?](repeating: nil, count: points.count)
    var colors = [RGBColor](repeating: .white, count: points.count)
    for (index, group) in groups.enumerated() {
      let color = RGBColor.palette[index % RGBColor.palette.count]
      canvas.draw(
        polyline: group.points.map { points[$0] }, isClosed: group.isClosed, style: .init(color: color, width: 2))
      let middle = LandmarkLayout.center(group.points, of: points)
      for point in group.points where anchors[point] == nil { (anchors[point], colors[point]) = (middle, color) }
      let row = Point(x: side + 8, y: 14 + 26 * Double(index))
      canvas.draw(
        text: "\(group.name) (\(group.points.count))", at: row, color: color, size: 13)
    }
    for (number, point) in points.enumerated() {
      canvas.draw(points: [point], color: colors[number], radius: 2.5)
      let text = "\(number)"
      var away = Point(x: 0, y: -1)
      if let anchor = anchors[number], anchor.distance(to: point) > 1 {
        let length = anchor.distance(to: point)
        away = Point(x: (point.x - anchor.x) / length, y: (point.y - anchor.y) / length)
      }
      let width = 0.62 * textSize * Double(text.utf8.count) + 0.5 * textSize
      canvas.draw(
        text: text,
        at: Point(x: point.x + 13 * away.x - width / 2, y: point.y + 13 * away.y - 0.65 * textSize), color: ground,
        size: textSize)
    }
    return canvas.image()
  }
}
