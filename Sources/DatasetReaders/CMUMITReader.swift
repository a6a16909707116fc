import Execution
import Geometry

/// The CMU+MIT frontal face test set (Rowley, Baluja and Kanade 1998; Sung and Poggio 1998).
///
/// `cmu-mit:DIR` reads `DIR/ground_truth_bboxes.txt`, a line a face: `name x1 y1 x2 y2`, and every image in `DIR/images`:
/// images that no line names have no face and belong to the set, for false alarms are counted on them.
///
/// **Coordinates:** corners in pixels from 0, `x2` and `y2` being the right and bottom edge: x = x1, width = x2 - x1. The
/// boxes are loose (the whole head), so whether the far corner is meant as included (one pixel more) is within their error.
///
/// The label is `face`; names are file names. Lines stand alone: one that cannot be read is left out and told.
enum CMUMITReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    try request.requireFolder()
    let file = joinedPath(request.path, "ground_truth_bboxes.txt")
    let root = joinedPath(request.path, "images")
    guard FileBytes.isFolder(root) else {
      throw InputError(source: root, problem: "no such folder", expected: "the images of the CMU+MIT set")
    }
    let text = try TextLines(contentsOf: file)
    builder.report(text.cosmeticProblems())
    var entriesByName: [String: [DatasetBuilder.Entry]] = [:]
    var firstLine: [String: Int] = [:]
    for line in text.lines where !line.trimmed.isEmpty {
      let fields = line.fields
      let name = imageName(of: line, fields)
      guard let name, let numbers = NumberField.doubles(fields.suffix(4)) else {
        builder.report(
          .malformedLine, .leftOut, file: file, line: line.number,
          "expected \"name x1 y1 x2 y2\": \(quoted(line.text))")
        continue
      }
      let box = Box(x: numbers[0], y: numbers[1], width: numbers[2] - numbers[0], height: numbers[3] - numbers[1])
      entriesByName[name, default: []].append(
        DatasetBuilder.Entry(annotation: Annotation(box: box, label: "face"), line: line.number))
      if firstLine[name] == nil { firstLine[name] = line.number }
    }
    guard !entriesByName.isEmpty else {
      throw InputError(source: file, problem: "has no line that can be read", expected: "name x1 y1 x2 y2")
    }
    let listing = try ImageFolderReader.files(below: root, request.cancellation)
    builder.report(listing.problems)
    // An image may be stored under another suffix than the lines give it (published as GIF, kept as PNG).
    let nameByStem = Dictionary(entriesByName.keys.sorted(by: bytewise).map { (withoutSuffix($0), $0) }) { a, _ in a }
    var used: Set<String> = []
    for name in listing.names where ImageNames.kind(of: joinedPath(root, name)) != .other {
      let listed = entriesByName[name] != nil ? name : nameByStem[withoutSuffix(name)] ?? name
      used.insert(listed)
      builder.add(
        name: name, path: joinedPath(root, name), entries: entriesByName[listed] ?? [], file: file,
        line: firstLine[listed])
    }
    for name in entriesByName.keys.sorted(by: { firstLine[$0]! < firstLine[$1]! }) where !used.contains(name) {
      builder.add(
        name: name, path: joinedPath(root, name), entries: entriesByName[name] ?? [], file: file,
        line: firstLine[name])
    }
  }

  /// All before the last four fields: a file name may hold spaces.
  private static func imageName(of line: TextLines.Line, _ fields: [Substring]) -> String? {
    guard fields.count >= 5 else { return nil }
    let name = line.text[fields[0].startIndex..<fields[fields.count - 5].endIndex]
    return NumberField.double(name) == nil || fields.count == 5 ? String(name) : nil
  }
}
