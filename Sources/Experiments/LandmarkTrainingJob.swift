import DatasetReaders
import Execution
import Foundation
import Geometry
import Landmarks
import Learning
import ModelFiles

/// One training of a landmark fitter from data sets, with checkpoints.
public struct LandmarkTrainingJob: Sendable {
  public var training: Dataset
  public var validation: Dataset?
  public var boxes: LandmarkFaceSet.Boxes
  public var validationBoxes: LandmarkFaceSet.Boxes
  public var options: ShapePredictorOptions
  /// Each face also in the mirror; needs a layout or `mirrorMap`.
  public var isMirrored = false
  /// The layout of the points, where they have a known one.
  public var layout: LandmarkLayout?
  /// Boxes twice as wide and more are halved; bounds the memory of a face. `nil`: never.
  public var largestBox: Int? = 160
  /// Box sides seen around the box. `nil`: the whole photo.
  public var margin: Double? = 0.4
  /// Leaves as they are written; `nil`: floats.
  public var leafBits: LeafBits? = .eight
  /// Whether a confidence is learnt from the training faces.
  public var learnsConfidence = true
  /// Bytes that the crops of all faces may take.
  var memory = Int(ProcessInfo.processInfo.physicalMemory)

  public init(training: Dataset, boxes: LandmarkFaceSet.Boxes, options: ShapePredictorOptions) {
    self.training = training
    self.boxes = boxes
    validationBoxes = boxes
    self.options = options
  }

  /// Trains and gives the model to be written.
  ///
  /// - Parameters:
  ///   - record: the provenance but for data sets, which are filled in.
  ///   - checkpoint: a file that holds the levels so far; a run begins from it where it is there and belongs to the same
  ///     options and data. `nil`: none.
  /// - Throws: `InputError` for data or options that cannot be used, a checkpoint of another run; `CancelledError`.
  public func run(
    record: Provenance, checkpoint: String?, executor: ParallelExecutor, progress: any ProgressSink,
    cancellation: Cancellation?
  ) throws -> LandmarkModel {
    try options.validate()
    let set = try LandmarkFaceSet.load(
      training, boxes: boxes, largestBox: largestBox, margin: margin, executor: executor,
      // Each face is held twice where it is mirrored.
      memory: memory / (isMirrored ? 2 : 1), progress: progress, cancellation: cancellation)
    set.tell(progress, name: training.name)
    if learnsConfidence, set.faces.count < Self.leastForConfidence {
      progress.receive(
        .warning(
          "no confidence will be learnt: \(set.faces.count) faces, at least \(Self.leastForConfidence) are needed"))
    }
    var faces = set.faces
    if isMirrored {
      guard let layout, layout.pointCount == set.pointNames.count else {
        throw InputError(
          source: training.name, problem: "cannot be mirrored: which points change places is not known",
          found: "\(set.pointNames.count) points", hint: "name their layout (--layout)")
      }
      faces = faces.flatMap { [$0, $0.mirrored(layout.mirror)] }
    }
    var checks: [LandmarkFace] = []
    if let validation {
      let own = try LandmarkFaceSet.load(
        validation, boxes: validationBoxes, largestBox: largestBox, margin: margin, executor: executor,
        memory: memory - faces.reduce(0) { $0 + $1.byteCount }, progress: progress, cancellation: cancellation)
      guard own.pointNames == set.pointNames else {
        throw InputError(source: validation.name, problem: "has other points than the training faces")
      }
      let groups = Set(set.faces.map(\.group))
      let shared = own.faces.filter { groups.contains($0.group) }
      if !shared.isEmpty {
        progress.receive(
          .warning("\(shared.count) validation faces are of photos that are trained on, for example \(shared[0].name)"))
      }
      own.tell(progress, name: validation.name)
      checks = own.faces
    }
    let trainer = try ShapePredictorTrainer(options, executor: executor)
    try checkMemory(trainer, faces, checks, points: set.pointNames.count, progress)
    var provenance = record
    provenance.seed = options.seed
    provenance.dataSets = [
      Provenance.DataSet(
        name: training.name, description: "\(set.faces.count) faces with \(set.pointNames.count) points",
        imageCount: training.images.count, checksum: LandmarkFace.fingerprint(of: faces))
    ]
    let resumed = try checkpoint.flatMap { try resume($0, dataSets: provenance.dataSets, progress) }
    let predictor = try trainer.train(
      faces, validation: checks, largestBox: largestBox, margin: margin, layout: layout?.name ?? "",
      resuming: resumed, progress: progress, cancellation: cancellation
    ) { predictor, report in
      progress.receive(.note(report.line(of: options.levels + options.gradients.count)))
      if let checkpoint {
        try LandmarkCheckpoint(
          LandmarkModel(predictor: predictor, options: options, provenance: provenance), isMirrored: isMirrored
        ).write(to: checkpoint)
      }
    }
    var model = LandmarkModel(
      predictor: predictor, options: options, provenance: provenance, layout: layout)
    if let leafBits { model.predictor = predictor.quantized(bits: leafBits) }
    if learnsConfidence { model.confidence = try confidence(model.predictor, set.faces, executor, progress) }
    return model
  }

  /// Faces below which no confidence is learnt.
  private static let leastForConfidence = 20

  /// `nil`, and a warning, where the faces cannot teach one: the model is whole without it.
  private func confidence(
    _ predictor: ShapePredictor, _ faces: [LandmarkFace], _ executor: ParallelExecutor, _ progress: any ProgressSink
  ) throws -> FitConfidence? {
    guard faces.count >= Self.leastForConfidence else { return nil }
    do {
      return try FitConfidence.train(predictor, faces: faces, seed: options.seed, executor: executor)
    } catch let error as InputError {
      progress.receive(.warning("no confidence is learnt: \(error.problem)"))
      return nil
    } catch let error as LearningError {
      progress.receive(.warning("no confidence is learnt: \(error)"))
      return nil
    }
  }

  /// Says what the training may take.
  /// - Throws: `InputError` where that is more than the machine has.
  private func checkMemory(
    _ trainer: ShapePredictorTrainer, _ faces: [LandmarkFace], _ checks: [LandmarkFace], points: Int,
    _ progress: any ProgressSink
  ) throws {
    let crops = Double((faces + checks).reduce(0) { $0 + $1.byteCount })
    var bound = trainer.memoryBound(
      faces: faces.count, validationFaces: checks.count, points: points,
      hasAbsent: faces.contains { $0.points.contains { $0 == nil } })
    // Learnt, from the faces alone, when the training's memory is no longer used; but an allocator may keep that.
    if learnsConfidence { bound += FitConfidence.memoryBound(faces: faces.count / (isMirrored ? 2 : 1)) }
    let (megabytes, machine) = ((crops + bound) / 1e6, Double(ProcessInfo.processInfo.physicalMemory) / 1e6)
    func text(_ value: Double) -> String { String(format: "%.0f MB", value) }
    guard megabytes < machine else {
      throw InputError(
        source: "landmark options", problem: "ask for more memory than this machine has", found: text(megabytes),
        expected: "less than \(text(machine))",
        hint: "fewer faces, or less oversampling, poolSize, trees, localPool, gradients' grid")
    }
    progress.receive(
      .note(
        "\(faces.count) faces\(isMirrored ? " with mirrors" : ""): crops take \(text(crops / 1e6)), the training at most "
          + "\(text(bound / 1e6)) more"))
  }

  private func resume(
    _ path: String, dataSets: [Provenance.DataSet], _ progress: any ProgressSink
  ) throws -> ShapePredictor? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let stored = try LandmarkCheckpoint(path: path)
    try stored.expect(
      options, isMirrored: isMirrored, dataSets: dataSets, largestBox: largestBox, margin: margin,
      layout: layout?.name ?? "", source: path)
    let predictor = stored.model.predictor
    progress.receive(
      .note("going on after level \(predictor.levels.count + predictor.gradientLevels.count) of \(path)"))
    return predictor
  }
}
