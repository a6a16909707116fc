import Execution

/// Names of images on a list, matched with or without their suffix.
struct ImageNameList {
  let path: String
  private let lineByName: [String: Int]
  private let nameByStem: [String: String]
  private var matched: Set<String> = []
  /// Images that only their stem matched, by the name on the list.
  private var matchedByStem: [(image: String, listed: String)] = []
  let problems: [DatasetProblem]

  /// - Throws: `InputError` where the list cannot be read or names nothing.
  init(contentsOf path: String) throws {
    let text = try TextLines(contentsOf: path)
    var found = text.cosmeticProblems()
    var lineByName: [String: Int] = [:]
    for line in text.lines where !line.trimmed.isEmpty {
      let name = String(line.trimmed)
      if lineByName.updateValue(line.number, forKey: name) != nil {
        found.append(
          DatasetProblem(
            file: path, line: line.number, image: name, kind: .duplicateImage, outcome: .leftOut,
            message: "\(quoted(name)) is on the list twice"))
      }
    }
    guard !lineByName.isEmpty else {
      throw InputError(source: path, problem: "names no image", expected: "one image name a line")
    }
    self.init(path: path, lineByName: lineByName, problems: found)
  }

  /// A list that a manifest states itself.
  init(names: [String], path: String) {
    self.init(path: path, lineByName: Dictionary(names.map { ($0, 0) }) { first, _ in first }, problems: [])
  }

  private init(path: String, lineByName: [String: Int], problems: [DatasetProblem]) {
    self.path = path
    self.lineByName = lineByName
    self.problems = problems
    nameByStem = Dictionary(lineByName.keys.map { (withoutSuffix($0), $0) }) { a, b in bytewise(a, b) ? a : b }
  }

  mutating func matches(_ name: String) -> Bool {
    if lineByName[name] != nil {
      matched.insert(name)
      return true
    }
    // An image re-encoded to another format keeps its place; so does a list without suffixes.
    let stem = withoutSuffix(name)
    if lineByName[stem] != nil {
      matched.insert(stem)
      return true
    }
    if let other = nameByStem[stem], ImageNames.isImageSuffix(lowercasedSuffix(other)) {
      matchedByStem.append((name, other))
      return true
    }
    return false
  }

  /// Images that were matched by their stem although the image of the very name is there too (`a.png` where the list and
  /// the set have `a.jpg`): they are not meant.
  func superfluous() -> Set<String> {
    Set(matchedByStem.filter { matched.contains($0.listed) }.map(\.image))
  }

  /// One problem for each name that matched nothing, in the list's order.
  func unmatched() -> [DatasetProblem] {
    let found = matched.union(matchedByStem.map(\.listed))
    return lineByName.filter { !found.contains($0.key) }
      .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
      .map { name, line in
        DatasetProblem(
          file: path, line: line > 0 ? line : nil, image: name, kind: .unknownName, outcome: .leftOut,
          message: "\(quoted(name)) is on the list, but the data set has no such image")
      }
  }
}
