import DatasetReaders
import Detection
import Execution
import Geometry
import ModelFiles

/// Gives the detections of a trained detector confidences, by annotated photos that it was not trained on: what
/// `windhover-train calibrate` does.
public struct CalibrationJob: Sendable {
  /// Annotated photos, with and without objects.
  public var photos: [AnnotatedSource]
  /// Labels of the annotations that are objects; `nil` takes those that are called as the detections are.
  public var objects: [String]?
  /// Whether entries of the data sets that cannot be read are left out with a warning.
  public var leavesOutFaults: Bool

  public init(photos: [AnnotatedSource], objects: [String]? = nil, leavesOutFaults: Bool = false) {
    self.photos = photos
    self.objects = objects
    self.leavesOutFaults = leavesOutFaults
  }

  /// Fits confidences, and gives the model's file with them: weights, training options and provenance stay, and the
  /// provenance gets the command and the photos.
  ///
  /// - Parameter source: what errors call the model.
  /// - Throws: `InputError` for a model that is no detector or whose family has no confidences, photos that it was trained on
  ///   (as far as its provenance knows sets by their checksums), photos without a label that is its own, and detections that
  ///   no confidence can be fitted to; as `TrainingSetReader.read`; `CancelledError`.
  public func run(
    _ model: StoredModel, source: String, record: RunRecord, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> ModelFile {
    guard let detector = try model.detector(source: source) as? any CalibratedDetector else {
      throw InputError(source: source, problem: "is of a family that has no confidences", found: model.format)
    }
    let reader = TrainingSetReader(
      leavesOutFaults: leavesOutFaults, executor: executor, progress: progress, cancellation: cancellation)
    guard let set = try reader.read(photos, "calibration photos") else {
      throw InputError(source: "calibration", field: "photos", problem: "names no data set")
    }
    let sets = try LoadedSources(photos).provenance(
      role: "calibration", executor: executor, cancellation: cancellation)
    try refuseTrained(sets, model)
    let known = objects.map { Set($0) }
    try checkLabels(set.dataset, detector.labels)
    let fit = try CalibrationJob.fit(
      detector, to: set.source, isOf: { known?.contains($1) ?? ($0 == $1) }, executor: executor, progress: progress,
      cancellation: cancellation)
    guard !fit.scalings.isEmpty else {
      throw InputError(
        source: source, problem: "gets no confidences",
        found:
          "\(fit.counts.matched) right and \(fit.counts.unmatched) wrong detections in \(fit.counts.photos) photos",
        expected: "both")
    }
    progress.receive(.note(fit.counts.summary))
    return try model.file(
      of: detector.calibrated(by: fit.scalings),
      provenance: model.provenance(adding: sets, record: record))
  }

  /// Opens the detector's type.
  private static func fit(
    _ detector: some CalibratedDetector, to photos: any TrainingImageSource,
    isOf: @Sendable (String, String) -> Bool, executor: ParallelExecutor, progress: any ProgressSink,
    cancellation: Cancellation
  ) throws -> ConfidenceFit {
    try ConfidenceFit.fit(
      detector, to: photos, isOf: isOf, executor: executor, progress: progress, cancellation: cancellation)
  }

  private func refuseTrained(_ sets: [Provenance.DataSet], _ model: StoredModel) throws {
    let trained = (model.file?.provenance.dataSets ?? []).filter { !$0.description.hasPrefix("calibration") }
    for set in sets {
      guard let both = trained.first(where: { $0.checksum != nil && $0.checksum == set.checksum }) else { continue }
      throw InputError(
        source: set.name, problem: "is what the model was trained on", found: "\(both.name) (\(both.description))",
        expected: "photos that it has not seen")
    }
  }

  private func checkLabels(_ photos: Dataset, _ labels: [String]) throws {
    let wanted = Set(objects ?? labels)
    let known = photos.labels
    guard !known.isEmpty, wanted.isDisjoint(with: known) else { return }
    throw InputError(
      source: "calibration photos", problem: "have no object of a known label",
      found: known.prefix(8).joined(separator: ", "), expected: wanted.sorted().joined(separator: ", "),
      hint: "--objects names the labels that are objects")
  }
}
