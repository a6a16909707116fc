import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles

/// Everything that a HOG training needs: data sets and options. What `windhover-train hog --config` reads, and the `train`
/// part of an experiment.
public struct HOGTrainingJob: TrainingJob {
  public static let family = "hog"

  /// Photos (or windows) with objects.
  public var positives: [AnnotatedSource]
  /// Photos without an object.
  public var negatives: [AnnotatedSource]
  /// Annotated photos that confidences are fitted to, none of them among the positives; empty: no confidences.
  public var calibration: [AnnotatedSource]
  /// What the options of a file begin with: those that it leaves out.
  public var preset: HOGPreset
  public var options: HOGTrainerOptions

  /// - Parameter options: `nil` takes the preset's.
  public init(
    positives: [AnnotatedSource], negatives: [AnnotatedSource], calibration: [AnnotatedSource] = [],
    preset: HOGPreset = .person, options: HOGTrainerOptions? = nil
  ) {
    self.positives = positives
    self.negatives = negatives
    self.calibration = calibration
    self.preset = preset
    self.options = options ?? preset.options
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      positives: try values.decode([AnnotatedSource].self, forKey: .positives),
      negatives: try values.decodeIfPresent([AnnotatedSource].self, forKey: .negatives) ?? [],
      calibration: try values.decodeIfPresent([AnnotatedSource].self, forKey: .calibration) ?? [],
      preset: try values.decodeIfPresent(HOGPreset.self, forKey: .preset) ?? .person,
      options: HOGTrainerOptions())
    options = try JSONTree.decode(
      values.decodeIfPresent(JSONTree.self, forKey: .options) ?? .object([:]), over: preset.options)
  }

  public var dataSources: [AnnotatedSource] { positives + negatives + calibration }

  /// Loads the data, trains, and makes the model file's content; writes nothing but the checkpoint.
  ///
  /// - Parameters:
  ///   - record: what the provenance says of the run.
  ///   - checkpoint: see `HOGTrainer.train`.
  /// - Throws: `InputError` for data that cannot be loaded, with the faults of annotations given to `progress` as
  ///   warnings; and as `HOGTrainer.train`.
  public func run(
    record: RunRecord, checkpoint: String? = nil, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> TrainedModel {
    guard let (photos, uses) = try AnnotatedSource.loadWithUses(positives) else {
      throw InputError(source: "training", field: "positives", problem: "names no data set")
    }
    let backgrounds = try AnnotatedSource.load(negatives)
    let validation = try AnnotatedSource.load(calibration)
    for set in [photos, backgrounds, validation].compactMap(\.self) {
      set.tellProblems(to: progress)
    }
    try checkParts(photos: photos, backgrounds: backgrounds, validation: validation, progress)
    let result = try HOGTrainer.train(
      photos: DatasetTrainingSource(photos, uses: uses), backgrounds: backgrounds.map { DatasetTrainingSource($0) },
      validation: validation.map { DatasetTrainingSource($0) }, options: options, checkpoint: checkpoint,
      executor: executor, progress: progress, cancellation: cancellation)
    let described = zip(
      ["positives", "negatives", "calibration"], [positives, negatives, calibration]
    ).flatMap { role, sources in sources.map { (role, $0) } }
    let provenance = Provenance(
      command: record.command,
      dataSets: try described.map { role, source in
        let set = try source.load()
        return Provenance.DataSet(
          name: source.data.description, description: role, imageCount: set.images.count,
          checksum: try set.contentChecksum(executor: executor, cancellation: cancellation))
      }, seed: options.seed, commit: record.commit, date: record.date, machine: record.machine)
    return TrainedModel(
      model: try result.detector.modelFile(provenance: provenance, training: options), report: result.report)
  }

  /// Whether the parts of the data contradict each other: a photo in two of them, or twice in one.
  private func checkParts(
    photos: Dataset, backgrounds: Dataset?, validation: Dataset?, _ progress: any ProgressSink
  ) throws {
    var trained: Set<ImageSource> = []
    var repeated = 0
    for source in photos.sources where !trained.insert(source).inserted { repeated += 1 }
    if repeated > 0 {
      progress.receive(.warning("\(repeated) images are among the positives more than once: their objects weigh more"))
    }
    func refuse(_ other: Dataset?, _ role: String, _ hint: String) throws {
      guard let both = other?.sources.firstIndex(where: trained.contains), let other else { return }
      throw InputError(
        source: other.images[both].path, problem: "is among the positives and the \(role)", hint: hint)
    }
    try refuse(backgrounds, "negatives", "its objects would be learnt as background")
    try refuse(validation, "calibration photos", "confidences must be fitted to photos that the training has not seen")
  }
}
