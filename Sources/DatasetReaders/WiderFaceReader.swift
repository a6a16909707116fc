import Execution
import Geometry

/// WIDER FACE (Yang, Luo, Loy and Tang, CVPR 2016).
///
/// `wider:DIR` reads `DIR/wider_face_split/wider_face_train_bbx_gt.txt` with images under `DIR/WIDER_train/images`;
/// `?part=val` the validation files. For each image the file has its name, the number of faces, and a line a face:
/// `x y w h blur expression illumination invalid occlusion pose`, of which the first four may stand alone.
///
/// **Coordinates:** left, top, width and height in pixels from 0: taken as they are.
///
/// **Oddity:** an image with 0 faces is followed by one line of zeros, which is no face. Faces with a side of 0 (there are
/// some in the published files) are left out and told. Nothing is turned to ignored here, `invalid` faces neither: which
/// faces are targets is the user's choice (`AnnotationFilter`, for example `height>=20,blur<=1,invalid=0`).
///
/// The label is `face`; names are paths under `images` (`0--Parade/0_Parade_Parade_0_109.jpg`); each image is its own
/// group. A count that differs from the face lines that follow is told and those lines are taken.
enum WiderFaceReader {
  static let attributeNames = ["blur", "expression", "illumination", "invalid", "occlusion", "pose"]

  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    try request.requireFolder()
    let part = try request.choice("part", ["train", "val"])
    let file = joinedPath(request.path, "wider_face_split/wider_face_\(part)_bbx_gt.txt")
    let root = joinedPath(request.path, "WIDER_\(part)/images")
    let text = try TextLines(contentsOf: file)
    // Every face line ends in a space as published; a name that does is a fault.
    builder.report(text.cosmeticProblems { line in NumberField.doubles(line.fields) == nil })

    var index = 0
    var imageCount = 0
    while index < text.lines.count {
      let header = text.lines[index]
      index += 1
      if header.trimmed.isEmpty { continue }
      guard header.fields.count > 0, NumberField.doubles(header.fields) == nil else {
        throw InputError(
          source: file, line: header.number, problem: "has numbers where an image name should be",
          found: quoted(header.text), expected: "a path such as 0--Parade/name.jpg",
          hint: "the count above it may be wrong")
      }
      guard index < text.lines.count, let count = NumberField.count(text.lines[index].trimmed) else {
        throw InputError(
          source: file, line: min(index + 1, text.lines.count),
          problem: "has no number of faces for \(quoted(header.text))",
          found: index < text.lines.count ? quoted(text.lines[index].text) : "the end of the file",
          expected: "a whole number")
      }
      let countLine = text.lines[index].number
      index += 1
      let name = String(header.trimmed)
      let isWanted = builder.wants(name)
      var entries: [DatasetBuilder.Entry] = []
      var lineCount = 0
      var isDummy = false
      while index < text.lines.count {
        let line = text.lines[index]
        let fields = line.fields
        if fields.isEmpty {
          index += 1
          continue
        }
        // A count line has one field and follows a name, so a lone number here is a broken face line.
        guard let numbers = NumberField.doubles(fields) else {
          guard looksLikeFace(fields) else { break }
          index += 1
          lineCount += 1
          if isWanted { malformed(line, name, file, &builder) }
          continue
        }
        index += 1
        lineCount += 1
        if count == 0 && lineCount == 1 && numbers.allSatisfy({ $0 == 0 }) {
          isDummy = true
          continue
        }
        guard numbers.count == 4 || numbers.count == 10 else {
          if isWanted { malformed(line, name, file, &builder) }
          continue
        }
        var attributes: [String: String] = [:]
        for (key, field) in zip(attributeNames, fields.dropFirst(4)) { attributes[key] = String(field) }
        entries.append(
          DatasetBuilder.Entry(
            annotation: Annotation(
              box: Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]), label: "face",
              attributes: attributes), line: line.number))
      }
      let faceLines = isDummy ? lineCount - 1 : lineCount
      if isWanted && faceLines != count {
        builder.report(
          .countMismatch, .kept, file: file, line: countLine, image: name,
          "\(quoted(name)) should have \(counted(count, "face")), but \(counted(faceLines, "line")) follow")
      }
      if isWanted {
        builder.add(
          name: name, path: joinedPath(root, name), entries: entries, file: file, line: header.number)
      }
      imageCount += 1
    }
    guard imageCount > 0 else {
      throw InputError(source: file, problem: "names no image", expected: "WIDER FACE annotations")
    }
  }

  private static func malformed(
    _ line: TextLines.Line, _ name: String, _ file: String, _ builder: inout DatasetBuilder
  ) {
    builder.report(
      .malformedLine, .leftOut, file: file, line: line.number, image: name,
      "a face of \(quoted(name)) has no 4 or 10 numbers: \(quoted(line.text))")
  }

  /// Whether a line that is not all numbers was still meant as a face: several fields, most of them numbers.
  private static func looksLikeFace(_ fields: [Substring]) -> Bool {
    fields.count >= 4 && 2 * fields.filter { NumberField.double($0) != nil }.count > fields.count
  }
}
