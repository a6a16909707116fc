import Foundation
import Windhover

/// How detections are written.
enum DetectionFormat: String {
  case text, json, csv

  /// What stands before the first picture.
  var header: String { self == .csv ? "image,x,y,width,height,score,confidence,label\n" : "" }

  /// One picture's lines, each with its newline.
  func lines(_ result: ImageDetections) -> String {
    switch self {
    case .json:
      return ResultsFile.line(result) + "\n"
    case .csv:
      return result.detections.map { found in
        let fields =
          [Self.quoted(result.image)] + box(found, decimals: 2) + [Self.score(found.score, 4)]
          + [found.confidence.map { Self.fixed($0, 4) } ?? "", Self.quoted(found.label)]
        return fields.joined(separator: ",") + "\n"
      }.joined()
    case .text:
      if result.detections.isEmpty { return "\(result.image): nothing found\n" }
      return result.detections.map { found in
        let place = box(found, decimals: 1).joined(separator: " ")
        let confidence = found.confidence.map { "  confidence \(Self.fixed($0, 3))" } ?? ""
        return "\(result.image): \(place)  score \(Self.score(found.score, 3))\(confidence)  \(found.label)\n"
      }.joined()
    }
  }

  private func box(_ found: Detection, decimals: Int) -> [String] {
    [found.box.x, found.box.y, found.box.width, found.box.height].map { Self.fixed($0, decimals) }
  }

  static func fixed(_ value: Double, _ decimals: Int) -> String { String(format: "%.\(decimals)f", value) }

  /// A score with so many decimals; a small one, of which these would leave one digit or none, with three digits: cascades
  /// whose last stage is short score by 1e-5 and the like.
  static func score(_ value: Double, _ decimals: Int) -> String {
    let isSmall = value != 0 && abs(value) < pow(10, Double(1 - decimals))
    return isSmall ? String(format: "%.3g", value) : fixed(value, decimals)
  }

  /// A field as RFC 4180 wants it.
  static func quoted(_ field: String) -> String {
    guard field.contains(where: { ",\"\r\n".contains($0) }) else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }
}
