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
    try ModelFormats.read(path).landmarks(source: path)
  }

  /// The layout of the model's points, where it is known.
  public var layout: LandmarkLayout? {
    if let own = model.layout { return own }
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

  /// Fits all faces of a set at their boxes.
  public func comparisons(
    _ dataset: Dataset, boxes: LandmarkFaceSet.Boxes, cancellation: Cancellation? = nil
  ) throws -> [LandmarkComparison] {
    try comparisons(faces(dataset, boxes: boxes, cancellation: cancellation), dataset, cancellation: cancellation)
  }

  private func faces(
    _ dataset: Dataset, boxes: LandmarkFaceSet.Boxes, cancellation: Cancellation?
  ) throws -> LandmarkFaceSet {
    let set = try LandmarkFaceSet.load(
      dataset, boxes: boxes, largestBox: model.predictor.largestBox, margin: model.predictor.margin,
      executor: executor, cancellation: cancellation)
    guard set.pointNames.count == model.predictor.pointCount else {
      throw InputError(
        source: dataset.name, problem: "has another number of points than the model",
        found: "\(set.pointNames.count)", expected: "\(model.predictor.pointCount)")
    }
    return set
  }

  private func comparison(_ face: LandmarkFace, _ image: ByteImage, box: Box) throws -> LandmarkComparison {
    guard let fit = model.fit(image, box: box, starts: starts) else {
      throw InputError(source: face.name, problem: "cannot be fitted", found: "box \(box.words)")
    }
    return LandmarkComparison(name: face.name, truth: face.points, found: fit.points)
  }

  private func comparisons(
    _ set: LandmarkFaceSet, _ dataset: Dataset, cancellation: Cancellation?
  ) throws -> [LandmarkComparison] {
    try executor.map(set.faces.count) { number in
      try cancellation?.check()
      let face = set.faces[number]
      return try comparison(face, try dataset.image(at: set.imageIndices[number]), box: face.box)
    }
  }

  /// How boxes are moved to see what a fitter makes of it.
  public struct Perturbations: Hashable, Sendable {
    /// Shares of a box's side, each above 0 and below 1.
    public var sizes: [Double]
    public var kinds: [LandmarkPerturbation.Kind]
    /// How often each face's box is drawn.
    public var draws: Int
    public var seed: UInt64

    public init(
      sizes: [Double] = [], kinds: [LandmarkPerturbation.Kind] = LandmarkPerturbation.Kind.allCases, draws: Int = 10,
      seed: UInt64 = 1
    ) {
      precondition(sizes.allSatisfy { $0 > 0 && $0 < 1 } && draws >= 1)
      self.sizes = sizes
      self.kinds = kinds
      self.draws = draws
      self.seed = seed
    }

    /// One draw of a face's box.
    ///
    /// The centre moves by up to `size` of the box's sides and the sides grow or shrink by up to this share, all evenly. A
    /// draw is the same for all sizes and kinds but for its length, so that their errors can be compared.
    func box(_ box: Box, face: Int, draw: Int, size: Double, kind: LandmarkPerturbation.Kind) -> Box {
      var random = RandomStream(seed: seed, stream: UInt64(draw) << 40 | UInt64(face))
      let shift = kind == .scale ? 0 : size
      let dx = shift * random.uniform(in: -1..<1)
      let dy = shift * random.uniform(in: -1..<1)
      let scale = 1 + (kind == .shift ? 0 : size) * random.uniform(in: -1..<1)
      return Box(
        center: Point(x: box.center.x + dx * box.width, y: box.center.y + dy * box.height),
        width: box.width * scale, height: box.height * scale)
    }
  }

  /// The mean errors of a set's faces with moved boxes: by kind, then by size.
  ///
  /// Each photo is read once. Costs a fit for each face, kind, size and draw.
  func perturbed(
    _ set: LandmarkFaceSet, _ dataset: Dataset, _ wanted: Perturbations, normalizer: LandmarkNormalizer,
    cancellation: Cancellation?
  ) throws -> [LandmarkPerturbation] {
    let cells = wanted.kinds.flatMap { kind in wanted.sizes.map { (kind: kind, size: $0) } }
    guard !cells.isEmpty else { return [] }
    let errors = try executor.map(set.faces.count) { number -> [Double?] in
      let face = set.faces[number]
      let image = try dataset.image(at: set.imageIndices[number])
      return try cells.flatMap { kind, size -> [Double?] in
        try cancellation?.check()
        return try (0..<wanted.draws).map { draw in
          let box = wanted.box(face.box, face: number, draw: draw, size: size, kind: kind)
          return LandmarkMeasure([try comparison(face, image, box: box)], normalizer: normalizer).mean
        }
      }
    }
    return cells.enumerated().map { index, cell in
      LandmarkPerturbation(
        kind: cell.kind, size: cell.size,
        means: (0..<wanted.draws).map { draw in
          let drawn = errors.compactMap { $0[index * wanted.draws + draw] }
          return drawn.isEmpty ? nil : drawn.reduce(0, +) / Double(drawn.count)
        })
    }
  }

  /// Everything in one report.
  ///
  /// - Parameter wrong: where wrong boxes come from, for the confidence's figures: `confidence(_:_:wrong:)`.
  public func report(
    _ dataset: Dataset, boxes: LandmarkFaceSet.Boxes, perturbations: Perturbations = Perturbations(),
    failureThreshold: Double = 0.08, wrong: WrongBoxes = WrongBoxes(), cancellation: Cancellation? = nil
  ) throws -> LandmarkReport {
    let set = try faces(dataset, boxes: boxes, cancellation: cancellation)
    let comparisons = try comparisons(set, dataset, cancellation: cancellation)
    let normalizers = normalizers
    let first = normalizers[0].normalizer
    func measure(_ length: LandmarkNormalizer, _ points: [Int]? = nil) -> LandmarkMeasure {
      LandmarkMeasure(comparisons, normalizer: length, failureThreshold: failureThreshold, points: points)
    }
    var report = LandmarkReport(
      title: "landmarks of \(dataset.name)",
      measures: normalizers.map { ($0.name, measure($0.normalizer)) },
      groups: layout?.groups.map { ($0.name, measure(first, $0.points)) } ?? [],
      perturbations: try perturbed(set, dataset, perturbations, normalizer: first, cancellation: cancellation))
    report.points = (0..<model.predictor.pointCount).map { measure(first, [$0]) }
    report.pointGroups = (0..<model.predictor.pointCount).map { point in
      (layout?.groups ?? []).filter { $0.points.contains(point) }.map(\.name).joined(separator: ", ")
    }
    report.boxes = set.spread?.figures ?? []
    report.notes = set.problems
    report.faces = zip(set.faces.indices, comparisons).map { number, comparison in
      LandmarkReport.Face(
        image: dataset.images[set.imageIndices[number]].name, box: set.faces[number].box, comparison: comparison,
        error: LandmarkMeasure([comparison], normalizer: first).mean)
    }
    report.outlines = layout?.groups.map { .init(points: $0.points, isClosed: $0.isClosed) } ?? []
    report.confidence = try confidence(set, dataset, wrong: wrong, cancellation: cancellation)
    return report
  }
}

extension LandmarkRun {
  /// Sides of a face box, in pixels, below which no landmarks can be told.
  public static let leastBoxSide = 4.0

  /// What keeps a face box from being looked at in a photo of this size, `nil` where nothing does.
  public static func fault(of box: Box, in size: PixelSize) -> String? {
    if let problem = box.fault(in: size) { return problem }
    return min(box.width, box.height) < leastBoxSide ? "has a side below \(Int(leastBoxSide)) pixels" : nil
  }

  /// The landmarks of one photo at given boxes, in `layout` (the model's own or one that is derived from it).
  ///
  /// Points are rounded to hundredths of a pixel.
  /// - Throws: `InputError` where the layout cannot be had from the model's points, a box cannot be looked at in the photo
  ///   (`fault(of:in:)`), and where a fit gives no finite points.
  public func landmarks(
    of image: ByteImage, name: String, boxes: [Box], layout wanted: LandmarkLayout? = nil
  ) throws -> ImageLandmarks {
    let own = layout
    if let wanted, wanted.name != own?.name, wanted.base == nil || wanted.base != own?.name {
      throw InputError(
        source: "layout", problem: "cannot be had from the model's points", found: wanted.name,
        expected: "\(own?.name ?? "\(model.predictor.pointCount) points of no known layout"), or one derived from it")
    }
    let faces = try boxes.map { box -> ImageLandmarks.Face in
      if let problem = LandmarkRun.fault(of: box, in: image.size) {
        throw InputError(
          source: name, field: "box", problem: problem, found: box.words)
      }
      guard let fit = model.fit(image, box: box, starts: starts) else {
        throw InputError(
          source: name, problem: "the fit gives points that are no numbers", found: "box \(box.words)",
          hint: "is the model damaged?")
      }
      guard let points = wanted.map({ $0.points(from: fit.points) }) ?? fit.points else {
        throw InputError(
          source: "layout", problem: "cannot be had from the model's points", found: wanted?.name,
          expected: "a layout of \(fit.points.count) points, or one derived from it")
      }
      return ImageLandmarks.Face(
        box: box, points: points.map { [($0.x * 100).rounded() / 100, ($0.y * 100).rounded() / 100] },
        layout: wanted?.name ?? own?.name ?? "", confidence: fit.confidence,
        pose: own?.name == "ibug68" ? HeadPose.estimate(fit.points) : nil)
    }
    return ImageLandmarks(image: name, width: image.width, height: image.height, faces: faces)
  }
}
