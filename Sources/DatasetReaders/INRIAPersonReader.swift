import Execution
import Geometry

/// INRIA Person (Dalal and Triggs, CVPR 2005).
///
/// `inria:DIR` reads the published folders, all that are there or those that `?part=` names, joined by
/// commas:
///
/// - `96X160H96/Train/pos`: windows of 96 x 160 pixels, the person centred, its height 96. The detection window of the
///   paper is the middle 64 x 128 (margin 16 all around), and that is the annotation's box: the person stands *within* it,
///   16 pixels from its top and bottom. `?box=person` gives the middle 48 x 96 instead, which is the height of the person
///   and a nominal width.
/// - `70X134H96/Test/pos`: the same with 70 x 134 pixels and a margin of 3.
/// - `Train/pos`, `Test/pos`: full photos with PASCAL annotation files (`PASCALAnnotationReader`) in the folder
///   `annotations` beside `pos`; boxes tight around the person.
/// - `Train/neg`, `Test/neg`: photos without persons.
///
/// The label is `person`; names are paths under DIR (`96X160H96/Train/pos/crop001001a.jpg`). Windows of one photo share
/// its number and differ in a last letter, mirrors among them: they are one group (`crop001001`). A full photo of the same
/// number is in that group too.
enum INRIAPersonReader {
  static let parts = [
    "96X160H96/Train/pos", "70X134H96/Test/pos", "Train/pos", "Train/neg", "Test/pos", "Test/neg",
  ]

  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    try request.requireFolder()
    let boxRule = try request.choice("box", ["window", "person"])
    let wanted: [String]
    if let words = request.options["part"] {
      wanted = words.split(separator: ",").map(String.init)
      for word in wanted where !parts.contains(word) {
        throw InputError(
          source: request.text, field: "?part=", problem: "no such part", found: quoted(word),
          expected: "of \(parts.joined(separator: ", "))")
      }
    } else {
      wanted = parts.filter { FileBytes.isFolder(joinedPath(request.path, $0)) }
    }
    guard !wanted.isEmpty else {
      throw InputError(
        source: request.path, problem: "holds no folder of the INRIA Person set",
        expected: "one of \(parts.joined(separator: ", "))")
    }
    for part in wanted {
      let folder = joinedPath(request.path, part)
      guard FileBytes.isFolder(folder) else {
        throw InputError(source: folder, problem: "no such folder", expected: "a part of the INRIA Person set")
      }
      let listing = try ImageFolderReader.files(below: folder, request.cancellation)
      builder.report(listing.problems)
      for file in listing.names {
        let path = joinedPath(folder, file)
        let name = "\(part)/\(file)"
        guard ImageNames.kind(of: path) != .other, builder.wants(name) else { continue }
        switch part {
        case "96X160H96/Train/pos", "70X134H96/Test/pos":
          let margin: Double = part.hasPrefix("96") ? 16 : 3
          builder.add(
            name: name, path: path, entries: [DatasetBuilder.Entry(annotation: window(margin: margin, rule: boxRule))],
            group: photo(of: file), file: path)
        case "Train/pos", "Test/pos":
          let annotations = joinedPath(folderName(of: folder), "annotations/\(withoutSuffix(file)).txt")
          guard FileBytes.isFile(annotations) else {
            builder.report(
              .missingAnnotation, .leftOut, file: annotations, image: name,
              "the annotation of \(quoted(name)) does not exist")
            continue
          }
          do {
            let objects = try PASCALAnnotationReader.read(annotations, image: name, into: &builder)
            builder.add(name: name, path: path, entries: objects, group: withoutSuffix(file), file: annotations)
          } catch let error as InputError {
            builder.report(
              .unreadableAnnotation, .leftOut, file: annotations, line: error.line, image: name, error.problem)
          }
        default:
          builder.add(name: name, path: path, file: path)
        }
      }
    }
  }

  private static func window(margin: Double, rule: String) -> Annotation {
    let window = Box(x: margin, y: margin, width: 64, height: 128)
    return Annotation(box: rule == "person" ? window.resized(by: 0.75) : window, label: "person")
  }

  /// A window's name without its suffix and the letter that numbers the windows of one photo.
  static func photo(of file: String) -> String {
    let stem = withoutSuffix(file)
    guard let last = stem.utf8.last, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(last) else { return stem }
    let shorter = String(stem.dropLast())
    guard let digit = shorter.utf8.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return stem }
    return shorter
  }
}
