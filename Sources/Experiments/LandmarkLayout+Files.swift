import Execution
import Foundation
import Landmarks

/// Layouts of one's own, from JSON files.
extension LandmarkLayout {
  /// A built-in layout by its name, or the one layout of a file that has so many points.
  /// - Throws: `InputError` for a name that is none, a file that cannot be read or used (as `read`), and another number of
  ///   points.
  public static func find(_ nameOrPath: String, pointCount: Int) throws -> LandmarkLayout {
    let known = "a file, or one of \(all.map(\.name).joined(separator: ", "))"
    guard !nameOrPath.isEmpty else {
      throw InputError(source: "layout", problem: "has an empty name", expected: known)
    }
    let candidates: [LandmarkLayout]
    if let layout = named(nameOrPath) {
      candidates = [layout]
    } else if case .missing = FileBytes.kind(of: nameOrPath) {
      throw InputError(source: nameOrPath, problem: "is no layout and no file", expected: known)
    } else {
      candidates = try read(Data(FileBytes.read(nameOrPath, limit: 1 << 24)), name: nameOrPath)
    }
    let fitting = candidates.filter { $0.pointCount == pointCount }
    guard fitting.count == 1 else {
      throw InputError(
        source: nameOrPath, problem: fitting.isEmpty ? "has no layout of the data's points" : "has several that fit",
        found: candidates.isEmpty
          ? "an empty list" : candidates.map { "\($0.name) of \($0.pointCount)" }.joined(separator: ", "),
        expected: "one layout of \(pointCount) points")
    }
    return fitting[0]
  }

  /// Layouts of a JSON list, each checked.
  /// - Throws: `InputError` with the line of what is no JSON, the place of a key that is missing, unknown or of another kind,
  ///   or the layout's name and the field that cannot be (`validate`).
  public static func read(_ data: Data, name: String) throws -> [LandmarkLayout] {
    let layouts: [LandmarkLayout]
    do {
      layouts = try StrictJSON.decode([LandmarkLayout].self, from: data, source: name)
    } catch var error as InputError {
      error.hint = error.hint ?? "windhover-train landmarks --help shows a layout file"
      throw error
    }
    for layout in layouts { try layout.validate(source: name) }
    for layout in layouts { try layout.checkNames(among: layouts, source: name) }
    return layouts
  }

  /// - Throws: `InputError` where the name is a built-in layout's, by which a model's points would be taken for those, or the
  ///   base is no layout or has too few points.
  private func checkNames(among layouts: [LandmarkLayout], source: String) throws {
    if LandmarkLayout.named(name) != nil {
      throw InputError(
        source: source, field: "\(name).name", problem: "is a built-in layout's", found: "\"\(name)\"",
        expected: "a name of its own")
    }
    guard let base, let derivation else { return }
    guard let origin = LandmarkLayout.named(base) ?? layouts.first(where: { $0.name == base && $0.base == nil }) else {
      throw InputError(
        source: source, field: "\(name).base", problem: "is no layout", found: "\"\(base)\"",
        expected: "another layout of this file that has no base itself, or one of "
          + LandmarkLayout.all.map(\.name).joined(separator: ", "))
    }
    for (point, shares) in derivation.enumerated() {
      guard let bad = shares.first(where: { $0.point >= origin.pointCount }) else { continue }
      throw InputError(
        source: source, field: "\(name).derivation[\(point)]", problem: "names a point that is not there",
        found: "\(bad.point)", expected: "0 to \(origin.pointCount - 1), the points of \(base)")
    }
  }
}
