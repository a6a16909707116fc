import Execution
import Foundation
import Geometry

/// Faces with their true and their fitted points, for pages.
enum LandmarkGallery {
  /// The best, the median and the worst fits of one report, by the first normalisation's error.
  static func html(
    _ report: LandmarkReport, provider: any GalleryImageProvider, options: GalleryOptions, executor: ParallelExecutor
  ) -> String {
    let sorted = report.faces.filter { $0.error != nil }.sorted {
      ($0.error ?? 0, $0.comparison.name) < ($1.error ?? 0, $1.comparison.name)
    }
    let count = min(options.limit, sorted.count)
    let middle = (sorted.count - count) / 2
    var text = "<p class=\"lead\"><span class=\"key\"></span>fitted<span class=\"key truth\"></span>labelled</p>\n"
    for (title, faces) in [
      ("The best", sorted.prefix(count)), ("About the median", sorted[middle..<middle + count]),
      ("The worst, the worst first", ArraySlice(sorted.suffix(count).reversed())),
    ] {
      text += "<h3>\(title) <span class=\"range\">\(count) of \(NumberText.count(sorted.count))</span></h3>\n"
      guard count > 0 else {
        text += "<p class=\"lead\">None.</p>\n"
        continue
      }
      let list = Array(faces)
      let pictures = executor.map(list.count) { index -> String? in
        let image = AnnotatedImage(name: list[index].image, path: "", annotations: [])
        return provider.picture(of: region(list[index]), in: image, side: 2 * options.side)
          .flatMap(Gallery.dataAddress)
      }
      text += "<div class=\"gallery faces\">\n"
      for (face, picture) in zip(list, pictures) { text += figure(face, picture, report.outlines) }
      text += "</div>\n"
    }
    return text
  }

  /// A square that holds the true points with room around them, and the fitted ones where they are near.
  private static func region(_ face: LandmarkReport.Face) -> Box {
    let points = face.comparison.truth.compactMap { $0 }
    guard let left = points.map(\.x).min(), let right = points.map(\.x).max(), let top = points.map(\.y).min(),
      let bottom = points.map(\.y).max()
    else { return face.box.resized(by: 1.5) }
    let side = max(24, 1.5 * max(right - left, bottom - top))
    return Box(center: Point(x: (left + right) / 2, y: (top + bottom) / 2), width: side, height: side)
  }

  private static func figure(
    _ face: LandmarkReport.Face, _ picture: String?, _ outlines: [LandmarkReport.Outline]
  ) -> String {
    let region = region(face)
    var text = "<figure><div class=\"thumb\">"
    if let picture {
      text += "<img loading=\"lazy\" alt=\"\(Markup.escaped(face.comparison.name))\" src=\"\(picture)\">"
    }
    text +=
      "<svg viewBox=\"\(Markup.number(region.x)) \(Markup.number(region.y)) \(Markup.number(region.width)) "
      + "\(Markup.number(region.height))\" aria-hidden=\"true\">"
    for (style, points) in [("truth", face.comparison.truth), ("found", face.comparison.found.map { Optional($0) })] {
      let path = self.path(points, outlines, dot: region.width / 130)
      guard !path.isEmpty else { continue }
      text += "<path class=\"halo\" d=\"\(path)\"/><path class=\"\(style)\" d=\"\(path)\"/>"
    }
    return text + "</svg></div><figcaption>error \(LandmarkPage.percent(face.error))<br><span>"
      + "\(Markup.escaped(Markup.shortened(face.comparison.name, to: 60)))</span></figcaption></figure>\n"
  }

  /// Lines through the points that are there; a small square for each point where no lines are known.
  private static func path(_ points: [Point?], _ outlines: [LandmarkReport.Outline], dot: Double) -> String {
    func place(_ point: Point) -> String { "\(Markup.number(point.x)) \(Markup.number(point.y))" }
    if outlines.isEmpty {
      return points.compactMap { point in
        point.map {
          "M\(place(Point(x: $0.x - dot, y: $0.y - dot)))h\(Markup.number(2 * dot))v\(Markup.number(2 * dot))"
            + "h\(Markup.number(-2 * dot))Z"
        }
      }.joined()
    }
    return outlines.map { outline in
      let present = outline.points.compactMap { points.indices.contains($0) ? points[$0] : nil }
      guard present.count > 1 else { return "" }
      let isWhole = present.count == outline.points.count
      return "M" + present.map(place).joined(separator: "L") + (outline.isClosed && isWhole ? "Z" : "")
    }.joined()
  }
}
