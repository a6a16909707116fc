import Execution
import Geometry

/// The XML of imglab, dlib's labelling tool, and of dlib's training programs.
///
/// `imglab:FILE` reads `dataset/images/image` elements with `file`, and in them `box` elements with `left`, `top`, `width`,
/// `height`, and in those `label` and `part` elements (`name`, `x`, `y`). Image paths are relative to the XML file's
/// folder, or to `?root=DIR`; names are the paths as written.
///
/// **Coordinates:** a box holds `width` columns of pixels from `left` on: taken as they are. A part is a pixel's column and
/// row, from 0; its point is the pixel's centre, x + 0.5.
///
/// `ignore="1"` gives an ignored annotation. A box without a label element gets `?label=` (`object` otherwise). All other
/// attributes of a box are kept as attributes. Parts keep their names and their order; a part that other boxes of the file
/// have and a box with parts lacks is labelled absent there, as dlib's trainer has it. A box whose numbers cannot be read
/// is left out and told; XML that is not well formed is an error.
enum ImglabReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    let file = request.path
    let root = request.options["root"] ?? folderName(of: file)
    let fallback = request.label(default: "object")
    let scanner = try XMLScanner(bytes: FileBytes.read(file, limit: TextLines.byteLimit), path: file)
    var path: [String] = []
    var image: (name: String, line: Int)?
    var entries: [DatasetBuilder.Entry] = []
    var box: DatasetBuilder.Entry?
    var labelText = ""
    var imageCount = 0
    var partNames: [String] = []
    var knownParts: Set<String> = []
    while let event = try scanner.next() {
      switch event {
      case .start(let name, let attributes):
        path.append(name)
        if path.count == 1, name != "dataset" {
          throw InputError(
            source: file, line: scanner.line, problem: "is no imglab file", found: "<\(name)>", expected: "<dataset>")
        }
        switch path.dropFirst().joined(separator: "/") {
        case "images/image":
          guard let source = attributes["file"], !source.isEmpty else {
            builder.report(
              .malformedLine, .leftOut, file: file, line: scanner.line, "an image element names no file")
            image = nil
            continue
          }
          image = (source, scanner.line)
          entries = []
          imageCount += 1
        case "images/image/box":
          box = image.flatMap { parseBox(attributes, of: $0.name, file, scanner.line, &builder) }
        case "images/image/box/label":
          labelText = ""
        case "images/image/box/part":
          if box != nil { addPart(attributes, to: &box!, of: image?.name, file, scanner.line, &builder) }
          if let part = box?.annotation.landmarks.last?.name, knownParts.insert(part).inserted {
            partNames.append(part)
          }
        default: break
        }
      case .text(let text):
        if path.last == "label" { labelText += text }
      case .end(let name):
        switch path.dropFirst().joined(separator: "/") {
        case "images/image":
          if let image {
            builder.add(
              name: image.name, path: joinedPath(root, image.name), entries: entries, file: file, line: image.line)
          }
        case "images/image/box":
          if var done = box {
            if done.annotation.label.isEmpty { done.annotation.label = fallback }
            entries.append(done)
          }
          box = nil
        case "images/image/box/label":
          let label = labelText.split(whereSeparator: \.isWhitespace).joined(separator: " ")
          box?.annotation.label = label
        default: break
        }
        precondition(path.popLast() == name)
      }
    }
    guard imageCount > 0 else {
      throw InputError(source: file, problem: "names no image", expected: "image elements in dataset/images")
    }
    let incomplete = builder.labelAbsentLandmarks(partNames)
    if incomplete > 0 {
      builder.report(
        .absentLandmarks, .kept, file: file,
        "\(incomplete) boxes lack some of the file's \(partNames.count) parts, which are labelled absent there")
    }
  }

  private static func parseBox(
    _ attributes: [String: String], of image: String, _ file: String, _ line: Int, _ builder: inout DatasetBuilder
  ) -> DatasetBuilder.Entry? {
    var numbers: [Double] = []
    for key in ["left", "top", "width", "height"] {
      guard let number = attributes[key].flatMap({ NumberField.double($0) }) else {
        if builder.wants(image) {
          builder.report(
            .malformedLine, .leftOut, file: file, line: line, image: image,
            "a box of \(quoted(image)) has no number \(key)" + (attributes[key].map { ": \(quoted($0))" } ?? ""))
        }
        return nil
      }
      numbers.append(number)
    }
    let ignore = attributes["ignore"] ?? "0"
    return DatasetBuilder.Entry(
      annotation: Annotation(
        box: Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]), label: "",
        isIgnored: ignore == "1" || ignore == "true",
        attributes: attributes.filter { !["left", "top", "width", "height", "ignore"].contains($0.key) }),
      line: line)
  }

  private static func addPart(
    _ attributes: [String: String], to box: inout DatasetBuilder.Entry, of image: String?, _ file: String, _ line: Int,
    _ builder: inout DatasetBuilder
  ) {
    let name = attributes["name"] ?? String(box.annotation.landmarks.count)
    guard let x = attributes["x"].flatMap({ NumberField.double($0) }),
      let y = attributes["y"].flatMap({ NumberField.double($0) })
    else {
      builder.report(
        .malformedLine, .kept, file: file, line: line, image: image, "part \(quoted(name)) has no place")
      box.annotation.landmarks.append(Landmark(name: name, point: nil))
      return
    }
    box.annotation.landmarks.append(Landmark(name: name, point: Point(x: x + 0.5, y: y + 0.5)))
  }
}
