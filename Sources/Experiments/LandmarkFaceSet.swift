import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import Synchronization

/// The faces of a data set made ready for a landmark fitter: crops, boxes, and points in one order.
public struct LandmarkFaceSet: Sendable {
  /// Where face boxes come from.
  public enum Boxes: Sendable {
    /// The data set's own.
    case annotated
    /// A results file.
    case results(ResultBoxes)
    /// A detector by its name, run over each photo.
    case detector(String, @Sendable (ByteImage) -> [Detection])
  }

  /// How a detector's boxes lie on the annotated ones, in sides of the annotated box: what training should expect.
  public struct BoxSpread: Hashable, Codable, Sendable {
    /// Faces with a box of the detector's on them, and without.
    public var found: Int
    public var missed: Int
    /// Medians of shift and of the ratio of sides.
    public var shiftX: Double
    public var shiftY: Double
    public var scale: Double
    /// Standard deviations about these, shift in sides of the detector's box, scale of its logarithm.
    public var shiftXDeviation: Double
    public var shiftYDeviation: Double
    public var scaleDeviation: Double
    /// Standard deviation, in degrees, of the faces' turn in the picture against their mean shape: boxes are upright, faces
    /// are not. Over all faces with all points, found or not; `nil` with fewer than two of them or of points.
    public var rotationDeviation: Double?
  }

  public var faces: [LandmarkFace]
  /// For each face the number of its image in the data set.
  public var imageIndices: [Int]
  /// The points' names, in the order that they now have.
  public var pointNames: [String]
  /// Faces left out, each with the reason, and how many the boxes lack.
  public var problems: [String]
  /// `nil` for the data set's own boxes.
  public var spread: BoxSpread?

  /// Reads photos one after the other (one a thread) and keeps of each face what a predictor may see.
  ///
  /// Points are put in the natural order of their names ("2" before "10", "02" as "2"). A face without a box of the
  /// detector's on it (`matches(_:_:)` has the rule) gets the annotated box, moved and scaled as the detector's usually are,
  /// and is counted in `spread` and `problems`. A face whose box lies outside its photo, or with a point more than
  /// `farthestPoint` box sides from the box's centre, or with two points or more that all lie at one spot, is left out and
  /// told.
  /// - Parameter memory: bytes that the faces may take; where they come to more, no further photo is read.
  /// - Throws: `InputError` where they do; where no annotation has points, point names differ between faces, or all faces are left out;
  ///   where none of the boxes asked for lies on a face, a results file is about no image of the set, or was made on a
  ///   photo of another size.
  public static func load(
    _ dataset: Dataset, boxes: Boxes, largestBox: Int?, margin: Double?, executor: ParallelExecutor,
    memory: Int = .max, progress: any ProgressSink = SilentProgress(), cancellation: Cancellation? = nil
  ) throws -> LandmarkFaceSet {
    guard let names = try pointNames(dataset) else {
      throw InputError(
        source: dataset.name, problem: "has no annotation with landmarks", expected: "one at least",
        hint: "formats with landmarks are ibug and imglab")
    }
    progress.receive(.began(phase: "reading faces", total: dataset.images.count))
    // First pass: boxes alone where a detector has to be asked, for its usual place is needed for missed faces.
    var lines: [ImageDetections?] = []
    var matches: BoxMatches?
    if boxes.source != nil {
      let found: [[Detection]]
      switch boxes {
      case .annotated: found = []
      case .results(let results):
        lines = try results.lines(of: dataset)
        found = lines.map { $0?.detections ?? [] }
      case .detector(_, let detect):
        found = try executor.map(dataset.images.count) { index in
          try cancellation?.check()
          return detect(try dataset.image(at: index))
        }
      }
      matches = Self.matches(found, dataset.images.map(\.annotations))
      guard matches != nil else {
        throw InputError(
          source: boxes.source ?? "", problem: "no box lies on a labelled face of \(dataset.name)",
          found: "\(found.reduce(0) { $0 + $1.count }) boxes in \(dataset.images.count) images")
      }
    }
    let held = Atomic(0)
    let loaded = try executor.map(dataset.images.count) { [lines, matches] index -> LoadedFaces in
      try cancellation?.check()
      let item = dataset.images[index]
      let wanted = item.annotations.indices.filter {
        !item.annotations[$0].isIgnored && item.annotations[$0].landmarks.contains { $0.point != nil }
      }
      var result = LoadedFaces()
      if wanted.isEmpty { return result }
      let image = try dataset.image(at: index)
      if !lines.isEmpty {
        if let line = lines[index] { try expect(line, of: image, source: boxes.source ?? "") }
        if lines[index] == nil { result.imageWithoutLine = item.name }
      }
      for place in wanted {
        let annotation = item.annotations[place]
        var box = annotation.box
        if let matches { box = matches.boxes[index][place] ?? matches.spread.usual(for: annotation.box) }
        let byName = Dictionary(
          annotation.landmarks.map { ($0.name, $0.point) }, uniquingKeysWith: { first, _ in first })
        let points = names.map { byName[$0] ?? nil }
        let name = wanted.count > 1 ? "\(item.name)#\(place)" : item.name
        if let problem = box.fault(in: image.size) {
          result.problems.append("\(name): left out, for its box \(problem)")
        } else if let far = farPoint(points, of: annotation.box) {
          result.problems.append(
            "\(name): left out, for its point \(names[far]) lies more than \(Int(farthestPoint)) sides from its box")
        } else if let spot = LandmarkFace.spot(points, box: annotation.box) {
          result.spots.append(
            Spot(
              entry: item.origin?.description ?? item.path, face: name, points: points.count { $0 != nil },
              place: String(format: "(%.1f, %.1f)", spot.x, spot.y)))
        } else if let face = LandmarkFace(
          name: name, group: item.groupKey, image: image, box: box, points: points, largestBox: largestBox,
          margin: margin)
        {
          result.faces.append(face)
        }
      }
      let bytes = result.faces.reduce(0) { $0 + $1.byteCount }
      guard held.add(bytes, ordering: .relaxed).newValue <= memory else {
        throw InputError(
          source: dataset.name, problem: "has faces whose crops take more memory than there is for them",
          expected: "\(memory / 1_000_000) MB at most",
          hint: "fewer faces, smaller photos, or a .safetensors, for which large faces are halved")
      }
      return result
    }
    progress.receive(.ended)
    let faces = loaded.flatMap(\.faces)
    let spots = loaded.flatMap(\.spots)
    var problems = loaded.flatMap(\.problems)
    if faces.isEmpty { throw noFaces(spots, problems, dataset) }
    if let first = spots.first {
      problems.append(
        "\(spots.count) \(spots.count == 1 ? "face" : "faces") left out, for \(first.problem(of: spots.count))")
    }
    let unnamed = loaded.compactMap(\.imageWithoutLine)
    if let first = unnamed.first, let source = boxes.source {
      problems.append("\(source): no line for \(unnamed.count) of \(dataset.images.count) images, for example \(first)")
    }
    if let spread = matches?.spread, spread.missed > 0, let source = boxes.source {
      problems.append(
        "\(source): boxes on \(spread.found) of \(spread.found + spread.missed) faces; the others have the labelled box, "
          + "moved and scaled as these usually are")
    }
    return LandmarkFaceSet(
      faces: faces,
      imageIndices: loaded.enumerated().flatMap { index, item in item.faces.map { _ in index } }, pointNames: names,
      problems: problems, spread: matches?.spread)
  }

  /// Points farther than this from their box's centre, in its sides, are slips of whoever labelled them.
  public static let farthestPoint = 20.0

  /// What one image gives.
  private struct LoadedFaces: Sendable {
    var faces: [LandmarkFace] = []
    var problems: [String] = []
    var spots: [Spot] = []
    var imageWithoutLine: String?
  }

  /// A face that is left out because all its points lie at one spot.
  private struct Spot: Sendable {
    /// The file that names it, with the line where that is known.
    var entry: String
    var face: String
    var points: Int
    var place: String

    /// Of so many faces the first.
    func problem(of count: Int) -> String {
      count == 1
        ? "all its \(points) points lie at one spot: \(face), \(place) (\(entry))"
        : "all points of each lie at one spot: the first is \(face), \(points) points at \(place) (\(entry))"
    }
  }

  /// What is said where no face is left.
  private static func noFaces(_ spots: [Spot], _ problems: [String], _ dataset: Dataset) -> InputError {
    guard let first = spots.first, problems.isEmpty else {
      let told = problems + spots.prefix(1).map { $0.problem(of: spots.count) }
      return InputError(
        source: dataset.name, problem: "has no face that can be used",
        found: told.isEmpty
          ? "no face with a labelled point" : told.prefix(3).joined(separator: "; ") + (told.count > 3 ? "; ..." : ""))
    }
    let (count, points) = (spots.count, first.points)
    return InputError(
      source: first.entry, field: first.face,
      problem: "all points of a face lie at one spot, which has no size to learn",
      found: "\(points) points at \(first.place)"
        + (count > 1 ? ", and \(count - 1) more such \(count == 2 ? "face" : "faces"); no other face is there" : ""),
      expected: "points that are spread over the face",
      hint: "label them, leave out those that are not seen, or label one point alone, which needs no size")
  }

  private static func farPoint(_ points: [Point?], of box: Box) -> Int? {
    points.firstIndex { point in
      point.map { $0.distance(to: box.center) > farthestPoint * max(box.width, box.height, 1) } ?? false
    }
  }

  /// - Throws: `InputError` where a line tells another size than the photo's: its boxes would lie elsewhere.
  public static func expect(_ line: ImageDetections, of image: ByteImage, source: String) throws {
    guard line.width > 0, line.height > 0, line.width != image.width || line.height != image.height else { return }
    throw InputError(
      source: source, field: "image", problem: "\"\(line.image)\" is of another size than the picture",
      found: "\(line.width) x \(line.height)", expected: "\(image.width) x \(image.height)",
      hint: "the boxes may be of a resized copy")
  }

  /// The names of the points of all faces in natural order; `nil` where there are none.
  private static func pointNames(_ dataset: Dataset) throws -> [String]? {
    var names: [String]?
    var first = ""
    for image in dataset.images {
      for annotation in image.annotations where !annotation.isIgnored && !annotation.landmarks.isEmpty {
        let own = annotation.landmarks.map(\.name).sorted(by: naturallyPrecedes)
        guard Set(own).count == own.count else {
          throw InputError(source: image.name, field: "landmarks", problem: "name a point twice")
        }
        if let names, names != own {
          let odd = Set(names).symmetricDifference(own).sorted(by: naturallyPrecedes).prefix(5)
          throw InputError(
            source: image.name, field: "landmarks", problem: "are others than those of \(first)",
            found: "\(own.count) points; \(odd.joined(separator: ", ")) in one only", expected: "\(names.count) points")
        }
        if names == nil { (names, first) = (own, image.name) }
      }
    }
    return names
  }

  /// Whether a name comes before another: runs of digits by their value, the rest by its bytes; "02" after "2".
  public static func naturallyPrecedes(_ a: String, _ b: String) -> Bool {
    let (x, y) = (Array(a.utf8), Array(b.utf8))
    var (i, j) = (0, 0)
    func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
    while i < x.count && j < y.count {
      if isDigit(x[i]) && isDigit(y[j]) {
        let first = x[i...].prefix(while: isDigit)
        let second = y[j...].prefix(while: isDigit)
        let (p, q) = (Array(first.drop { $0 == 48 }), Array(second.drop { $0 == 48 }))
        if p.count != q.count { return p.count < q.count }
        if p != q { return p.lexicographicallyPrecedes(q) }
        (i, j) = (first.endIndex, second.endIndex)
      } else {
        if x[i] != y[j] { return x[i] < y[j] }
        i += 1
        j += 1
      }
    }
    if i < x.count || j < y.count { return j < y.count }
    return x.count != y.count ? x.count < y.count : x.lexicographicallyPrecedes(y)
  }
}
