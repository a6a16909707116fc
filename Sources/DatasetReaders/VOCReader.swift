import Execution
import Geometry

/// PASCAL VOC XML (Everingham et al., IJCV 2010), one file an image; what labelling tools write as "Pascal VOC" as well.
///
/// `voc:DIR` reads every `.xml` in `DIR/Annotations`, or in DIR itself where there is no such folder. The image that
/// `filename` names is looked for in `DIR/JPEGImages`, `DIR/images` and beside the XML file. `?part=trainval` reads only
/// the files that `DIR/ImageSets/Main/trainval.txt` lists.
///
/// **Coordinates:** corner pixels, both included, from 1: x = xmin - 1, width = xmax - xmin + 1.
///
/// Labels are the objects' names. Objects marked `difficult` become ignored (`?difficult=keep` keeps them), `truncated` ones
/// are kept (`?truncated=ignore`). `pose`, `truncated`, `difficult` and `occluded` are kept as attributes. Boxes of an object's
/// parts (head, hand) are passed over. A file that cannot be read is left out and told.
enum VOCReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    try request.requireFolder()
    let ignoresDifficult = try request.choice("difficult", ["ignore", "keep"]) == "ignore"
    let ignoresTruncated = try request.choice("truncated", ["keep", "ignore"]) == "ignore"
    let nested = joinedPath(request.path, "Annotations")
    let folder = FileBytes.isFolder(nested) ? nested : request.path
    let listing = try ImageFolderReader.files(below: folder, request.cancellation)
    builder.report(listing.problems)
    var names = listing.names.filter { lowercasedSuffix($0) == "xml" }
    if let part = request.options["part"] {
      guard DatasetReference.isPlainWord(part) else {
        throw InputError(source: request.text, field: "?part=", problem: "is no name of a list", found: quoted(part))
      }
      names = try listed(joinedPath(request.path, "ImageSets/Main/\(part).txt"), among: names, &builder)
    }
    guard !names.isEmpty else {
      throw InputError(source: folder, problem: "holds no .xml file", expected: "PASCAL VOC annotations")
    }
    for name in names {
      let file = joinedPath(folder, name)
      do {
        let content = try VOCFile(file)
        let image = content.filename ?? withoutSuffix(name) + ".jpg"
        let entries = content.objects.compactMap { object -> DatasetBuilder.Entry? in
          guard let box = object.box else {
            builder.report(
              .malformedLine, .leftOut, file: file, line: object.line, image: image,
              "object \(quoted(object.name)) of \(quoted(image)) has no box that can be read")
            return nil
          }
          let isIgnored =
            (ignoresDifficult && object.attributes["difficult"] == "1")
            || (ignoresTruncated && object.attributes["truncated"] == "1")
          return DatasetBuilder.Entry(
            annotation: Annotation(
              box: box, label: object.name, isIgnored: isIgnored, attributes: object.attributes), line: object.line)
        }
        let places = [
          joinedPath(request.path, "JPEGImages/\(image)"), joinedPath(request.path, "images/\(image)"),
          joinedPath(folderName(of: file), image),
        ]
        builder.add(
          name: image, path: places.first { ImageNames.find($0) != nil } ?? places[0], entries: entries, file: file)
      } catch let error as InputError {
        builder.report(
          .unreadableAnnotation, .leftOut, file: file, line: error.line, image: withoutSuffix(name), error.problem)
      }
    }
  }

  private static func listed(
    _ list: String, among names: [String], _ builder: inout DatasetBuilder
  ) throws -> [String] {
    let text = try TextLines(contentsOf: list)
    builder.report(text.cosmeticProblems())
    let known = Dictionary(names.map { (withoutSuffix($0), $0) }) { first, _ in first }
    return text.lines.compactMap { line in
      guard let stem = line.fields.first else { return nil }
      if let name = known[String(stem)] { return name }
      builder.report(
        .unknownName, .leftOut, file: list, line: line.number, image: String(stem),
        "\(quoted(stem)) is on the list, but has no annotation")
      return nil
    }
  }
}

/// One annotation file.
private struct VOCFile {
  struct Object {
    var name = ""
    var line: Int
    var attributes: [String: String] = [:]
    var corners: [String: Double] = [:]

    var box: Box? {
      guard let left = corners["xmin"], let top = corners["ymin"], let right = corners["xmax"],
        let bottom = corners["ymax"]
      else { return nil }
      return Box(x: left - 1, y: top - 1, width: right - left + 1, height: bottom - top + 1)
    }
  }

  var filename: String?
  var objects: [Object] = []

  init(_ file: String) throws {
    let scanner = try XMLScanner(bytes: FileBytes.read(file, limit: 1 << 26), path: file)
    var path: [String] = []
    var text = ""
    var object: Object?
    while let event = try scanner.next() {
      switch event {
      case .start(let name, _):
        if path.isEmpty, name != "annotation" {
          throw InputError(
            source: file, line: scanner.line, problem: "is no PASCAL VOC annotation", found: "<\(name)>",
            expected: "<annotation>")
        }
        path.append(name)
        text = ""
        if path.count == 2, name == "object" { object = Object(line: scanner.line) }
      case .text(let piece):
        text += piece
      case .end:
        let value = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        switch path.dropFirst().joined(separator: "/") {
        case "filename": filename = value.isEmpty ? nil : value
        case "object/name": object?.name = value
        case "object/pose", "object/truncated", "object/difficult", "object/occluded":
          object?.attributes[path.last ?? ""] = value
        case "object/bndbox/xmin", "object/bndbox/ymin", "object/bndbox/xmax", "object/bndbox/ymax":
          object?.corners[path.last ?? ""] = NumberField.double(value)
        case "object":
          if let done = object { objects.append(done) }
          object = nil
        default: break
        }
        path.removeLast()
        text = ""
      }
    }
  }
}
