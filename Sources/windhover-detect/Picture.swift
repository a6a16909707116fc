import Foundation
import Windhover

/// One picture to look at: its name in the output and where its pixels are.
struct Picture: Sendable {
  let name: String
  let source: ImageSource

  /// The pictures that operands of a command name: files, folders, data sets.
  ///
  /// - Throws: `InputError` for what is none of these.
  static func list(_ operands: [String]) throws -> [Picture] {
    try operands.flatMap { operand -> [Picture] in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: operand, isDirectory: &isFolder) else {
        guard operand.contains(":") || operand.split(separator: "/").count == 2 else {
          throw InputError(source: operand, problem: "no such file, folder or data set")
        }
        let dataset = try Dataset.load(DatasetReference.parse(operand))
        return zip(dataset.images, dataset.sources).map { Picture(name: $0.name, source: $1) }
      }
      guard isFolder.boolValue else { return [Picture(name: operand, source: .file(path: operand))] }
      let dataset = try Dataset.load(DatasetReference(source: .files(format: .folder, path: operand)))
      return zip(dataset.images, dataset.sources).map { Picture(name: $0.path, source: $1) }
    }
  }
}
