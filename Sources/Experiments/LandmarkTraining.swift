import DatasetReaders
import Execution
import Foundation
import Landmarks
import ModelFiles

/// The training of a landmark fitter as an experiment's configuration holds it; `LandmarkTrainingJob` carries it out.
public struct LandmarkTraining: TrainingJob {
  public static let family = "landmarks"

  /// The options to begin with.
  public enum Preset: String, NamedChoice, Hashable, Sendable {
    case face
    /// dlib's trainer's.
    case dlib
  }

  public var data: [AnnotatedSource]
  /// Faces that are measured after each level and not learnt from.
  public var validation: [AnnotatedSource]
  /// Face boxes: a results file, or a detector by name or path; neither takes the labelled ones.
  public var boxes: String?
  public var detector: String?
  public var preset: Preset
  public var options: ShapePredictorOptions
  /// Whether each face is also learnt in the mirror.
  public var mirror: Bool
  /// A built-in layout or a file; `nil`: ibug68 for 68 points, else none.
  public var layout: String?
  /// Bits of a leaf's value in the file: 8, 16 or 32.
  public var leaves: Int

  private enum CodingKeys: String, CodingKey {
    case data, validation, boxes, detector, preset, options, mirror, layout, leaves
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    data = try values.decode([AnnotatedSource].self, forKey: .data)
    validation = try values.decodeIfPresent([AnnotatedSource].self, forKey: .validation) ?? []
    boxes = try values.decodeIfPresent(String.self, forKey: .boxes)
    detector = try values.decodeIfPresent(String.self, forKey: .detector)
    preset = try values.decodeIfPresent(Preset.self, forKey: .preset) ?? .face
    options = try JSONTree.decode(
      values.decodeIfPresent(JSONTree.self, forKey: .options) ?? .object([:]),
      over: preset == .dlib ? ShapePredictorOptions() : .face, at: CodingKeys.options)
    try options.validate()
    mirror = try values.decodeIfPresent(Bool.self, forKey: .mirror) ?? false
    layout = try values.decodeIfPresent(String.self, forKey: .layout)
    leaves = try values.decodeIfPresent(Int.self, forKey: .leaves) ?? 8
    guard LeafBits(rawValue: leaves) != nil || leaves == 32 else {
      throw InputError(
        source: "train", field: "leaves", problem: "out of range", found: "\(leaves)", expected: "8, 16 or 32")
    }
  }

  public func run(
    record: RunRecord, checkpoint: String?, executor: ParallelExecutor, progress: any ProgressSink,
    cancellation: Cancellation
  ) throws -> TrainedModel {
    guard let faces = try AnnotatedSource.load(data) else {
      throw InputError(source: "train", field: "data", problem: "names no data set")
    }
    faces.tellProblems(to: progress)
    var job = LandmarkTrainingJob(
      training: faces, boxes: try .init(results: boxes, detector: detector, executor: executor), options: options)
    job.validation = try AnnotatedSource.load(validation)
    job.isMirrored = mirror
    job.leafBits = LeafBits(rawValue: leaves)
    let points = faces.images.lazy.flatMap(\.annotations).first { !$0.landmarks.isEmpty }?.landmarks.count
    if let layout {
      guard let points else { throw InputError(source: faces.name, problem: "has no annotation with landmarks") }
      job.layout = try LandmarkLayout.find(layout, pointCount: points)
    } else if points == 68 {
      job.layout = .ibug68
    }
    let model = try job.run(
      record: Provenance(
        command: record.command, dataSets: [], seed: options.seed, commit: record.commit, date: record.date,
        machine: record.machine),
      checkpoint: checkpoint, executor: executor, progress: progress, cancellation: cancellation)
    return TrainedModel(
      model: try model.modelFile(),
      report: LandmarkTrainingReport(facts: model.summary, data: model.provenance.dataSets))
  }
}

/// What a training of landmarks tells of itself.
struct LandmarkTrainingReport: TrainingReport {
  var facts: [String]
  var data: [Provenance.DataSet]

  var markdown: String {
    (data.map { "\($0.name): \($0.description), \($0.imageCount) images" } + facts).map { "- \($0)\n" }.joined()
  }
}
