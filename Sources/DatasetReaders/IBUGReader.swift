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
/// - `?box=eyes`: a square from the brows to below the mouth, placed by the eyes' and the mouth corners' midpoints (68 points:
///   36-41, 42-47, 48 and 54). Of its side, 0.37 lies between the eyes and 0.377 between eyes and mouth; the side is what
///   fits both distances best, so that it shrinks little where a face is turned. The eyes lie 0.16 above its centre. Times S.
///
/// The label is `face` (`?label=` another); names are the images' paths below DIR. Landmarks are named by their number from
/// "0". Names that end in digits, `_` and one or two digits (`1051618982_1`) are faces of one photo, and `_mirror` at the
/// end is a mirror: these share a group. A file that cannot be read is left out and told, and so is an image without one.
enum IBUGReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    try request.requireFolder()
    let rule = try request.choice("box", ["square", "extent", "eyes"])
    let scale = try request.positiveNumber("scale", default: 1)
    let label = request.label(default: "face")
    let listing = try ImageFolderReader.files(below: request.path, request.cancellation)
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
        if rule == "eyes", points.count != 68 {
          throw InputError(
            source: file, problem: "has another number of points than ?box=eyes needs", found: "\(points.count)")
        }
        let annotation = Annotation(
          box: rule == "eyes"
            ? box(byEyesOf: points, scale: scale) : box(around: points, isSquare: rule == "square", scale: scale),
          label: label,
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
        let text = body[body.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        declared = NumberField.count(text)
        if declared == nil {
          throw InputError(
            source: file, line: line.number, field: "n_points", problem: "is no number of points",
            found: quoted(String(text)))
        }
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

  /// The square of `?box=eyes` for 68 points.
  static func box(byEyesOf points: [Point], scale: Double) -> Box {
    precondition(points.count == 68)
    func mean(_ indices: some Collection<Int>) -> Point {
      let count = Double(indices.count)
      return Point(
        x: indices.reduce(0) { $0 + points[$1].x } / count, y: indices.reduce(0) { $0 + points[$1].y } / count)
    }
    let (left, right, mouth) = (mean(36..<42), mean(42..<48), mean([48, 54]))
    let eyes = Point(x: (left.x + right.x) / 2, y: (left.y + right.y) / 2)
    let down = Point(x: mouth.x - eyes.x, y: mouth.y - eyes.y)
    let between = (right.x - left.x) * (right.x - left.x) + (right.y - left.y) * (right.y - left.y)
    let below = down.x * down.x + down.y * down.y
    let side = ((between + below) / (0.37 * 0.37 + 0.377 * 0.377)).squareRoot()
    // Half way down to the mouth is 0.0285 of the side below the centre.
    let length = max(below.squareRoot(), .leastNormalMagnitude)
    return Box(
      center: Point(
        x: (eyes.x + mouth.x) / 2 - 0.0285 * side * down.x / length,
        y: (eyes.y + mouth.y) / 2 - 0.0285 * side * down.y / length), width: side * scale, height: side * scale)
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
