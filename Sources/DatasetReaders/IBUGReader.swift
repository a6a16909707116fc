import Execution
import Geometry

/// Landmark files of 300-W and its like (Sagonas et al., ICCV Workshops 2013): one `.pts` file beside each image.
///
/// `ibug:DIR` reads every `.pts` below DIR with the image of the same name beside it. The file has, with or without the
/// header `version: 1`, `n_points: N` and the braces, a line `x y` for each point.
///
/// **Coordinates:** points count pixels from 1, with whole numbers at pixel centres: x here = x there - 0.5.
///
/// **Boxes** are not in the file; they follow from the points:
///
/// - `?box=square` (default): the square on the centre of the points' extent, whose side is the longer side of that extent
///   times `?scale=S` (1 by default).
/// - `?box=extent`: the extent itself, from the brows to the chin, times S about its centre.
///
/// The label is `face` (`?label=` another); names are the images' paths below DIR. Landmarks are named by their number from
/// "0". Names that end in digits, `_` and one or two digits (`1051618982_1`) are faces of one photo, and `_mirror` at the
/// end is a mirror: these share a group. A file that cannot be read is left out and told, and so is an image without one.
enum IBUGReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    try request.requireFolder()
    let isSquare = try request.choice("box", ["square", "extent"]) == "square"
    let scale = try request.positiveNumber("scale", default: 1)
    let label = request.label(default: "face")
    let listing = ImageFolderReader.files(below: request.path)
    builder.report(listing.problems)
    var imageByStem: [String: String] = [:]
    for name in listing.names where ImageNames.isImageSuffix(lowercasedSuffix(name)) {
      if imageByStem[withoutSuffix(name)] == nil { imageByStem[withoutSuffix(name)] = name }
    }
    var pointFileCount = 0
    for name in listing.names where lowercasedSuffix(name) == "pts" {
      pointFileCount += 1
      let file = joinedPath(request.path, name)
      let stem = withoutSuffix(name)
      let image = imageByStem.removeValue(forKey: stem) ?? "\(stem).jpg"
      guard builder.wants(image) else { continue }
      do {
        let points = try self.points(file, image: image, into: &builder)
        let annotation = Annotation(
          box: box(around: points, isSquare: isSquare, scale: scale), label: label,
          landmarks: points.enumerated().map { Landmark(name: String($0.offset), point: $0.element) })
        builder.add(
          name: image, path: joinedPath(request.path, image), entries: [DatasetBuilder.Entry(annotation: annotation)],
          group: group(of: stem), file: file)
      } catch let error as InputError {
        builder.report(
          .unreadableAnnotation, .leftOut, file: file, line: error.line, image: image,
          error.problem + (error.found.map { ": found \($0)" } ?? ""))
      }
    }
    guard pointFileCount > 0 else {
      throw InputError(source: request.path, problem: "holds no .pts file", expected: "landmarks beside the images")
    }
    for (_, image) in imageByStem.sorted(by: { bytewise($0.key, $1.key) }) where builder.wants(image) {
      builder.report(
        .missingAnnotation, .leftOut, file: joinedPath(request.path, image), image: image,
        "image \(quoted(image)) has no .pts file")
    }
  }

  /// The points of one file, in this package's coordinates.
  static func points(_ file: String, image: String, into builder: inout DatasetBuilder) throws -> [Point] {
    let text = try TextLines(contentsOf: file)
    builder.report(
      text.cosmeticProblems { line in NumberField.doubles(line.fields) == nil }.map { problem in
        var copy = problem
        copy.image = image
        return copy
      })
    var declared: Int?
    var points: [Point] = []
    var isClosed = false
    for line in text.lines where !line.trimmed.isEmpty {
      let body = line.trimmed.lowercased()
      if body.hasPrefix("version") || body == "{" { continue }
      if body == "}" {
        isClosed = true
        continue
      }
      if body.hasPrefix("n_points"), let colon = body.firstIndex(of: ":") {
        declared = NumberField.count(body[body.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
        continue
      }
      let fields = line.fields
      guard !isClosed, fields.count == 2, let x = NumberField.double(fields[0]), let y = NumberField.double(fields[1])
      else {
        throw InputError(
          source: file, line: line.number, problem: "has a line that is no point", found: quoted(line.text),
          expected: "x y")
      }
      points.append(Point(x: x - 0.5, y: y - 0.5))
    }
    guard !points.isEmpty else { throw InputError(source: file, problem: "holds no point") }
    if let declared, declared != points.count {
      throw InputError(
        source: file, problem: "has another number of points than it says", found: "\(points.count)",
        expected: "\(declared)")
    }
    return points
  }

  static func box(around points: [Point], isSquare: Bool, scale: Double) -> Box {
    precondition(!points.isEmpty)
    let left = points.lazy.map(\.x).min()!
    let right = points.lazy.map(\.x).max()!
    let top = points.lazy.map(\.y).min()!
    let bottom = points.lazy.map(\.y).max()!
    let side = max(right - left, bottom - top)
    return Box(
      center: Point(x: (left + right) / 2, y: (top + bottom) / 2), width: (isSquare ? side : right - left) * scale,
      height: (isSquare ? side : bottom - top) * scale)
  }

  static func group(of stem: String) -> String {
    var photo = Substring(stem)
    if photo.hasSuffix("_mirror") { photo = photo.dropLast(7) }
    guard let bar = photo.lastIndex(of: "_") else { return String(photo) }
    let tail = photo[photo.index(after: bar)...]
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard (1...2).contains(tail.utf8.count), tail.utf8.allSatisfy(isDigit), let last = photo[..<bar].utf8.last,
      isDigit(last)
    else { return String(photo) }
    return String(photo[..<bar])
  }
}
