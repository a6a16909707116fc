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
    let training = try file.flatMap { try CascadeDetector.trainingOptions(of: $0, as: JSONTree.self) }
    let made = RunRecord.now(command: command)
    let provenance =
      file?.provenance
      ?? Provenance(
        command: made.command, dataSets: [], seed: 0, commit: made.commit, date: made.date, machine: made.machine)
    try detector.modelFile(provenance: provenance, training: training).write(to: path)
  }
}
