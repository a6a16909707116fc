import CommandLineOptions
import Foundation

/// What detectors are called where only their files are known.
enum ResultNames {
  /// The file's name without its folder and suffix.
  static func name(_ path: String) -> String {
    if path == "-" { return "standard input" }
    let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    return name.isEmpty ? path : name
  }

  /// The given names, or the files' names; the whole paths where two files have one name, and numbered names
  /// where one file is given twice.
  static func names(_ paths: [String], given: String?) throws -> [String] {
    if let given {
      let names = given.split(separator: ",", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard names.count == paths.count else {
        throw UsageError("--names: found \(names.count), expected \(paths.count), one a results file")
      }
      guard !names.contains(""), Set(names).count == names.count else {
        throw UsageError("--names: found \"\(given)\", expected a different name for each results file")
      }
      return names
    }
    let names = paths.map(name)
    if Set(names).count == names.count { return names }
    if Set(paths).count == paths.count { return paths }
    return zip(1..., names).map { "\($0) \($1)" }
  }
}
