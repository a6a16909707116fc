import Execution
import Foundation
import Geometry
import Imaging

/// A fitted shape and how sure it is.
public struct FittedShape: Hashable, Sendable, Codable {
  /// In the photo's continuous coordinates.
  public var points: [Point]
  /// Probability in 0...1 that the shape lies on a face; `nil` where the model has not learnt it.
  public var confidence: Double?

  public init(points: [Point], confidence: Double? = nil) {
    self.points = points
    self.confidence = confidence
  }
}

extension ShapePredictor {
  /// The points of one face from several starts: the median of each coordinate (Cao et al. 2012; Burgos-Artizzu et al. 2013).
  ///
  /// The first start is the mean shape; the others are the mean shape shifted by up to 0.06 box units and scaled by up to
  /// 8 %, on a fixed pattern, so that the result is the same every time. Costs `starts` fits.
  /// - Parameters:
  ///   - starts: an odd number is best; at most 64.
  /// - Returns: as `fit(_:box:)`.
  public func fit(_ image: ByteImage, box: Box, starts: Int) -> [Point]? {
    fitted(image, box: box, starts: starts, confidence: nil)?.points
  }

  func fitted(_ image: ByteImage, box: Box, starts: Int, confidence: FitConfidence?) -> FittedShape? {
    precondition((1...64).contains(starts), "1 to 64 starts, got \(starts)")
    guard box.isFinite, !box.isEmpty, image.width > 0, image.height > 0 else { return nil }
    let view = FaceView(image, box: box, largestBox: largestBox, margin: margin)
    return view.withPlane { plane, pictureFrame in
      let shape = medianShape(plane, starts: starts)
      guard shape.allSatisfy(\.isFinite) else { return nil }
      let probability = shape.withUnsafeBufferPointer { buffer in
        confidence?.probability(plane, shape: buffer.baseAddress!, meanShape: meanShape)
      }
      return FittedShape(
        points: (0..<pointCount).map { pictureFrame.point(x: shape[2 * $0], y: shape[2 * $0 + 1]) },
        confidence: probability)
    }
  }

  private func medianShape(_ plane: GreyPlane, starts: Int) -> [Float] {
    var shapes: [[Float]] = []
    for start in 0..<starts {
      var shape = meanShape
      if start > 0 {
        // Places around a circle, sizes in turn smaller and larger.
        let angle = 2 * Double.pi * Double(start) / Double(starts - 1)
        let shift = SIMD2(Float(0.06 * cos(angle)), Float(0.06 * sin(angle)))
        let scale: Float = starts > 2 ? (start % 2 == 0 ? 1.08 : 0.92) : 1
        for k in stride(from: 0, to: shape.count, by: 2) {
          shape[k] = 0.5 + scale * (shape[k] - 0.5) + shift.x
          shape[k + 1] = 0.5 + scale * (shape[k + 1] - 0.5) + shift.y
        }
      }
      shape.withUnsafeMutableBufferPointer { refine(plane, shape: $0.baseAddress!) }
      shapes.append(shape)
    }
    if starts == 1 { return shapes[0] }
    return meanShape.indices.map { k in
      let sorted = shapes.map { $0[k] }.sorted()
      return starts % 2 == 1 ? sorted[starts / 2] : (sorted[starts / 2 - 1] + sorted[starts / 2]) / 2
    }
  }
}

extension LandmarkModel {
  /// The points of one face and, where the model has learnt it, the probability that there is a face under them.
  /// - Returns: `nil` for a box that is empty or not finite, an image without pixels, and where the model's numbers lead to
  ///   points that are none.
  public func fit(_ image: ByteImage, box: Box, starts: Int = 1) -> FittedShape? {
    predictor.fitted(image, box: box, starts: starts, confidence: confidence)
  }
}
