import DatasetReaders
import Execution
import Foundation
import ModelFiles

/// A detector family's training as a configuration holds it: data sets and options, as JSON.
///
/// `windhover-train FAMILY --config` reads one, and the `train` part of an experiment. A family is made known by its line
/// in ``TrainingChoice/families``.
public protocol TrainingJob: Hashable, Codable, Sendable {
  /// What `"family"` calls it in a configuration.
  static var family: String { get }

  /// Loads the data, trains, and makes the model file's content; writes nothing but the checkpoint.
  ///
  /// - Parameters:
  ///   - record: what the provenance says of the run.
  ///   - checkpoint: a file that holds what is done, from which an interrupted run goes on; `nil` keeps none.
  /// - Throws: `InputError` for data or options that cannot be used and for a checkpoint of another run;
  ///   `CancelledError`.
  func run(
    record: RunRecord, checkpoint: String?, executor: ParallelExecutor, progress: any ProgressSink,
    cancellation: Cancellation
  ) throws -> TrainedModel
}

/// What a training gives: the content of the model file, and the account of how it came about.
public struct TrainedModel: Sendable {
  public let model: ModelFile
  public let report: any TrainingReport

  public init(model: ModelFile, report: any TrainingReport) {
    self.model = model
    self.report = report
  }
}

/// The account of a training: `training.json`, and a chapter of an experiment's report.
public protocol TrainingReport: Encodable, Sendable {
  /// Paragraphs and tables as Markdown, without a heading.
  var markdown: String { get }
}

/// The `train` part of an experiment: `{"family": "hog", …}` with that family's own keys beside it. The family is "hog"
/// where none is named.
public struct TrainingChoice: Sendable {
  /// The families that can be trained, one line each.
  static let families: [any TrainingJob.Type] = [
    HOGTrainingJob.self,
    CascadeTrainingJob.self,
    LandmarkTraining.self,
  ]

  public var job: any TrainingJob

  public init(_ job: some TrainingJob) {
    self.job = job
  }

  /// Reads the training of a known family from a file, which need not name it.
  /// - Throws: `InputError` where it is another's, and as `StrictJSON.read`.
  public static func read<Job: TrainingJob>(_ type: Job.Type, path: String) throws -> Job {
    try FileUse.ofProgram.willRead([path])
    if let data = FileManager.default.contents(atPath: path),
      let named = try? JSONDecoder().decode(FamilyName.self, from: data), named.family == nil
    {
      return try StrictJSON.decode(type, from: data, source: path)
    }
    return try StrictJSON.read(TrainingChoice.self, path: path).job(as: type, source: path)
  }

  /// The job as that of a known family.
  /// - Throws: `InputError` where it is another's.
  public func job<Job: TrainingJob>(as type: Job.Type, source: String) throws -> Job {
    guard let job = job as? Job else {
      throw InputError(
        source: source, field: "family", problem: "is a training of another family",
        found: "\"\(Swift.type(of: self.job).family)\"", expected: "\"\(Job.family)\"")
    }
    return job
  }
}

/// The one key of a training that all families share.
private struct FamilyName: Decodable {
  var family: String?
}

extension TrainingChoice: Codable {
  private enum CodingKeys: String, CodingKey {
    case family
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let name = try values.decodeIfPresent(String.self, forKey: .family) ?? HOGTrainingJob.family
    guard let family = TrainingChoice.families.first(where: { $0.family == name }) else {
      throw InputError(
        source: "train", field: "family", problem: "is not known", found: "\"\(name)\"",
        expected: TrainingChoice.families.map { "\"\($0.family)\"" }.joined(separator: " or "))
    }
    job = try family.init(from: decoder)
  }

  /// The job's own keys, and the family.
  public func encode(to encoder: any Encoder) throws {
    try job.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(type(of: job).family, forKey: .family)
  }
}

extension TrainingChoice: Hashable {
  public static func == (a: TrainingChoice, b: TrainingChoice) -> Bool { a.job.erased == b.job.erased }

  public func hash(into hasher: inout Hasher) { hasher.combine(job.erased) }
}

extension TrainingJob {
  fileprivate var erased: AnyHashable { AnyHashable(self) }
}
