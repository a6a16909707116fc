import DatasetReaders
import Detection
import Execution
import Features
import Foundation
import Geometry
import Imaging
import Learning
import ModelFiles

/// Everything that a cascade's training needs: data sets and options. What `windhover-train cascade --config` reads, and the
/// `train` part of an experiment (`"family": "cascade"`).
public struct CascadeTrainingJob: TrainingJob {
  public static let family = "cascade"

  /// Photos with objects, or packed samples (`vec:FILE`).
  public var positives: [AnnotatedSource]
  /// Labels of the annotations that are objects; `nil` takes all.
  public var objects: [String]?
  /// Photos whose windows are negatives: without objects, or away from those that are annotated.
  public var negatives: [AnnotatedSource]
  /// Samples to measure the cascade on when it is done, none of them trained on; empty: no measure.
  public var validationPositives: [AnnotatedSource]
  public var validationNegatives: [AnnotatedSource]
  /// The most windows that are looked at to measure false alarms, 1 to 10^9; `nil` is `defaultValidationWindows`. Means
  /// nothing, and is refused, where nothing is measured.
  public var validationWindows: Int?

  public static let defaultValidationWindows = 2_000_000
  /// What the options of a file begin with: those that it leaves out.
  public var preset: CascadePreset
  public var options: CascadeTrainerOptions
  /// How objects become windows.
  public var sampling: Sampling
  /// Which windows of the photos are negatives.
  public var lattice: Lattice
  /// Scan options that the model keeps in place of the family's own, for example `{"threshold": -2}`.
  public var scan: JSONTree?

  /// As `PositiveSampleOptions`, without what the training's options say already.
  public struct Sampling: Hashable, Codable, Sendable {
    public var fit: PositiveSampleOptions.Fit?
    public var context: Double?
    public var largestEnlargement: Double?
    public var leastVisibleShare: Double?
    public var mirrors: Bool?
    public var copies: Int?
    public var jitterShift: Double?
    public var jitterScale: Double?
    public var jitterRotation: Double?

    public init() {}
  }

  /// As `NegativeWindowOptions`, without what the training's options say already.
  public struct Lattice: Hashable, Codable, Sendable {
    public var scaleFactor: Double?
    public var stride: Int?
    public var overlapLimit: Double?
    public var smallestWindow: PixelSize?
    public var largestWindow: PixelSize?

    public init() {}
  }

  public init(
    positives: [AnnotatedSource], negatives: [AnnotatedSource], preset: CascadePreset = .openCV,
    options: CascadeTrainerOptions? = nil
  ) {
    self.positives = positives
    self.negatives = negatives
    self.preset = preset
    self.options = options ?? preset.options
    validationPositives = []
    validationNegatives = []
    sampling = Sampling()
    lattice = Lattice()
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      positives: try values.decode([AnnotatedSource].self, forKey: .positives),
      negatives: try values.decodeIfPresent([AnnotatedSource].self, forKey: .negatives) ?? [],
      preset: try values.decodeIfPresent(CascadePreset.self, forKey: .preset) ?? .openCV)
    options = try JSONTree.decode(
      values.decodeIfPresent(JSONTree.self, forKey: .options) ?? .object([:]), over: preset.options)
    validationPositives = try values.decodeIfPresent([AnnotatedSource].self, forKey: .validationPositives) ?? []
    validationNegatives = try values.decodeIfPresent([AnnotatedSource].self, forKey: .validationNegatives) ?? []
    validationWindows = try values.decodeIfPresent(Int.self, forKey: .validationWindows)
    objects = try values.decodeIfPresent([String].self, forKey: .objects)
    sampling = try values.decodeIfPresent(Sampling.self, forKey: .sampling) ?? Sampling()
    lattice = try values.decodeIfPresent(Lattice.self, forKey: .lattice) ?? Lattice()
    scan = try values.decodeIfPresent(JSONTree.self, forKey: .scan)
  }

  /// Every data set that the job reads.
  public var dataSources: [AnnotatedSource] { positives + negatives + validationPositives + validationNegatives }

  /// Loads the data and trains; writes nothing but the checkpoint.
  ///
  /// - Parameter checkpoint: see `CascadeTrainer.train`.
  /// - Throws: `InputError` for data that cannot be loaded, with the faults of annotations given to `progress` as
  ///   warnings; `UnreadablePhotos` with all photos that cannot be opened; and as `CascadeTrainer.train`.
  public func trained(
    checkpoint: String? = nil, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> CascadeTrainingResult {
    try options.validate()
    try checkRoles()
    try checkScan()
    let opener = Opener(job: self, executor: executor, progress: progress, cancellation: cancellation)
    let labels = objects.map { Set($0) }
    let (photos, objectSet) = try opener.open(readingInShape(positives), "positives")
    try requireShape(objectSet)
    try refuseContext(objectSet)
    tellMergedLabels(objectSet, progress)
    let (backgrounds, backgroundSet) = try opener.open(negatives, "negatives")
    let samples = try AnnotatedPositives(photos, options: positiveOptions, labels: labels)
    samples.tellRepeats(to: progress)
    if !samples.leftOut.isEmpty {
      progress.receive(
        .note(
          "\(samples.objectCount) objects give samples; left out: \(AnnotatedPositives.reasons(samples.leftOut))"))
    }
    let negativeWindows = try NegativeWindows(
      backgrounds, options: negativeOptions, positives: positiveOptions, executor: executor)
    negativeWindows.tellLeftOut(to: progress)
    var data = CascadeTrainingData(
      positives: samples, negatives: negativeWindows,
      checksum: try checksum(photos, backgrounds))
    if !validationPositives.isEmpty {
      let (held, heldSet) = try opener.open(readingInShape(validationPositives), "validation positives")
      try requireShape(heldSet)
      let (windows, windowSet) = try opener.open(validationNegatives, "validation negatives")
      for own in [("validation positives", held, heldSet), ("validation negatives", windows, windowSet)] {
        for other in [("positives", photos, objectSet), ("negatives", backgrounds, backgroundSet)] {
          try CascadeTrainingJob.refuseShared(own, other)
        }
      }
      var plain = positiveOptions
      plain.copies = 0
      let heldWindows = try NegativeWindows(
        windows, options: negativeOptions, positives: positiveOptions, executor: executor)
      heldWindows.tellLeftOut(source: "validation negatives", to: progress)
      data.validation = CascadeTrainingData.Validation(
        positives: try AnnotatedPositives(held, options: plain, labels: labels), negatives: heldWindows,
        windowLimit: validationWindows ?? CascadeTrainingJob.defaultValidationWindows)
    }
    var result = try CascadeTrainer.train(
      data, options: options, checkpoint: checkpoint, executor: executor, progress: progress,
      cancellation: cancellation)
    if scan != nil {
      let detector = result.detector
      result.detector = detector.scanned(by: try detector.scanOptions(with: scan))
    }
    return result
  }

  /// - Throws: `InputError` for a role without a data set, and for what is said of a measure that cannot be taken.
  private func checkRoles() throws {
    func fault(_ field: String, _ problem: String, found: String? = nil, expected: String? = nil) -> InputError {
      InputError(source: "training", field: field, problem: problem, found: found, expected: expected)
    }
    guard !positives.isEmpty else { throw fault("positives", "names no data set") }
    guard !negatives.isEmpty else { throw fault("negatives", "names no data set") }
    guard validationPositives.isEmpty == validationNegatives.isEmpty else {
      throw fault(
        "validation", "needs positives and negatives",
        found: validationPositives.isEmpty ? "negatives alone" : "positives alone")
    }
    guard let validationWindows else { return }
    guard (1...1_000_000_000).contains(validationWindows) else {
      throw fault("validationWindows", "out of range", found: "\(validationWindows)", expected: "1 to 1000000000")
    }
    guard !validationPositives.isEmpty else {
      throw fault(
        "validationWindows", "means nothing without validation sets", found: "\(validationWindows)",
        expected: "validation positives and negatives (--validation, --validation-negatives)")
    }
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
      ("validation negatives", validationNegatives),
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

  private struct Opener {
    let job: CascadeTrainingJob
    let executor: ParallelExecutor
    let progress: any ProgressSink
    let cancellation: Cancellation

    func open(_ sources: [AnnotatedSource], _ role: String) throws -> (OpenedPhotos, Dataset) {
      progress.receive(.began(phase: "reading \(role)", total: nil))
      let loaded = try LoadedSources(sources)
      progress.receive(.ended)
      guard let set = loaded.dataset else {
        throw InputError(source: "training", field: role, problem: "names no data set")
      }
      set.tellProblems(to: progress)
      // Samples of a .vec are read from the file; photos are kept in grey as far as a quarter of the memory goes.
      let photos = try OpenedPhotos(
        DatasetTrainingSource(set, uses: loaded.uses), memory: job.options.memory * 1_000_000 / 4, executor: executor,
        progress: progress, cancellation: cancellation, phase: "opening \(role)")
      return (photos, set)
    }
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

  private typealias Role = (name: String, photos: OpenedPhotos, set: Dataset)

  /// - Throws: `InputError` where a photo or a sample of one role shows the same pixels as one of the other, whatever file it
  ///   is in.
  private static func refuseShared(_ held: Role, _ trained: Role) throws {
    guard let both = held.photos.shared(with: trained.photos) else { return }
    func place(_ role: Role, _ index: Int) -> String {
      let image = role.set.images[index]
      return (image.origin.map { "\($0): " } ?? "") + image.path
    }
    throw InputError(
      source: place(held, both.own),
      problem: "is among the \(held.name) and shows the same as one of the \(trained.name)",
      found: place(trained, both.other), expected: "photos and samples that are not trained on",
      hint: "a cascade must be measured on what it has not seen: leave one of the two out")
  }

  /// Of the photos and of how windows are taken from them.
  private func checksum(_ objects: OpenedPhotos, _ backgrounds: OpenedPhotos) throws -> String {
    SHA256.hexDigest(
      of: Array(
        (objects.checksum + backgrounds.checksum + (self.objects ?? ["*"]).joined(separator: "/")
          + (try ModelFile.json(positiveOptions))
          + (try ModelFile.json(negativeOptions))).utf8))
  }

  /// How objects become windows, in full.
  public var positiveOptions: PositiveSampleOptions {
    var result = PositiveSampleOptions(windowSize: options.windowSize)
    result.seed = options.seed
    result.fit = sampling.fit ?? result.fit
    result.context = sampling.context ?? result.context
    result.largestEnlargement = sampling.largestEnlargement ?? result.largestEnlargement
    result.leastVisibleShare = sampling.leastVisibleShare ?? result.leastVisibleShare
    result.mirrors = sampling.mirrors ?? result.mirrors
    result.copies = sampling.copies ?? result.copies
    result.jitterShift = sampling.jitterShift ?? result.jitterShift
    result.jitterScale = sampling.jitterScale ?? result.jitterScale
    result.jitterRotation = sampling.jitterRotation ?? result.jitterRotation
    return result
  }

  /// Which windows are negatives, in full.
  public var negativeOptions: NegativeWindowOptions {
    var result = NegativeWindowOptions(windowSize: options.windowSize)
    result.seed = options.seed
    result.scaleFactor = lattice.scaleFactor ?? result.scaleFactor
    result.stride = lattice.stride ?? result.stride
    result.overlapLimit = lattice.overlapLimit ?? result.overlapLimit
    result.smallestWindow = lattice.smallestWindow ?? result.smallestWindow
    result.largestWindow = lattice.largestWindow ?? result.largestWindow
    return result
  }
}

extension CascadeTrainingReport: TrainingReport {}
