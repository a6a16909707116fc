import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks

/// The faces of a data set made ready for a landmark fitter: crops, boxes, and points in one order.
public struct LandmarkFaceSet: Sendable {
  /// Where face boxes come from.
  public enum Boxes: Sendable {
    /// The data set's own.
    case annotated
    /// A detector's results by image name (a results file).
    case results([String: [Detection]])
    /// A detector, run over each photo.
    case detector(@Sendable (ByteImage) -> [Detection])
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
  /// Faces left out, each with the reason.
  public var problems: [String]
  /// `nil` for the data set's own boxes.
  public var spread: BoxSpread?

  /// Reads photos one after the other (one a thread) and keeps of each face what a predictor may see.
  ///
  /// Points are put in the natural order of their names ("2" before "10", "02" as "2"). A face without a box of the
  /// detector's on it (overlap by union of 0.3 with the annotated box, moved and scaled as the median says) gets the
  /// annotated box moved and scaled as the detector's usually are, and is counted.
  /// - Throws: `InputError` where no annotation has points, or point names differ between faces.
  public static func load(
    _ dataset: Dataset, boxes: Boxes, largestBox: Int?, margin: Double?, executor: ParallelExecutor,
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation? = nil
  ) throws -> LandmarkFaceSet {
    guard let names = try pointNames(dataset) else {
      throw InputError(
        source: dataset.name, problem: "has no annotation with landmarks", expected: "one at least",
        hint: "formats with landmarks are ibug and imglab")
    }
    progress.receive(.began(phase: "reading faces", total: dataset.images.count))
    // First pass: boxes alone where a detector has to be asked, for its usual place is needed for missed faces.
    let found: [[Detection]?] = try executor.map(dataset.images.count) { index in
      try cancellation?.check()
      switch boxes {
      case .annotated: return nil
      case .results(let results): return results[dataset.images[index].name] ?? []
      case .detector(let detect): return detect(try dataset.image(at: index))
      }
    }
    let matches = found.indices.map { match(found[$0], dataset.images[$0].annotations) }
    let spread = boxSpread(dataset.images.map(\.annotations), matches)
    let loaded = try executor.map(dataset.images.count) { index -> (faces: [LandmarkFace], problems: [String]) in
      try cancellation?.check()
      let item = dataset.images[index]
      let wanted = item.annotations.indices.filter {
        !item.annotations[$0].isIgnored && item.annotations[$0].landmarks.contains { $0.point != nil }
      }
      if wanted.isEmpty { return ([], []) }
      let image = try dataset.image(at: index)
      var faces: [LandmarkFace] = []
      var problems: [String] = []
      for place in wanted {
        let annotation = item.annotations[place]
        var box = annotation.box
        if let spread { box = matches[index][place] ?? spread.usual(for: annotation.box) }
        let byName = Dictionary(
          annotation.landmarks.map { ($0.name, $0.point) }, uniquingKeysWith: { first, _ in first })
        let name = wanted.count > 1 ? "\(item.name)#\(place)" : item.name
        if let face = LandmarkFace(
          name: name, group: item.groupKey, image: image, box: box, points: names.map { byName[$0] ?? nil },
          largestBox: largestBox, margin: margin)
        {
          faces.append(face)
        } else {
          problems.append("\(name): has an empty box")
        }
      }
      return (faces, problems)
    }
    progress.receive(.ended)
    return LandmarkFaceSet(
      faces: loaded.flatMap(\.faces),
      imageIndices: loaded.enumerated().flatMap { index, item in item.faces.map { _ in index } }, pointNames: names,
      problems: loaded.flatMap(\.problems), spread: spread)
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

  /// For each annotation the box of the detection that overlaps it most.
  private static func match(_ found: [Detection]?, _ annotations: [Annotation]) -> [Box?] {
    guard let found else { return annotations.map { _ in nil } }
    return annotations.map { annotation in
      var best: Box?
      var overlap = 0.3
      for detection in found {
        let share = detection.box.intersectionOverUnion(annotation.box)
        if share > overlap { (overlap, best) = (share, detection.box) }
      }
      return best
    }
  }
}
