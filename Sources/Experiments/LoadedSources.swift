import DatasetReaders
import Execution
import ModelFiles

/// The data sets of one role in a training, each loaded once: joined for the work, and apart for the record.
public struct LoadedSources: Sendable {
  public let sources: [AnnotatedSource]
  /// As `sources`.
  public let sets: [Dataset]
  /// All of them as one; `nil` where there are none.
  public let dataset: Dataset?

  /// - Throws: as `AnnotatedSource.load`.
  public init(_ sources: [AnnotatedSource]) throws {
    self.sources = sources
    sets = try sources.map { try $0.load() }
    dataset = sets.isEmpty ? nil : sets.count == 1 ? sets[0] : Dataset.joined(sets)
  }

  /// How each image of the joined set is used.
  public var uses: [AnnotatedSource.Use] {
    zip(sources, sets).flatMap { source, set in Array(repeating: source.use, count: set.images.count) }
  }

  /// What a model's provenance says of each set, with a checksum of the contents.
  ///
  /// - Parameter role: what the sets are to the training, for example "positives".
  /// - Throws: `InputError` for a file that cannot be read; `CancelledError`.
  public func provenance(
    role: String, executor: ParallelExecutor, cancellation: Cancellation
  ) throws -> [Provenance.DataSet] {
    try zip(sources, sets).map { source, set in
      let settings = source.settings
      return Provenance.DataSet(
        name: source.data.description, description: settings.isEmpty ? role : "\(role): \(settings)",
        imageCount: set.images.count,
        checksum: try set.contentChecksum(executor: executor, cancellation: cancellation))
    }
  }
}
