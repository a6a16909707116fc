import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation

/// What an experiment does: train a model (or take one), evaluate it, record the figures.
///
/// `Experiments/<task>/<variant>/config.json` holds one. `windhover-experiment run` carries it out.
public struct ExperimentConfiguration: Hashable, Codable, Sendable {
  /// Heading of the report.
  public var title: String
  /// What the experiment is to show, in a sentence or two.
  public var purpose: String
  /// How the model is trained; `nil` where `model` names one.
  public var train: TrainingChoice?
  /// A model by name or path; `nil` where one is trained.
  public var model: String?
  /// Evaluations by boxes in whole photos.
  public var boxes: [BoxEvaluation]
  /// Evaluations by windows (Dalal and Triggs).
  public var windows: [WindowEvaluation]
  /// Evaluations of landmark fitters.
  public var landmarks: [LandmarkEvaluation]

  /// All of them, in the order in which they are carried out.
  public var evaluations: [any ExperimentEvaluation] { boxes + windows + landmarks }

  /// The names of the files that the experiment writes.
  public var files: [String] {
    let ofTraining = train == nil ? [] : ["checkpoint.safetensors", "model.safetensors", "training.json"]
    return ofTraining + evaluations.flatMap { $0.files } + ["result.json", "report.md"]
  }

  public init(
    title: String, purpose: String, train: TrainingChoice? = nil, model: String? = nil, boxes: [BoxEvaluation] = [],
    windows: [WindowEvaluation] = [], landmarks: [LandmarkEvaluation] = []
  ) {
    self.title = title
    self.purpose = purpose
    self.train = train
    self.model = model
    self.boxes = boxes
    self.windows = windows
    self.landmarks = landmarks
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      title: try values.decode(String.self, forKey: .title), purpose: try values.decode(String.self, forKey: .purpose),
      train: try values.decodeIfPresent(TrainingChoice.self, forKey: .train),
      model: try values.decodeIfPresent(String.self, forKey: .model),
      boxes: try values.decodeIfPresent([BoxEvaluation].self, forKey: .boxes) ?? [],
      windows: try values.decodeIfPresent([WindowEvaluation].self, forKey: .windows) ?? [],
      landmarks: try values.decodeIfPresent([LandmarkEvaluation].self, forKey: .landmarks) ?? [])
    guard (train == nil) != (model == nil) else {
      throw InputError(
        source: "experiment", field: "train, model", problem: train == nil ? "both are missing" : "both are given",
        expected: "one of them")
    }
    let names = evaluations.map { $0.name }
    if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      throw InputError(source: "experiment", field: "name", problem: "two evaluations have one name", found: twice)
    }
  }
}

extension ObjectDetector {
  /// The detector's own scan options with some of them replaced.
  /// - Parameter source: what errors say that the changes come from.
  /// - Throws: `InputError` for values out of range and for options that the family does not know; `DecodingError` for one
  ///   of the wrong kind.
  public func scanOptions(with changes: JSONTree?, source: String = "scan") throws -> ScanOptions {
    guard let changes else { return scanOptions }
    let text = try JSONEncoder().encode(changes)
    _ = try StrictJSON.decode(ScanOptions.self, from: text, source: source)
    let options = try JSONTree.decode(changes, over: scanOptions)
    try validate(options, source: source)
    return options
  }
}
