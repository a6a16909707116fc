import DatasetReaders
import Detection
import Execution
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
  /// Whether entries of the data sets that cannot be read are left out with a warning; `nil` refuses them.
  public var leavesOutFaults: Bool?
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
    leavesOutFaults = try values.decodeIfPresent(Bool.self, forKey: .leavesOutFaults)
    options = try JSONTree.decode(
      values.decodeIfPresent(JSONTree.self, forKey: .options) ?? .object([:]), over: preset.options,
      at: CodingKeys.options)
  }

  /// Loads the data, trains, and makes the model file's content; writes nothing but the checkpoint.
  ///
  /// - Parameters:
  ///   - record: what the provenance says of the run.
  ///   - checkpoint: see `HOGTrainer.train`.
  /// - Throws: `InputError` for data that cannot be loaded, with the faults of annotations given to `progress` as
  ///   warnings; `DatasetLosses` and `UnreadablePhotos` with everything that was named and cannot be read; and as
  ///   `HOGTrainer.train`.
  public func run(
    record: RunRecord, checkpoint: String? = nil, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> TrainedModel {
    let reader = TrainingSetReader(
      leavesOutFaults: leavesOutFaults ?? false, executor: executor, progress: progress, cancellation: cancellation)
    guard let photos = try reader.read(positives, "positives") else {
      throw InputError(source: "training", field: "positives", problem: "names no data set")
    }
    let backgrounds = try reader.read(negatives, "negatives")
    let validation = try reader.read(calibration, "calibration photos")
    tellMergedLabels(photos.dataset, progress)
    tellRepeats(photos, progress)
    try backgrounds?.refuseShared(with: photos, hint: "its objects would be learnt as background")
    try validation?.refuseShared(
      with: photos, hint: "confidences must be fitted to photos that the training has not seen")
    let result = try HOGTrainer.train(
      photos: photos.sourceMinedWhereWhole, backgrounds: try backgrounds?.whole(progress),
      validation: validation?.source, options: options, checkpoint: checkpoint, executor: executor, progress: progress,
      cancellation: cancellation)
    let dataSets = try [
      ("positives", positives), ("negatives", negatives), ("calibration", calibration),
    ].flatMap { role, sources in
      try LoadedSources(sources).provenance(role: role, executor: executor, cancellation: cancellation)
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

  private func tellRepeats(_ photos: TrainingSet, _ progress: any ProgressSink) {
    let repeated = photos.photos.firstAlike.enumerated().count { $0.offset != $0.element }
    guard repeated > 0 else { return }
    progress.receive(.warning("\(repeated) images are among the positives more than once: their objects weigh more"))
  }
}
