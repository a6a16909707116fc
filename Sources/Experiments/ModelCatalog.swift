import Detection
import Execution
import Foundation
import ModelFiles

/// The models that come with Windhover, by name, and any model file by its path.
public enum ModelCatalog {
  /// Names of the models that come with Windhover and are found, sorted: "face", "face-haar", "face-lbp", "face-lbp-fast",
  /// "landmarks", "person".
  public static var names: [String] {
    let files = folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
    return Set(files.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }).sorted()
  }

  /// The path of a model: a name of the catalogue, or a path.
  ///
  /// - Throws: `InputError` that lists the names where there is neither.
  public static func path(of nameOrPath: String) throws -> String {
    if !nameOrPath.contains("/"), !nameOrPath.hasSuffix(suffix) {
      for folder in folders {
        let candidate = "\(folder)/\(nameOrPath)\(suffix)"
        if FileManager.default.fileExists(atPath: candidate) { return candidate }
      }
    }
    if FileManager.default.fileExists(atPath: nameOrPath) { return nameOrPath }
    throw InputError(
      source: nameOrPath, problem: "no such model",
      expected: "a file, or one of \(names.isEmpty ? "(none is installed)" : names.joined(separator: ", "))",
      hint: "WINDHOVER_HOME may name the folder that holds models/")
  }

  /// Reads a model of any kind by name or path; see ``ModelFormats`` for what is known.
  /// - Throws: `InputError` for a file that cannot be read, is of no known kind, or does not hold together.
  public static func model(_ nameOrPath: String) throws -> StoredModel {
    try ModelFormats.read(path(of: nameOrPath))
  }

  /// Reads a detector of any family by name or path.
  /// - Throws: as ``model(_:)``, and for a model that is no detector.
  public static func detector(_ nameOrPath: String) throws -> any ObjectDetector {
    try model(nameOrPath).detector(source: nameOrPath)
  }

  private static let suffix = ".safetensors"

  /// A program that is built against the package has its resources beside it.
  private static var folders: [String] {
    var folders = InstalledFiles.folders(named: "models", checkoutPath: "Sources/Windhover/Models")
    if let program = InstalledFiles.programFolder() {
      folders.append("\(program)/Windhover_Windhover.resources/Models")
    }
    return folders
  }
}
