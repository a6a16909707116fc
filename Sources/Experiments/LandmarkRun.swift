import DatasetReaders
import Evaluation
import Execution
import Foundation
import Geometry
import Imaging
import Interchange
import Landmarks
import ModelFiles

/// A landmark fitter over a data set: fits, errors, and errors against perturbed boxes.
public struct LandmarkRun: Sendable {
  public var model: LandmarkModel
  /// Starts a face, their median taken.
  public var starts = 1
  public var executor: ParallelExecutor

  public init(model: LandmarkModel, starts: Int = 1, executor: ParallelExecutor) {
    self.model = model
    self.starts = starts
    self.executor = executor
  }

  /// Reads a fitter: ours (.safetensors) or dlib's (.dat), told apart by their bytes.
  /// - Throws: `InputError` where it is neither.
  public static func model(_ path: String) throws -> LandmarkModel {
    let model = try ModelFormats.read(path)
    guard case .landmarks(let fitter) = model.content else {
      throw InputError(
        source: path, problem: "is no landmark model", found: model.format, expected: "a model that fits points")
    }
    return fitter
  }

  /// The layout of the model's points, where it is known.
  public var layout: LandmarkLayout? {
    if let named = LandmarkLayout.named(model.predictor.layout) { return named }
    return model.predictor.pointCount == 68 ? .ibug68 : nil
  }

  /// Normalisations that make sense for the layout, the pupils' first where there are eyes.
  public var normalizers: [(name: String, normalizer: LandmarkNormalizer)] {
    var result: [(name: String, normalizer: LandmarkNormalizer)] = []
    if let left = layout?.leftEye, let right = layout?.rightEye { result.append(("pupils", .distance(left, right))) }
    if let left = layout?.leftOuterCorner, let right = layout?.rightOuterCorner {
      result.append(("outer corners", .distance(left, right)))
    }
    return result + [("box diagonal", .boxDiagonal), ("face size", .faceSize)]
  }

  /// Fits all faces of a set, each box moved by `perturbation`.
  ///
  /// - Parameter perturbation: the box's centre moves by up to this share of its side in each direction and its side
  ///   grows or shrinks by up to this share, all evenly, from a stream of each face's own. 0: as it is.
  public func comparisons(
    _ dataset: Dataset, boxes: LandmarkFaceSet.Boxes, perturbation: Double = 0, seed: UInt64 = 1,
    cancellation: Cancellation? = nil
  ) throws -> [LandmarkComparison] {
    let set = try LandmarkFaceSet.load(
      dataset, boxes: boxes, largestBox: model.predictor.largestBox, margin: model.predictor.margin,
      executor: executor, cancellation: cancellation)
    return try comparisons(set, dataset, perturbation: perturbation, seed: seed)
  }

  func comparisons(
    _ set: LandmarkFaceSet, _ dataset: Dataset, perturbation: Double, seed: UInt64
  ) throws -> [LandmarkComparison] {
    guard set.pointNames.count == model.predictor.pointCount else {
      throw InputError(
        source: dataset.name, problem: "has another number of points than the model",
        found: "\(set.pointNames.count)", expected: "\(model.predictor.pointCount)")
    }
    return try executor.map(set.faces.count) { number in
      let face = set.faces[number]
      let image = try dataset.image(at: set.imageIndices[number])
      var box = face.box
      if perturbation > 0 {
        var random = RandomStream(seed: seed, stream: UInt64(number))
        let dx = random.uniform(in: -perturbation..<perturbation)
        let dy = random.uniform(in: -perturbation..<perturbation)
        let scale = 1 + random.uniform(in: -perturbation..<perturbation)
        box = Box(
          center: Point(x: box.center.x + dx * box.width, y: box.center.y + dy * box.height),
          width: box.width * scale, height: box.height * scale)
      }
      guard let fit = model.fit(image, box: box, starts: starts) else {
        throw InputError(source: face.name, problem: "cannot be fitted", found: "box \(box)")
      }
      return LandmarkComparison(name: face.name, truth: face.points, found: fit.points)
    }
  }

  /// Everything in one report.
  ///
  /// - Parameter wrong: where wrong boxes come from, for the confidence's figures: `confidence(_:_:wrong:)`.
  public func report(
    _ dataset: Dataset, boxes: LandmarkFaceSet.Boxes, perturbations: [Double], failureThreshold: Double = 0.08,
    wrong: WrongBoxes = WrongBoxes(), cancellation: Cancellation? = nil
  ) throws -> LandmarkReport {
    let set = try LandmarkFaceSet.load(
      dataset, boxes: boxes, largestBox: model.predictor.largestBox, margin: model.predictor.margin,
      executor: executor, cancellation: cancellation)
    let comparisons = try comparisons(set, dataset, perturbation: 0, seed: 1)
    let normalizers = normalizers
    let first = normalizers[0].normalizer
    func measure(_ list: [LandmarkComparison], _ length: LandmarkNormalizer, _ points: [Int]? = nil) -> LandmarkMeasure
    {
      LandmarkMeasure(list, normalizer: length, failureThreshold: failureThreshold, points: points)
    }
    var curve: [(size: Double, mean: Double?)] = []
    for size in perturbations {
      try cancellation?.check()
      curve.append((size, measure(try self.comparisons(set, dataset, perturbation: size, seed: 1), first).mean))
    }
    var report = LandmarkReport(
      title: "landmarks of \(dataset.name)",
      measures: normalizers.map { ($0.name, measure(comparisons, $0.normalizer)) },
      groups: layout?.groups.map { ($0.name, measure(comparisons, first, $0.points)) } ?? [], perturbations: curve)
    report.points = (0..<model.predictor.pointCount).map { measure(comparisons, first, [$0]) }
    report.boxes = set.spread?.figures ?? []
    report.confidence = try confidence(set, dataset, wrong: wrong, cancellation: cancellation)
    return report
  }
}

/// The landmarks of one photo: one line of a results file.
public struct ImageLandmarks: Hashable, Codable, Sendable {
  public var image: String
  public var width: Int
  public var height: Int
  public var faces: [Face]

  public struct Face: Hashable, Codable, Sendable {
    public var box: Box
    /// Each `[x, y]` in the upright image's continuous pixels.
    public var points: [[Double]]
    public var layout: String
    public var confidence: Double?
    public var pose: HeadPose?
  }

  public init(image: String, width: Int, height: Int, faces: [Face]) {
    self.image = image
    self.width = width
    self.height = height
    self.faces = faces
  }
}

extension LandmarkRun {
  /// The landmarks of one photo at given boxes, in `layout` (the model's own or one that is derived from it).
  ///
  /// Points are rounded to hundredths of a pixel. Boxes that are empty or not finite are left out.
  /// - Throws: `InputError` where the layout cannot be had from the model's points, and where a fit gives no finite points.
  public func landmarks(
    of image: ByteImage, name: String, boxes: [Box], layout wanted: LandmarkLayout? = nil
  ) throws -> ImageLandmarks {
    let own = layout
    if let wanted, wanted.name != own?.name, wanted.base == nil || wanted.base != own?.name {
      throw InputError(
        source: "layout", problem: "cannot be had from the model's points", found: wanted.name,
        expected: "\(own?.name ?? "\(model.predictor.pointCount) points of no known layout"), or one derived from it")
    }
    let faces = try boxes.filter { $0.isFinite && !$0.isEmpty }.map { box -> ImageLandmarks.Face in
      guard let fit = model.fit(image, box: box, starts: starts) else {
        throw InputError(
          source: name, problem: "the fit gives points that are no numbers", found: "box \(box)",
          hint: "is the model damaged?")
      }
      let points = wanted?.points(from: fit.points) ?? fit.points
      return ImageLandmarks.Face(
        box: box, points: points.map { [($0.x * 100).rounded() / 100, ($0.y * 100).rounded() / 100] },
        layout: wanted?.name ?? own?.name ?? "", confidence: fit.confidence,
        pose: own?.name == "ibug68" ? HeadPose.estimate(fit.points) : nil)
    }
    return ImageLandmarks(image: name, width: image.width, height: image.height, faces: faces)
  }
}

extension Canvas {
  /// Draws each face's groups as lines and its points.
  ///
  /// - Parameter isClosed: whether a group's last point is joined to its first; `nil`: as its layout says.
  public func draw(_ landmarks: ImageLandmarks, isClosed: Bool? = nil) {
    for (index, face) in landmarks.faces.enumerated() {
      let color = RGBColor.palette[index % RGBColor.palette.count]
      let points = face.points.map { Point(x: $0[0], y: $0[1]) }
      for group in LandmarkLayout.named(face.layout)?.groups ?? [] {
        draw(
          polyline: group.points.map { points[$0] }, isClosed: isClosed ?? group.isClosed,
          style: LineStyle(color: color, width: 1))
      }
      draw(points: points, color: color)
    }
  }
}
