import Execution
import Geometry
import Imaging

/// One face to learn from or to be measured on: what is seen of its photo, its box, and where its points are.
public struct LandmarkFace: Sendable {
  /// For messages and results.
  public let name: String
  /// Faces of one group (one photo, its mirror) never part between training and validation.
  public let group: String
  let view: FaceView
  /// In the photo's continuous coordinates; `nil` where a point is labelled absent.
  public let points: [Point?]
  public let box: Box

  /// Takes what a predictor may see of the face and lets the photo go.
  ///
  /// - Parameters:
  ///   - largestBox: a box twice as wide or more is halved until it is not: so a face takes at most
  ///     `(2 largestBox (1 + 2 margin))^2` bytes, whatever its photo. `nil`: never.
  ///   - margin: box sides kept on each side; `nil` the whole photo.
  /// - Returns: `nil` where the box is empty or not finite or the photo has no pixels.
  public init?(
    name: String, group: String? = nil, image: ByteImage, box: Box, points: [Point?], largestBox: Int?, margin: Double?
  ) {
    guard box.isFinite, !box.isEmpty, image.width > 0, image.height > 0 else { return nil }
    self.name = name
    self.group = group ?? name
    self.points = points
    self.box = box
    view = FaceView(image, box: box, largestBox: largestBox, margin: margin)
  }

  private init(name: String, group: String, view: FaceView, points: [Point?], box: Box) {
    self.name = name
    self.group = group
    self.view = view
    self.points = points
    self.box = box
  }

  /// The largest side of the box around points, as a share of a face box's longer side, at which they count as one spot: such
  /// a shape has no scale and no turn.
  public static let spotSize = 1e-3

  /// The place of points that all lie at one spot of a face; `nil` where they do not, or fewer than two are there. A shape
  /// of one point has no scale by its nature, and none is asked of it.
  public static func spot(_ points: [Point?], box: Box) -> Point? {
    let there = points.compactMap(\.self)
    guard there.count > 1 else { return nil }
    var (low, high) = (there[0], there[0])
    for point in there {
      low = Point(x: min(low.x, point.x), y: min(low.y, point.y))
      high = Point(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    guard max(high.x - low.x, high.y - low.y) <= spotSize * max(box.width, box.height) else { return nil }
    return Point(x: (low.x + high.x) / 2, y: (low.y + high.y) / 2)
  }

  /// Bytes that the face holds.
  public var byteCount: Int { view.pixels.count }

  /// The face seen in a mirror that stands at the photo's left edge moved to the held pixels: points change places by
  /// `map` (the point that takes each one's place).
  ///
  /// Coordinates are those of the mirrored crop, so compare them with nothing but this face's own box.
  /// - Precondition: `map` is an involution over the points; `LandmarkLayout` checks it.
  public func mirrored(_ map: [Int]) -> LandmarkFace {
    precondition(map.count == points.count)
    let mirror = view.mirrored()
    let axis = 2 * view.pictureFrame.originX + view.pictureFrame.unitX
    return LandmarkFace(
      name: name + " (mirrored)", group: group, view: mirror,
      points: map.map { from in points[from].map { Point(x: axis - $0.x, y: $0.y) } }, box: box)
  }
}

extension FaceView {
  /// The same pixels from right to left; the box stays where it is in its picture.
  func mirrored() -> FaceView {
    var turned = pixels
    for row in 0..<height { turned[row * width..<(row + 1) * width].reverse() }
    return FaceView(
      pixels: turned, width: width, height: height,
      frame: BoxFrame(
        originX: Double(width) - frame.originX - frame.unitX, originY: frame.originY, unitX: frame.unitX,
        unitY: frame.unitY), pictureFrame: pictureFrame)
  }
}

extension LandmarkFace {
  /// SHA-256 over all faces in their order: names, boxes, points and pixels. 64 hexadecimal digits.
  public static func fingerprint(of faces: [LandmarkFace]) -> String {
    var hash = SHA256()
    var words: [UInt64] = []
    for face in faces {
      words.removeAll(keepingCapacity: true)
      words += [face.box.x, face.box.y, face.box.width, face.box.height].map(\.bitPattern)
      // A word before each point tells an absent one from any that is there.
      for point in face.points { words += point.map { [1, $0.x.bitPattern, $0.y.bitPattern] } ?? [0] }
      words += [UInt64(face.view.width), UInt64(face.view.height)]
      hash.update("\(face.name)\n\(words.count)\n".utf8)
      hash.update(words.map(\.littleEndian).withUnsafeBytes { Array($0) })
      hash.update(face.view.pixels)
    }
    return hash.hexDigest()
  }
}
