import Geometry
import Imaging
import Landmarks

/// The landmarks of one photo: one line of a results file.
public struct ImageLandmarks: Hashable, Codable, Sendable {
  public var image: String
  public var width: Int
  public var height: Int
  public var faces: [Face]

  public struct Face: Hashable, Codable, Sendable {
    public var box: Box
    /// Each `[x, y]` in the upright image's continuous pixels.
    public var points: [[Double]]
    public var layout: String
    /// `nil`, and `null` in JSON, where the model has learnt none.
    public var confidence: Double?
    /// `nil`, and `null` in JSON, for points of another layout than `ibug68` or one derived from it, and where they determine
    /// none.
    public var pose: HeadPose?
  }

  public init(image: String, width: Int, height: Int, faces: [Face]) {
    self.image = image
    self.width = width
    self.height = height
    self.faces = faces
  }
}

extension ImageLandmarks.Face {
  /// As the compiler would, but for what is undefined: its key stays, with `null`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(box, forKey: .box)
    try values.encode(points, forKey: .points)
    try values.encode(layout, forKey: .layout)
    try values.encode(confidence, forKey: .confidence)
    try values.encode(pose, forKey: .pose)
  }
}

extension Canvas {
  /// Draws each face's groups as lines and its points.
  ///
  /// - Parameters:
  ///   - layout: what the points are; `nil` takes the built-in one of the faces' name, if there is one.
  ///   - isClosed: whether a group's last point is joined to its first; `nil`: as its layout says.
  public func draw(_ landmarks: ImageLandmarks, layout: LandmarkLayout? = nil, isClosed: Bool? = nil) {
    for (index, face) in landmarks.faces.enumerated() {
      let color = RGBColor.palette[index % RGBColor.palette.count]
      let points = face.points.map { Point(x: $0[0], y: $0[1]) }
      for group in (layout ?? LandmarkLayout.named(face.layout))?.groups ?? [] {
        draw(
          polyline: group.points.map { points[$0] }, isClosed: isClosed ?? group.isClosed,
          style: LineStyle(color: color, width: 1))
      }
      draw(points: points, color: color)
    }
  }
}
