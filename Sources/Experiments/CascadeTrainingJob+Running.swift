import DatasetReaders
import Detection
import Execution
import Features
import Geometry
import Learning
import ModelFiles

extension CascadeTrainingJob {
  /// Loads the data and trains; writes nothing but the checkpoint.
  ///
  /// - Parameter checkpoint: see `CascadeTrainer.train`.
  /// - Throws: `InputError` for data that cannot be loaded, with the faults of annotations given to `progress` as
  ///   warnings; `DatasetLosses` and `UnreadablePhotos` with everything that was named and cannot be read; and as
  ///   `CascadeTrainer.train`.
  public func trained(
    checkpoint: String? = nil, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> CascadeTrainingResult {
    try options.validate()
    try checkRoles()
    try checkScan()
    // Samples of a .vec are read from the file; photos are kept in grey as far as a quarter of the memory goes.
    let reader = TrainingSetReader(
      memory: options.memory * 1_000_000 / 4, leavesOutFaults: leavesOutFaults ?? false, executor: executor,
      progress: progress, cancellation: cancellation)
    func read(_ sources: [AnnotatedSource], _ role: String) throws -> TrainingSet {
      guard let set = try reader.read(sources, role) else {
        throw InputError(source: "training", field: role, problem: "names no data set")
      }
      return set
    }
    let objects = try read(readingInShape(positives), "positives")
    try requireShape(objects.dataset)
    try refuseContext(objects.dataset)
    tellMergedLabels(objects.dataset, progress)
    let backgrounds = try read(negatives, "negatives")
    let samples = try positiveSamples(objects, progress)
    let windows = try NegativeWindows(
      backgrounds.photos, options: negativeOptions, positives: positiveOptions, objects: objects.photos,
      executor: executor)
    windows.tellLeftOut(to: progress)
    var data = CascadeTrainingData(
      positives: samples, negatives: windows,
      checksum: try checksum(objects.photos, backgrounds.photos, samples.options))
    if !validationPositives.isEmpty {
      let held = try read(readingInShape(validationPositives), "validation positives")
      try requireShape(held.dataset)
      let heldBackgrounds = try read(validationNegatives, "validation negatives")
      for own in [held, heldBackgrounds] {
        for other in [objects, backgrounds] {
          try own.refuseShared(
            with: other, hint: "a cascade must be measured on what it has not seen: leave one of the two out")
        }
      }
      var plain = positiveOptions
      plain.copies = 0
      let heldWindows = try NegativeWindows(
        heldBackgrounds.photos, options: negativeOptions, positives: positiveOptions, objects: held.photos,
        executor: executor)
      heldWindows.tellLeftOut(source: "validation negatives", to: progress)
      data.validation = CascadeTrainingData.Validation(
        positives: try AnnotatedPositives(held.photos, options: plain, labels: labels), negatives: heldWindows,
        windowLimit: validationWindows ?? CascadeTrainingJob.defaultValidationWindows)
    }
    let calibrated = try reader.read(calibration ?? [], "calibration photos")
    try calibrated?.refuseShared(
      with: objects, hint: "confidences must be fitted to photos that the training has not seen")
    var result = try CascadeTrainer.train(
      data, options: options, checkpoint: checkpoint, executor: executor, progress: progress,
      cancellation: cancellation)
    if scan != nil {
      let detector = result.detector
      result.detector = detector.scanned(by: try detector.scanOptions(with: scan))
    }
    if let calibrated {
      let known = labels
      let fit = try ConfidenceFit.fit(
        result.detector, to: calibrated.source, isOf: { known?.contains($1) ?? true },
        executor: executor, progress: progress, cancellation: cancellation)
      result.detector = result.detector.calibrated(by: fit.scalings)
      result.report.calibration = fit.counts
    }
    return result
  }

  private var labels: Set<String>? { objects.map { Set($0) } }

  /// The most jittered copies of each object that are made unasked.
  public static let mostCopiesOfItself = 100

  /// The objects' samples; where they are too few for a stage and nobody said how many copies to make, with as many copies
  /// as fill it and replace those that stages reject.
  private func positiveSamples(_ set: TrainingSet, _ progress: any ProgressSink) throws -> AnnotatedPositives {
    var samples = try AnnotatedPositives(set.photos, options: positiveOptions, labels: labels)
    samples.tellRepeats(to: progress)
    if !samples.leftOut.isEmpty {
      progress.receive(
        .note(
          "\(samples.objectCount) objects give samples; left out: \(AnnotatedPositives.reasons(samples.leftOut))"))
    }
    guard sampling.copies == nil, samples.count < options.positiveCount else { return samples }
    // A quarter to spare, for those that stages reject.
    let missing = options.positiveCount * 5 / 4 - samples.count
    var filled = positiveOptions
    filled.copies = min(
      CascadeTrainingJob.mostCopiesOfItself, (missing + samples.objectCount - 1) / samples.objectCount)
    let plain = samples.count
    samples = try AnnotatedPositives(set.photos, options: filled, labels: labels)
    progress.receive(
      .note(
        "\(samples.objectCount) objects give \(plain) samples, fewer than the \(options.positiveCount) of a stage: "
          + "\(filled.copies) jittered copies of each make \(samples.count) (--copies, sampling.copies: 0 for none)"))
    return samples
  }

  /// As `trained`, with the model file's content.
  public func run(
    record: RunRecord, checkpoint: String? = nil, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> TrainedModel {
    let result = try trained(
      checkpoint: checkpoint, executor: executor, progress: progress, cancellation: cancellation)
    let roles = [
      ("positives", readingInShape(positives)), ("negatives", negatives),
      ("validation positives", readingInShape(validationPositives)),
      ("validation negatives", validationNegatives), ("calibration", calibration ?? []),
    ]
    let dataSets = try roles.flatMap { role, sources in
      try LoadedSources(sources).provenance(role: role, executor: executor, cancellation: cancellation)
    }
    let provenance = Provenance(
      command: record.command, dataSets: dataSets, seed: options.seed, commit: record.commit, date: record.date,
      machine: record.machine)
    return TrainedModel(
      model: try result.detector.modelFile(provenance: provenance, training: options), report: result.report)
  }

  /// Tells a wrong `scan` before the training and not after it: a cascade of one stump stands for the trained one.
  private func checkScan() throws {
    guard scan != nil else { return }
    let size = options.windowSize
    let feature = HaarFeature(boxes: [
      .init(x: 0, y: 0, width: size.width, height: size.height, weight: -1),
      .init(x: 0, y: 0, width: 1, height: 1, weight: 2),
    ])
    let stump = DecisionTree(
      nodes: [.init(feature: 0, split: .below(0), left: .leaf(0), right: .leaf(1))], leaves: [-1, 1])
    let stage = CascadeStage(trees: [stump], threshold: 0, trace: options.isSoft ? [0] : nil)
    let standIn = CascadeDetector(
      windowSize: size, features: .haar([feature]), stages: [stage], label: options.label)
    _ = try standIn.scanOptions(with: scan)
  }

  /// Several kinds of objects are learnt as one: told where no labels are chosen.
  private func tellMergedLabels(_ photos: Dataset, _ progress: any ProgressSink) {
    guard objects == nil else { return }
    let labels = Set(photos.images.lazy.flatMap(\.annotations).filter { !$0.isIgnored }.map(\.label)).sorted()
    guard labels.count > 1 else { return }
    progress.receive(
      .warning(
        "the positives' objects have \(labels.count) labels (\(labels.prefix(8).joined(separator: ", "))), which are learnt as "
          + "one: --objects chooses"))
  }

  /// Of the photos and of how windows are taken from them.
  private func checksum(
    _ objects: OpenedPhotos, _ backgrounds: OpenedPhotos, _ positiveOptions: PositiveSampleOptions
  ) throws -> String {
    SHA256.hexDigest(
      of: Array(
        (objects.checksum + backgrounds.checksum + (self.objects ?? ["*"]).joined(separator: "/")
          + (try ModelFile.json(positiveOptions))
          + (try ModelFile.json(negativeOptions))).utf8))
  }
}
