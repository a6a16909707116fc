import Execution
import Geometry

/// The text annotation of the early PASCAL challenges, "PASCAL Annotation Version 1.00", one file an image.
///
/// Read are the lines `Objects with ground truth : N`, `Original label for object K "CLASS" : "LABEL"` and
/// `Bounding box for object K "CLASS" (Xmin, Ymin) - (Xmax, Ymax) : (a, b) - (c, d)`; all others are passed over.
///
/// **Coordinates:** corner pixels, both included. They count from 1, unless the file says
/// `# Top left pixel co-ordinates : (0, 0)` (the INRIA files do): x = Xmin - origin, width = Xmax - Xmin + 1.
///
/// Classes whose name holds "person" (`PASperson`, `PASpersonWalking`) are labelled `person`; any other becomes ignored and is told. A number of boxes other
/// than N is told. The text may be UTF-8 or Latin-1.
enum PASCALAnnotationReader {
  /// What the first line holds; compatible sets put more words before it.
  static let heading = "PASCAL Annotation Version 1.00"

  static func read(_ file: String, image: String, into builder: inout DatasetBuilder) throws -> [DatasetBuilder.Entry] {
    let text = try TextLines(contentsOf: file)
    guard text.lines.first(where: { !$0.trimmed.isEmpty })?.text.contains(heading) == true else {
      throw InputError(
        source: file, line: 1, problem: "is no PASCAL annotation",
        found: text.lines.first.map { quoted($0.text) } ?? "an empty file", expected: "\"\(heading)\"")
    }
    builder.report(text.cosmeticProblems().filter { $0.kind != .trailingSpace && $0.kind != .encoding })
    var origin = 1.0
    var declared: (count: Int, line: Int)?
    var originals: [String: String] = [:]
    var entries: [DatasetBuilder.Entry] = []
    for line in text.lines {
      let body = line.trimmed
      if body.hasPrefix("# Top left pixel co-ordinates"), let corner = pairs(in: body)?.first {
        origin = corner.0
      } else if body.hasPrefix("Objects with ground truth"), let colon = body.firstIndex(of: ":") {
        let rest = body[body.index(after: colon)...].drop { $0 == " " }
        declared = NumberField.count(rest.prefix { $0.isNumber }).map { ($0, line.number) }
      } else if body.hasPrefix("Original label for object") {
        let words = quotedWords(in: body)
        if words.count >= 2, let number = objectNumber(in: body) { originals[number] = words[1] }
      } else if body.hasPrefix("Bounding box for object") {
        guard let colon = body.lastIndex(of: ":"), let corners = pairs(in: body[colon...]), corners.count == 2,
          let objectClass = quotedWords(in: body).first
        else {
          builder.report(
            .malformedLine, .leftOut, file: file, line: line.number, image: image,
            "expected \"… : (xmin, ymin) - (xmax, ymax)\": \(quoted(body))")
          continue
        }
        let (low, high) = (corners[0], corners[1])
        let isPerson = objectClass.lowercased().contains("person")
        if !isPerson {
          builder.report(
            .unknownLabel, .ignored, file: file, line: line.number, image: image,
            "class \(quoted(objectClass)) is no person")
        }
        var annotation = Annotation(
          box: Box(x: low.0 - origin, y: low.1 - origin, width: high.0 - low.0 + 1, height: high.1 - low.1 + 1),
          label: isPerson ? "person" : objectClass, isIgnored: !isPerson)
        if let original = objectNumber(in: body).flatMap({ originals[$0] }) {
          annotation.attributes["original"] = original
        }
        entries.append(DatasetBuilder.Entry(annotation: annotation, line: line.number))
      }
    }
    if let declared, declared.count != entries.count {
      builder.report(
        .countMismatch, .kept, file: file, line: declared.line, image: image,
        "\(counted(declared.count, "object")) announced, \(entries.count) with a box")
    }
    return entries
  }

  private static func objectNumber(in text: Substring) -> String? {
    guard let range = text.firstRange(of: "object ") else { return nil }
    let digits = text[range.upperBound...].prefix { $0.isNumber }
    return digits.isEmpty ? nil : String(digits)
  }

  private static func quotedWords(in text: Substring) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  /// All `(a, b)` with numbers; `nil` where a parenthesis holds something else.
  private static func pairs(in text: Substring) -> [(Double, Double)]? {
    var result: [(Double, Double)] = []
    var rest = text
    while let open = rest.firstIndex(of: "(") {
      guard let close = rest[open...].firstIndex(of: ")") else { return nil }
      let numbers = rest[rest.index(after: open)..<close].split(separator: ",").map { $0.filter { $0 != " " } }
      guard numbers.count == 2, let a = NumberField.double(numbers[0]), let b = NumberField.double(numbers[1]) else {
        return nil
      }
      result.append((a, b))
      rest = rest[rest.index(after: close)...]
    }
    return result
  }
}
