import DatasetReaders
import Detection
import Execution

/// The data sets of one role of a training (its positives, its negatives), loaded and opened.
struct TrainingSet: Sendable {
  /// What they are to the training, for messages.
  let role: String
  let dataset: Dataset
  let source: DatasetTrainingSource
  let photos: OpenedPhotos

  /// The photo's name, behind the file and line that name it.
  private func place(_ index: Int) -> String {
    let image = dataset.images[index]
    return (image.origin.map { "\($0): " } ?? "") + image.path
  }

  /// As `source`, without negatives from photos that are damaged or were cut short: grey rows are no background.
  var sourceMinedWhereWhole: DatasetTrainingSource {
    DatasetTrainingSource(
      dataset,
      uses: dataset.images.indices.map { index in
        var use = source.use(at: index)
        if photos.damage[index] != nil { use.mines = false }
        return use
      })
  }

  /// As `source`, without photos that are damaged or were cut short.
  /// - Throws: `InputError` where no other is left.
  func whole(_ progress: any ProgressSink) throws -> DatasetTrainingSource {
    guard !photos.damage.isEmpty else { return source }
    progress.receive(
      .warning(
        "\(role): damaged or cut short, left out so that grey or coarse parts are not learnt from: "
          + "\(photos.damage.count), named above"))
    let kept = dataset.images.indices.filter { photos.damage[$0] == nil }
    guard !kept.isEmpty else {
      throw InputError(
        source: role, problem: "cannot be used", found: "\(dataset.images.count) photos, all damaged or cut short",
        expected: "whole photos")
    }
    return DatasetTrainingSource(dataset.subset(kept), uses: kept.map(source.use))
  }

  /// - Parameter hint: why it must not be.
  /// - Throws: `InputError` where a photo or a sample shows the same pixels as one of another role, whatever file it is in.
  func refuseShared(with other: TrainingSet, hint: String) throws {
    guard let both = photos.shared(with: other.photos) else { return }
    throw InputError(
      source: place(both.own), problem: "is among the \(role) and shows the same as one of the \(other.role)",
      found: other.place(both.other), expected: "photos and samples that are not among the \(other.role)", hint: hint)
  }
}

/// Loads and opens the data sets of a training, role by role: what cannot be read is told before the training begins.
struct TrainingSetReader {
  /// Bytes that grey copies of a role's photos may take.
  var memory = 0
  /// Whether what cannot be read is left out with a warning; otherwise it is refused.
  var leavesOutFaults: Bool
  let executor: ParallelExecutor
  let progress: any ProgressSink
  let cancellation: Cancellation

  static let remedy = "go on without (--leave-out-faults, or \"leavesOutFaults\": true in the file of --config)"

  /// - Returns: `nil` where the role has no data set.
  /// - Throws: `InputError` for a set that cannot be loaded; `DatasetLosses` with everything that the sets' files name and
  ///   that cannot be read; `UnreadablePhotos` with all photos that cannot be opened; `CancelledError`.
  func read(_ sources: [AnnotatedSource], _ role: String) throws -> TrainingSet? {
    guard !sources.isEmpty else { return nil }
    progress.receive(.began(phase: "reading \(role)", total: nil))
    let loaded = try LoadedSources(sources)
    progress.receive(.ended)
    guard let set = loaded.dataset else { return nil }
    guard leavesOutFaults || set.losses.isEmpty else {
      throw DatasetLosses(problems: set.losses, remedy: TrainingSetReader.remedy)
    }
    set.tellProblems(to: progress)
    do {
      return try open(set, loaded.uses, role)
    } catch let error as UnreadablePhotos where leavesOutFaults && error.failures.count < set.images.count {
      for failure in error.failures { progress.receive(.warning("\(failure) [left out]")) }
      let unreadable = Set(error.failures.map(\.index))
      let kept = set.images.indices.filter { !unreadable.contains($0) }
      return try open(set.subset(kept), kept.map { loaded.uses[$0] }, role)
    }
  }

  private func open(_ set: Dataset, _ uses: [AnnotatedSource.Use], _ role: String) throws -> TrainingSet {
    let source = DatasetTrainingSource(set, uses: uses)
    let photos = try OpenedPhotos(
      source, memory: memory, executor: executor, progress: progress, cancellation: cancellation,
      phase: "opening \(role)")
    return TrainingSet(role: role, dataset: set, source: source, photos: photos)
  }
}
