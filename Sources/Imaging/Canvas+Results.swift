import Foundation
import Geometry

extension Canvas {
  /// Draws detections, the surest on top, each with its label and its confidence in percent, or "score" and its raw score where
  /// there is none.
  ///
  /// - Parameters:
  ///   - colors: by label; others take `RGBColor.forLabel`.
  ///   - showsCaptions: whether labels and scores are written, each where it covers least of the other boxes.
  public func draw(_ detections: [Detection], colors: [String: RGBColor] = [:], showsCaptions: Bool = true) {
    let order = detections.indices.sorted {
      (detections[$1].score, $0) < (detections[$0].score, $1)
    }
    draw(
      order.map { index in
        let detection = detections[index]
        return CaptionedBox(
          detection.box, style: LineStyle(color: colors[detection.label] ?? .forLabel(detection.label)),
          caption: showsCaptions ? detection.caption : nil)
      })
  }

  /// Draws labelled objects with their landmarks; ignored ones dashed.
  public func draw(_ annotations: [Annotation], colors: [String: RGBColor] = [:], showsCaptions: Bool = true) {
    draw(
      annotations.map { annotation in
        let color = colors[annotation.label] ?? .forLabel(annotation.label)
        return CaptionedBox(
          annotation.box, style: LineStyle(color: color, isDashed: annotation.isIgnored),
          caption: showsCaptions ? annotation.label : nil)
      })
    for annotation in annotations {
      let color = colors[annotation.label] ?? .forLabel(annotation.label)
      draw(points: annotation.landmarks.compactMap(\.point), color: color)
    }
  }
}

extension Detection {
  /// What a drawing says of it: "face 87 %" by its confidence, or "cup score 1.23" where it has none.
  var caption: String {
    let number = confidence.map { String(format: "%.0f %%", 100 * $0) } ?? String(format: "score %.2f", score)
    return "\(label) \(number)"
  }
}
