import Execution
import Geometry

/// Trains a landmark fitter: the cascade of regression trees of Kazemi and Sullivan (CVPR 2014), and variants.
///
/// Memory, beside the faces' own bytes: `memoryBound(faces:points:)`; for boosted levels mostly `8 values + poolSize +
/// 4 scoringWidth + 2` bytes for each of `faces x oversampling` samples. The same faces, options and seed give the same predictor on any number of threads.
public struct ShapePredictorTrainer: Sendable {
  public let options: ShapePredictorOptions
  public let executor: ParallelExecutor

  /// - Throws: `InputError` for options that cannot be.
  public init(_ options: ShapePredictorOptions, executor: ParallelExecutor = ParallelExecutor()) throws {
    try options.validate()
    self.options = options
    self.executor = executor
  }

  /// What is known after a level.
  public struct LevelReport: Hashable, Codable, Sendable {
    public var level: Int
    /// Mean distance to the true points in box units, over samples as they now stand.
    public var trainingError: Double
    /// The same over the validation faces from the mean shape; `nil` without such faces.
    public var validationError: Double?
  }

  /// - Parameters:
  ///   - faces: at least one; all with the same number of points; each point there in one of them at least.
  ///   - validation: measured after each level, never learnt from.
  ///   - base: what the predictor is to know beside: border, crop rule, layout come from it; `levels` continue it
  ///     (resume) where it has any.
  ///   - report: called after each level with the predictor so far, for checkpoints.
  /// - Throws: `InputError` for faces that cannot be learnt from; `CancelledError`.
  public func train(
    _ faces: [LandmarkFace], validation: [LandmarkFace] = [], largestBox: Int? = nil, margin: Double? = nil,
    layout: String = "", resuming start: ShapePredictor? = nil, progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation? = nil, report: (ShapePredictor, LevelReport) throws -> Void = { _, _ in }
  ) throws -> ShapePredictor {
    let meanShape = try ShapePredictorTrainer.meanShape(faces)
    try checkSizes(points: meanShape.count / 2)
    if let start, start.meanShape != meanShape {
      throw InputError(source: "resumed training", problem: "began with other faces: their mean shape differs")
    }
    var predictor = ShapePredictor(
      meanShape: meanShape, levels: start?.levels ?? [], gradientLevels: start?.gradientLevels ?? [],
      border: options.border, changeFrame: options.changeFrame,
      largestBox: largestBox, margin: margin, layout: layout)
    let samples = TrainingSamples(faces, meanShape: meanShape, oversampling: options.oversampling)
    samples.start(options)
    let checks = TrainingSamples(validation, meanShape: meanShape, oversampling: 1)
    for row in 0..<validation.count {
      for k in 0..<checks.values { checks.current[row * checks.values + k] = meanShape[k] }
    }
    for level in predictor.levels {
      walk(samples, level)
      walk(checks, level)
    }
    for level in predictor.gradientLevels {
      walk(samples, level, predictor)
      walk(checks, level, predictor)
    }
    let booster = options.leaves == .boosted ? BoostedForest(samples, options: options, executor: executor) : nil
    for index in predictor.levels.count..<max(predictor.levels.count, options.levels) {
      try cancellation?.check()
      progress.receive(.began(phase: "level \(index + 1) of \(options.levels)", total: options.trees))
      samples.computeResiduals(frame: options.changeFrame, on: executor)
      let level: ShapeForest
      if let booster {
        level = try booster.train(level: index, cancellation: cancellation) {
          progress.receive(.advanced(completed: $0))
        }
      } else {
        level = try GlobalForest(samples, options: options, executor: executor).train(
          level: index, cancellation: cancellation)
      }
      // As the predictor will walk, to the last bit: so a resumed run goes on as the first would have.
      walk(samples, level)
      walk(checks, level)
      predictor = ShapePredictor(
        meanShape: meanShape, levels: predictor.levels + [level], border: options.border,
        changeFrame: options.changeFrame, largestBox: largestBox, margin: margin, layout: layout)
      progress.receive(.ended)
      let now = LevelReport(
        level: index + 1, trainingError: samples.meanError(on: executor),
        validationError: validation.isEmpty ? nil : checks.meanError(on: executor))
      try report(predictor, now)
    }
    for index in predictor.gradientLevels.count..<max(predictor.gradientLevels.count, options.gradients.count) {
      try cancellation?.check()
      progress.receive(.began(phase: "gradient level \(index + 1) of \(options.gradients.count)", total: nil))
      if options.gradients[index].alignsAnew { samples.align() }
      samples.computeAlignedResiduals(on: executor)
      let level = try GradientRegression(samples: samples, executor: executor).train(
        options.gradients[index], cancellation: cancellation)
      predictor = ShapePredictor(
        meanShape: meanShape, levels: predictor.levels, gradientLevels: predictor.gradientLevels + [level],
        border: options.border, changeFrame: options.changeFrame, largestBox: largestBox, margin: margin,
        layout: layout)
      walk(samples, level, predictor)
      walk(checks, level, predictor)
      progress.receive(.ended)
      try report(
        predictor,
        LevelReport(
          level: options.levels + index + 1, trainingError: samples.meanError(on: executor),
          validationError: validation.isEmpty ? nil : checks.meanError(on: executor)))
    }
    return predictor
  }

  private func walk(_ samples: TrainingSamples, _ level: GradientLevel, _ predictor: ShapePredictor) {
    if level.reading.alignsAnew { samples.align() }
    executor.forEachChunk(of: samples.count, chunkSize: 64) { range in
      let face = AlignedFace(level.reading, meanShape: predictor.meanShape)
      for sample in range {
        samples.align(face, sample: sample) { plane in
          predictor.refine(plane, shape: samples.current + sample * samples.values, by: level, reading: face)
        }
      }
    }
  }

  private func walk(_ samples: TrainingSamples, _ level: ShapeForest) {
    executor.forEachChunk(of: samples.count, chunkSize: 64) { range in
      for sample in range {
        samples.walk(level, sample: sample, border: options.border, frame: options.changeFrame)
      }
    }
  }

  /// The mean of each point's place in box units over the faces that have it.
  static func meanShape(_ faces: [LandmarkFace]) throws -> [Float] {
    guard let first = faces.first else {
      throw InputError(source: "training faces", problem: "are none", expected: "one face at least")
    }
    let points = first.points.count
    guard points > 0 else {
      throw InputError(source: first.name, problem: "has no points", expected: "one point at least")
    }
    guard points <= 2000 else {
      throw InputError(source: first.name, problem: "has too many points", found: "\(points)", expected: "2000 at most")
    }
    var sums = [Double](repeating: 0, count: 2 * points)
    var counts = [Int](repeating: 0, count: points)
    for face in faces {
      guard face.points.count == points else {
        throw InputError(
          source: face.name, problem: "has another number of points", found: "\(face.points.count)",
          expected: "\(points), as \(first.name) has")
      }
      if let spot = LandmarkFace.spot(face.points, box: face.box) {
        throw InputError(
          source: face.name, problem: "has all its points at one spot", found: "(\(spot.x), \(spot.y))",
          expected: "a shape with a size", hint: "leave the face out")
      }
      for (k, point) in face.points.enumerated() {
        guard let point else { continue }
        let place = face.view.pictureFrame.units(point)
        guard place.x.isFinite, place.y.isFinite, abs(place.x) < 1000, abs(place.y) < 1000 else {
          throw InputError(
            source: face.name, field: "point \(k)", problem: "is nowhere near its box",
            found: "(\(point.x), \(point.y))")
        }
        sums[2 * k] += Double(place.x)
        sums[2 * k + 1] += Double(place.y)
        counts[k] += 1
      }
    }
    if let absent = counts.firstIndex(of: 0) {
      throw InputError(
        source: "training faces", field: "point \(absent)", problem: "is absent in every face",
        hint: "leave it out of the layout")
    }
    let mean = sums.indices.map { Float(sums[$0] / Double(counts[$0 / 2])) }
    // Faces that have a size each can cancel out.
    let places = (0..<points).map { Point(x: Double(mean[2 * $0]), y: Double(mean[2 * $0 + 1])) }
    if let spot = LandmarkFace.spot(places, box: Box(x: 0, y: 0, width: 1, height: 1)) {
      func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
      throw InputError(
        source: "training faces", problem: "have a mean shape that is one spot, by which no face can be aligned",
        found: "all \(points) points at (\(rounded(spot.x)), \(rounded(spot.y))) box sides",
        expected: "a shape with a size",
        hint: "are the points of all faces in the same order, and the faces all upright?")
    }
    return mean
  }
}
