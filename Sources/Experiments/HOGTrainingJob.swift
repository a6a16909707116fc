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
    let roles = (
      positives: try LoadedSources(positives), negatives: try LoadedSources(negatives),
      calibration: try LoadedSources(calibration)
    )
    guard let photos = roles.positives.dataset else {
      throw InputError(source: "training", field: "positives", problem: "names no data set")
    }
    let backgrounds = roles.negatives.dataset
    let validation = roles.calibration.dataset
    for set in [photos, backgrounds, validation].compactMap(\.self) {
      set.tellProblems(to: progress)
    }
    tellMergedLabels(photos, progress)
    try checkParts(photos: photos, backgrounds: backgrounds, validation: validation, progress)
    let result = try HOGTrainer.train(
      photos: DatasetTrainingSource(photos, uses: roles.positives.uses),
      backgrounds: backgrounds.map { DatasetTrainingSource($0) },
      validation: validation.map { DatasetTrainingSource($0) }, options: options, checkpoint: checkpoint,
      executor: executor, progress: progress, cancellation: cancellation)
    let dataSets = try [
      ("positives", roles.positives), ("negatives", roles.negatives), ("calibration", roles.calibration),
    ].flatMap { role, sources in
      try sources.provenance(role: role, executor: executor, cancellation: cancellation)
    }
    let provenance = Provenance(
      command: record.command, dataSets: dataSets, seed: options.seed, commit: record.commit, date: record.date,
      machine: record.machine)
    return TrainedModel(
      model: try result.detector.modelFile(provenance: provenance, training: options), report: result.report)
  }

  /// A component that takes any label learns all kinds of objects as one kind: told where there are several.
  private func tellMergedLabels(_ photos: Dataset, _ progress: any ProgressSink) {
    guard options.components.contains(where: { $0.sourceLabels == nil }) else { return }
    var counts: [String: Int] = [:]
    for annotation in photos.images.lazy.flatMap(\.annotations) where !annotation.isIgnored {
      counts[annotation.label, default: 0] += 1
    }
    guard counts.count > 1 else { return }
    let most = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let listed = most.prefix(8).map { "\"\($0.key)\" \($0.value)" }.joined(separator: ", ")
    let rest = most.count > 8 ? ", and \(most.count - 8) more" : ""
    progress.receive(
      .warning(
        "the positives' objects have \(counts.count) labels (\(listed)\(rest)), and a component takes them all as one: "
          + "\"sourceLabels\" of the components (--objects on the command line) chooses"))
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
