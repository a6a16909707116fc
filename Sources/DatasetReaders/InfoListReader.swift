import Execution
import Geometry

/// OpenCV's list of images with their objects, the "info" file of `opencv_createsamples`.
///
/// `info:FILE` reads lines of `path count x y width height x y width height …`. Paths are relative to the list's own folder,
/// or to `?root=DIR`; OpenCV's have no spaces, but here a path may: the count is the first whole number that is followed by
/// exactly four numbers an object.
///
/// **Coordinates:** left, top, width and height in pixels from 0: taken as they are.
///
/// The file knows no labels: `?label=face` gives one (`object` otherwise). Names are the paths as written. Lines stand alone:
/// one whose numbers do not fit its count is left out and told.
enum InfoListReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    let file = request.path
    let text = try TextLines(contentsOf: file)
    builder.report(text.cosmeticProblems())
    let root = request.options["root"] ?? folderName(of: file)
    let label = request.label(default: "object")
    var readCount = 0
    var firstFault: Int?
    for line in text.lines where !line.trimmed.isEmpty {
      guard let (name, numbers) = parse(line) else {
        firstFault = firstFault ?? line.number
        builder.report(
          .malformedLine, .leftOut, file: file, line: line.number,
          "expected \"path count x y width height …\" with four numbers an object: \(quoted(line.text))")
        continue
      }
      readCount += 1
      let entries = stride(from: 0, to: numbers.count, by: 4).map { start in
        DatasetBuilder.Entry(
          annotation: Annotation(
            box: Box(
              x: numbers[start], y: numbers[start + 1], width: numbers[start + 2], height: numbers[start + 3]),
            label: label), line: line.number)
      }
      builder.add(name: name, path: joinedPath(root, name), entries: entries, file: file, line: line.number)
    }
    guard readCount > 0 else {
      throw InputError(
        source: file, line: firstFault, problem: "has no line that can be read",
        found: text.lines.first { $0.number == firstFault }.map { quoted($0.text) },
        expected: "path count x y width height …, numbers of at most \(Int(NumberField.magnitudeLimit))")
    }
  }

  /// The image that a line of this format names; `nil` where it is no such line.
  static func imageName(in line: TextLines.Line) -> String? { parse(line)?.name }

  private static func parse(_ line: TextLines.Line) -> (name: String, numbers: [Double])? {
    let fields = line.fields
    guard fields.count >= 2 else { return nil }
    for index in 1..<fields.count {
      guard let count = NumberField.count(fields[index]), fields.count - index - 1 == 4 * count,
        let numbers = NumberField.doubles(fields[(index + 1)...])
      else { continue }
      return (String(line.text[fields[0].startIndex..<fields[index - 1].endIndex]), numbers)
    }
    return nil
  }
}
