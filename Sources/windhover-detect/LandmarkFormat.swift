import Foundation
import Windhover

/// How landmarks are written.
enum LandmarkFormat: String {
  case text, json, csv

  /// What stands before the first picture.
  var header: String {
    self == .csv
      ? "image,face,box_x,box_y,box_width,box_height,confidence,roll,yaw,pitch,layout,point,x,y\n" : ""
  }

  /// One picture's lines, each with its newline.
  func lines(_ result: ImageLandmarks) throws -> String {
    switch self {
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(result), as: UTF8.self) + "\n"
    case .csv:
      return result.faces.enumerated().map { number, face in
        let pose = [face.pose?.roll, face.pose?.yaw, face.pose?.pitch].map { $0.map { fixed($0, 2) } ?? "" }
        let fields =
          [DetectionFormat.quoted(result.image), "\(number + 1)"] + box(face, 2)
          + [face.confidence.map { fixed($0, 4) } ?? ""] + pose + [DetectionFormat.quoted(face.layout)]
        let start = fields.joined(separator: ",")
        return face.points.enumerated().map { point, place in
          "\(start),\(point),\(fixed(place[0], 2)),\(fixed(place[1], 2))\n"
        }.joined()
      }.joined()
    case .text:
      if result.faces.isEmpty { return "\(result.image): nothing found\n" }
      return result.faces.map { face in
        func text(_ value: Double?, _ decimals: Int) -> String { value.map { fixed($0, decimals) } ?? "-" }
        var line = "\(result.image): \(box(face, 1).joined(separator: " "))  confidence \(text(face.confidence, 3))"
        line += "  roll \(text(face.pose?.roll, 1)) yaw \(text(face.pose?.yaw, 1)) pitch \(text(face.pose?.pitch, 1))"
        let points = face.points.map { "\(fixed($0[0], 1)),\(fixed($0[1], 1))" }
        return line + "  points \(points.joined(separator: " "))\n"
      }.joined()
    }
  }

  /// One face in the form of 300-W's annotations: pixels counted from 1, at their centres.
  static func pts(_ face: ImageLandmarks.Face) -> String {
    let points = face.points.map { String(format: "%.2f %.2f\n", $0[0] + 0.5, $0[1] + 0.5) }
    return "version: 1\nn_points: \(points.count)\n{\n\(points.joined())}\n"
  }

  private func box(_ face: ImageLandmarks.Face, _ decimals: Int) -> [String] {
    [face.box.x, face.box.y, face.box.width, face.box.height].map { fixed($0, decimals) }
  }

  private func fixed(_ value: Double, _ decimals: Int) -> String { DetectionFormat.fixed(value, decimals) }
}
