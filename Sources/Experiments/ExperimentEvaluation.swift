import DatasetReaders
import Execution
import Foundation

/// One measurement of a model that an experiment asks for: what its configuration holds, and how it is carried out.
///
/// A kind of evaluation is a type that conforms, with a list of its own in ``ExperimentConfiguration`` that is joined into
/// ``ExperimentConfiguration/evaluations``: no more is needed for `windhover-experiment`, its reports and its tables.
public protocol ExperimentEvaluation: Hashable, Codable, Sendable {
  /// Short name of the figures, for example "cmu-mit"; names of files too.
  var name: String { get }

  /// The names of the files that it writes.
  var files: [String] { get }

  /// Measures the model and writes the evaluation's own files.
  /// - Throws: `InputError` for a model of a kind that cannot be measured so, and for data or options that cannot be used;
  ///   `CancelledError`.
  func run(_ model: StoredModel, in context: EvaluationContext) throws -> EvaluationOutcome
}

/// What an evaluation runs in.
public struct EvaluationContext: Sendable {
  /// The experiment's.
  public let title: String
  /// The command that is recorded.
  public let command: String
  /// The model's path.
  public let modelPath: String
  /// SHA-256 of the model's file.
  public let modelChecksum: String?
  let output: String
  public let executor: ParallelExecutor
  public let progress: any ProgressSink
  public let cancellation: Cancellation

  /// The title of an evaluation's page: of what experiment it is, what it is called there, and on what data.
  func title(of evaluation: String, on dataset: Dataset) -> String {
    "\(title): \(evaluation), on \(dataset.name)"
  }

  /// Where a file of the experiment's goes.
  public func path(_ name: String) -> String { "\(output)/\(name)" }
}

/// What an evaluation gives.
public struct EvaluationOutcome: Sendable {
  public var figures: [ExperimentResult.Figure]
  /// For the report, as preformatted text.
  public var text: String

  public init(figures: [ExperimentResult.Figure], text: String) {
    self.figures = figures
    self.text = text
  }
}
