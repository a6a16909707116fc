import CommandLineOptions
import Foundation
import Windhover

/// One picture to look at: its name in the output and where its pixels are.
struct Picture: Sendable {
  let name: String
  let source: ImageSource
  /// Its path relative to what the command line names: a file's own name, or the path within a folder or data set.
  let relativePath: String

  /// The pictures that operands of a command name: files, folders, data sets.
  ///
  /// Folders can be large: Ctrl-C is heeded while they are searched.
  /// - Returns: the pictures, each name once, and how many that a list or a folder names cannot be had; these are told as warnings.
  /// - Throws: `InputError` for what is none of these.
  static func list(_ operands: [String], _ context: CommandContext) throws -> (pictures: [Picture], faults: Int) {
    context.progress.receive(.began(phase: "looking for pictures", total: nil))
    defer { context.progress.receive(.ended) }
    var faults = 0
    func tellFaults(_ dataset: Dataset) {
      for problem in dataset.problems where problem.severity == .error {
        faults += 1
        context.progress.receive(.warning(problem.sentence))
      }
    }
    let pictures = try operands.flatMap { operand -> [Picture] in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: operand, isDirectory: &isFolder) else {
        guard operand.contains(":") || operand.split(separator: "/").count == 2 else {
          throw InputError(source: operand, problem: "no such file, folder or data set")
        }
        let dataset = try Dataset.load(DatasetReference.parse(operand), cancellation: context.cancellation)
        tellFaults(dataset)
        return zip(dataset.images, dataset.sources).map { Picture(name: $0.name, source: $1, relativePath: $0.name) }
      }
      guard isFolder.boolValue else {
        try FileUse.ofProgram.willRead([operand])
        return [
          Picture(
            name: operand, source: .file(path: operand), relativePath: (operand as NSString).lastPathComponent)
        ]
      }
      let dataset = try Dataset.load(
        DatasetReference(source: .files(format: .folder, path: operand)), cancellation: context.cancellation)
      tellFaults(dataset)
      return zip(dataset.images, dataset.sources).map { Picture(name: $0.path, source: $1, relativePath: $0.name) }
    }
    var names: Set<String> = []
    let different = pictures.filter { names.insert($0.name).inserted }
    if different.count < pictures.count {
      context.progress.receive(
        .warning(
          "named more than once, and done once: \(pictures.count - different.count) of \(pictures.count) pictures"))
    }
    return (different, faults)
  }

  /// The options for reading pictures that `--max-pixels` gives.
  static func readOptions(_ options: ParsedOptions) throws -> ImageReadOptions {
    var read = ImageReadOptions()
    read.pixelLimit = try options.integer("--max-pixels", in: 1...Int(Int32.max)) ?? read.pixelLimit
    read.pixelLimitName = "--max-pixels"
    return read
  }
}
