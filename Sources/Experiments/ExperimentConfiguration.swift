import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation

/// What an experiment does: train a detector (or take one), evaluate it, record the figures.
///
/// `Experiments/<task>/<variant>/config.json` holds one. `windhover-experiment run` carries it out.
public struct ExperimentConfiguration: Hashable, Codable, Sendable {
  /// Heading of the report.
  public var title: String
  /// What the experiment is to show, in a sentence or two.
  public var purpose: String
  /// How the detector is trained; `nil` where `model` names one.
  public var train: TrainingChoice?
  /// A model by name or path; `nil` where one is trained.
  public var model: String?
  /// Evaluations by boxes in whole photos.
  public var boxes: [BoxEvaluation]
  /// Evaluations by windows (Dalal and Triggs).
  public var windows: [WindowEvaluation]

  public init(
    title: String, purpose: String, train: TrainingChoice? = nil, model: String? = nil, boxes: [BoxEvaluation] = [],
    windows: [WindowEvaluation] = []
  ) {
    self.title = title
    self.purpose = purpose
    self.train = train
    self.model = model
    self.boxes = boxes
    self.windows = windows
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      title: try values.decode(String.self, forKey: .title), purpose: try values.decode(String.self, forKey: .purpose),
      train: try values.decodeIfPresent(TrainingChoice.self, forKey: .train),
      model: try values.decodeIfPresent(String.self, forKey: .model),
      boxes: try values.decodeIfPresent([BoxEvaluation].self, forKey: .boxes) ?? [],
      windows: try values.decodeIfPresent([WindowEvaluation].self, forKey: .windows) ?? [])
    guard (train == nil) != (model == nil) else {
      throw InputError(
        source: "experiment", field: "train, model", problem: train == nil ? "both are missing" : "both are given",
        expected: "one of them")
    }
    let names = boxes.map(\.name) + windows.map(\.name)
    if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      throw InputError(source: "experiment", field: "name", problem: "two evaluations have one name", found: twice)
    }
  }
}

/// A detector over annotated photos: average precision, miss rate against false positives an image.
public struct BoxEvaluation: Hashable, Codable, Sendable {
  /// Short name of the figures, for example "cmu-mit".
  public var name: String
  public var data: [AnnotatedSource]
  /// Scan options that take the place of the model's own, for example `{"threshold": -1}`.
  public var scan: JSONTree?
  /// When a detection is right; `nil` takes the defaults (intersection over union >= 0.5).
  public var matching: MatchingOptions?
  /// Also scores the boxes after one offset and scale that are fitted to this very set: for sets that draw the object
  /// otherwise than the training sets do. Both figures are told.
  public var fitsBoxes: Bool?

  public init(
    name: String, data: [AnnotatedSource], scan: JSONTree? = nil, matching: MatchingOptions? = nil,
    fitsBoxes: Bool? = nil
  ) {
    self.name = name
    self.data = data
    self.scan = scan
    self.matching = matching
    self.fitsBoxes = fitsBoxes
  }
}

/// A detector over normalised windows and photos without objects: miss rate against false positives a window.
public struct WindowEvaluation: Hashable, Codable, Sendable {
  public var name: String
  /// Sets whose every target is one positive window.
  public var positives: [AnnotatedSource]
  /// Sets without objects, scanned whole.
  public var negatives: [AnnotatedSource]
  /// Scan options that take the place of the model's own.
  public var scan: JSONTree?
  /// False-positive rates a window that are told.
  public var rates: [Double]?

  public init(
    name: String, positives: [AnnotatedSource], negatives: [AnnotatedSource], scan: JSONTree? = nil,
    rates: [Double]? = nil
  ) {
    self.name = name
    self.positives = positives
    self.negatives = negatives
    self.scan = scan
    self.rates = rates
  }
}

extension ObjectDetector {
  /// The detector's own scan options with some of them replaced.
  /// - Throws: `InputError` for values out of range and for options that the family does not know; `DecodingError` for one
  ///   of the wrong kind.
  public func scanOptions(with changes: JSONTree?) throws -> ScanOptions {
    guard let changes else { return scanOptions }
    let text = try JSONEncoder().encode(changes)
    _ = try StrictJSON.decode(ScanOptions.self, from: text, source: "scan")
    let options = try JSONTree.decode(changes, over: scanOptions)
    try validate(options, source: "scan")
    return options
  }
}
