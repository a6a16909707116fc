import Execution
import Foundation

/// Gathers the recorded figures of all experiments into one table: `Experiments/RESULTS.md`.
public enum ExperimentTable {
  /// - Parameter folder: holds `<task>/<variant>/expected.json`.
  /// - Throws: `InputError` where a file cannot be read, or none is found.
  public static func markdown(folder: String) throws -> String {
    guard let enumerator = FileManager.default.enumerator(atPath: folder) else {
      throw InputError(source: folder, problem: "cannot be read", expected: "a folder of experiments")
    }
    let paths = enumerator.compactMap { $0 as? String }.filter { $0.hasSuffix("/expected.json") }.sorted()
    guard !paths.isEmpty else {
      throw InputError(
        source: folder, problem: "holds no recorded experiment", expected: "<task>/<variant>/expected.json")
    }
    var text = "# Results\n\nWritten by `make results` from each experiment's `expected.json`.\n"
    for path in paths {
      let result = try StrictJSON.read(ExperimentResult.self, path: "\(folder)/\(path)")
      let name = (path as NSString).deletingLastPathComponent
      text += "\n## [\(result.title)](\(name)/report.md)\n\n`\(result.command)`\n\n"
      text += result.figureTables(tellsDirection: true)
    }
    return text
  }
}
