import Execution
import Foundation
import Geometry

/// Ranges of object size by which recall is told.
public struct SizeBands: Hashable, Codable, Sendable {
  public enum Measure: String, NamedChoice, Sendable {
    case height, width
    /// Square root of the area.
    case side

    public func size(of box: Box) -> Double {
      switch self {
      case .height: box.height
      case .width: box.width
      case .side: box.area.squareRoot()
      }
    }
  }

  public var measure: Measure
  /// Rising borders in pixels; n borders make n + 1 bands, each from its lower border up to but not including the upper.
  public var borders: [Double]

  public init(measure: Measure = .height, borders: [Double] = [20, 40, 80, 160]) {
    precondition(zip(borders, borders.dropFirst()).allSatisfy { $0 < $1 }, "the borders of size bands rise")
    self.measure = measure
    self.borders = borders
  }

  /// COCO's small, medium and large: areas of 32 x 32 and 96 x 96.
  public static let coco = SizeBands(measure: .side, borders: [32, 96])

  /// Recall in one band.
  public struct Recall: Hashable, Sendable {
    /// Pixels; `nil`: no border on that side.
    public let from: Double?
    public let upTo: Double?
    public let targetCount: Int
    public let foundCount: Int
    /// `nil` where the band holds no target.
    public var recall: Double? { targetCount > 0 ? Double(foundCount) / Double(targetCount) : nil }
  }

  /// Recall of the targets of each band by the detections with `score >= threshold`.
  ///
  /// - Parameter threshold: `nil` keeps every detection.
  public func recall(_ matching: Matching, label: Int? = nil, threshold: Double? = nil) -> [Recall] {
    var counts = [(targets: Int, found: Int)](repeating: (0, 0), count: borders.count + 1)
    for (image, targets) in zip(matching.images, matching.targets) {
      for target in targets {
        if let label, target.label != label { continue }
        let size = measure.size(of: image.annotations[target.annotation].box)
        let band = borders.firstIndex { size < $0 } ?? borders.count
        counts[band].targets += 1
        if let score = target.score, score >= threshold ?? -.infinity { counts[band].found += 1 }
      }
    }
    return counts.enumerated().map { band, count in
      Recall(
        from: band > 0 ? borders[band - 1] : nil, upTo: band < borders.count ? borders[band] : nil,
        targetCount: count.targets, foundCount: count.found)
    }
  }
}
