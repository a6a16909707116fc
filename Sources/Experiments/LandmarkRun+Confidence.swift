import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks

extension LandmarkRun {
  /// What right boxes are told from, beside boxes that are moved off their faces.
  public struct WrongBoxes: Sendable {
    /// Photos without faces.
    public var photos: Dataset?
    /// Gives boxes of these photos: a detector's false alarms.
    public var alarms: (@Sendable (ByteImage) -> [Detection])?
    /// Boxes drawn in each photo.
    public var boxesPerPhoto = 4

    public init(photos: Dataset? = nil, alarms: (@Sendable (ByteImage) -> [Detection])? = nil) {
      self.photos = photos
      self.alarms = alarms
    }
  }

  /// How well the confidence of a fit tells the set's boxes from wrong ones, by their kind; empty where the model has learnt
  /// none.
  ///
  /// - **moved**: each face's box moved by 0.6 to 1.2 of its side in some direction, in the same photo. Where the fit finds
  ///   the face all the same (mean distance to the true points at most 0.1 of the square root of their box's area) the
  ///   box is left out: the shape lies on a face.
  /// - **drawn**: squares of 40 pixels to the photo's shorter side (even in the logarithm) anywhere in photos without faces.
  /// - **false alarms**: a detector's boxes in these photos.
  ///
  /// The same seed draws the same boxes for every model.
  func confidence(
    _ set: LandmarkFaceSet, _ dataset: Dataset, wrong: WrongBoxes, seed: UInt64 = 1, cancellation: Cancellation? = nil
  ) throws -> [(name: String, measure: SeparationMeasure)] {
    guard model.confidence != nil else { return [] }
    let fits = try executor.map(set.faces.count) { number -> (right: Double?, moved: Double?) in
      try cancellation?.check()
      let face = set.faces[number]
      let image = try dataset.image(at: set.imageIndices[number])
      var random = RandomStream(seed: seed, stream: 0x4D4F_0000_0000 + UInt64(number))
      let distance = random.uniform(in: 0.6..<1.2)
      let angle = 2 * Double.pi * random.uniform()
      let box = Box(
        center: Point(
          x: face.box.center.x + distance * cos(angle) * face.box.width,
          y: face.box.center.y + distance * sin(angle) * face.box.height),
        width: face.box.width, height: face.box.height)
      let right = model.fit(image, box: face.box, starts: starts)?.confidence
      guard let moved = model.fit(image, box: box, starts: starts) else { return (right, nil) }
      let error = LandmarkMeasure(
        [LandmarkComparison(name: face.name, truth: face.points, found: moved.points)], normalizer: .faceSize
      ).mean
      return (right, error.map { $0 <= 0.1 } == true ? nil : moved.confidence)
    }
    var kinds: [(String, [Double])] = [("moved", fits.compactMap(\.moved))]
    if let photos = wrong.photos {
      let found = try executor.map(photos.images.count) { index -> (drawn: [Double], alarms: [Double]) in
        try cancellation?.check()
        let image = try photos.image(at: index)
        func confidences(_ boxes: [Box]) -> [Double] {
          boxes.compactMap { model.fit(image, box: $0, starts: starts)?.confidence }
        }
        var random = RandomStream(seed: seed, stream: 0x4452_0000_0000 + UInt64(index))
        let shorter = Double(min(image.width, image.height))
        let boxes = (0..<wrong.boxesPerPhoto).map { _ in
          let side = min(shorter, 40 * pow(max(1, shorter / 40), random.uniform()))
          return Box(
            x: (Double(image.width) - side) * random.uniform(), y: (Double(image.height) - side) * random.uniform(),
            width: side, height: side)
        }
        return (confidences(boxes), confidences((wrong.alarms?(image) ?? []).map(\.box)))
      }
      kinds.append(("drawn", found.flatMap(\.drawn)))
      if wrong.alarms != nil { kinds.append(("false alarms", found.flatMap(\.alarms))) }
      kinds.append(("all of these", kinds.flatMap(\.1)))
    }
    let right = fits.compactMap(\.right)
    return kinds.map { ($0.0, SeparationMeasure(right: right, wrong: $0.1)) }
  }
}
