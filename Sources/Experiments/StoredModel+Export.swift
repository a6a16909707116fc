import Detection
import Execution
import Foundation
import Interchange
import ModelFiles

extension StoredModel {
  /// Writes the model in another format: OpenCV's XML where the path ends so, else Windhover's own.
  ///
  /// A model of ours keeps its provenance and training options; another tool's gets the command as its provenance.
  /// - Parameters:
  ///   - label: what detections are called from then on; `nil` leaves it.
  ///   - source: what errors call the model.
  /// - Throws: `InputError` for models that are no cascades, soft cascades as XML, and files that cannot be written.
  public func export(to path: String, label: String?, source: String, command: String) throws {
    guard case .detector(let any) = content, var detector = any as? CascadeDetector else {
      throw InputError(
        source: source, problem: "cannot be exported", found: format, expected: "a cascade")
    }
    if let label {
      guard !label.isEmpty, label.utf8.count <= 256 else {
        throw InputError(source: "--label", problem: "is no label", found: "\"\(label.prefix(40))\"")
      }
      guard !path.lowercased().hasSuffix(".xml") else {
        throw InputError(
          source: "--label", problem: "would be lost", found: "\(path), and OpenCV's .xml holds no label",
          expected: "another name, for a model of Windhover's")
      }
      detector = detector.labelled(label)
    }
    if path.lowercased().hasSuffix(".xml") { return try OpenCVCascade.write(detector, to: path) }
    try self.file(of: detector, provenance: provenance(adding: [], record: RunRecord.now(command: command)))
      .write(to: path)
  }

  /// A file of a detector that was made of this model's, with the options that this was trained by.
  func file(of detector: any CalibratedDetector, provenance: Provenance) throws -> ModelFile {
    switch detector {
    case let cascade as CascadeDetector:
      let training = try file.flatMap { try CascadeDetector.trainingOptions(of: $0, as: JSONTree.self) }
      return try cascade.modelFile(provenance: provenance, training: training)
    case let hog as HOGDetector:
      let training = try file.flatMap {
        $0.kind == HOGDetector.modelKind ? try HOGDetector.trainingOptions(of: $0) : nil
      }
      return try hog.modelFile(provenance: provenance, training: training)
    default: preconditionFailure("a family of detectors that has no file of its own")
    }
  }

  /// The model's provenance; another tool's model gets the command as its own. Sets that a command adds bring its command.
  func provenance(adding sets: [Provenance.DataSet], record: RunRecord) -> Provenance {
    guard var known = file?.provenance else {
      return Provenance(
        command: record.command, dataSets: sets, seed: 0, commit: record.commit, date: record.date,
        machine: record.machine)
    }
    guard !sets.isEmpty else { return known }
    known.command += known.command.isEmpty ? record.command : " && " + record.command
    known.dataSets.removeAll { $0.description.hasPrefix("calibration") }
    known.dataSets += sets
    return known
  }
}
