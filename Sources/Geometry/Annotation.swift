/// One labelled object of an image, in the upright image's continuous pixel coordinates.
public struct Annotation: Hashable, Sendable, Codable {
  public var box: Box
  public var label: String
  /// Neither a target nor background: detections on it count neither as right nor as wrong, and no negative window is
  /// taken from it.
  public var isIgnored: Bool
  /// Landmarks by name in the file's order; empty where the format has none. A point that is labelled absent is `nil`.
  public var landmarks: [Landmark]
  /// What else the format says of the object ("blur": "1", "pose": "0"), as text under the format's own names.
  public var attributes: [String: String]

  public init(
    box: Box, label: String, isIgnored: Bool = false, landmarks: [Landmark] = [], attributes: [String: String] = [:]
  ) {
    self.box = box
    self.label = label
    self.isIgnored = isIgnored
    self.landmarks = landmarks
    self.attributes = attributes
  }
}

/// A named point of an object.
public struct Landmark: Hashable, Sendable, Codable {
  /// The name in the file, for example "36" or "left_eye".
  public var name: String
  /// `nil` where the file says that the point is absent or hidden.
  public var point: Point?

  public init(name: String, point: Point?) {
    self.name = name
    self.point = point
  }
}

/// One image of a data set with all that is labelled in it.
public struct AnnotatedImage: Hashable, Sendable, Codable {
  /// The image's name within its data set: what results and truth are joined by.
  public var name: String
  /// Where the file is.
  public var path: String
  public var annotations: [Annotation]
  /// Images of one group (one photo, its mirror and its crops) never part in cross-validation; `nil`: a group of its own.
  public var group: String?
  /// The line of an annotation file or list that names the image, where one does: for messages alone, no part of what is
  /// stored or compared.
  public var origin: FileLine?
  /// The name that the image had in a set of its own, where joining sets has given it another; no part of what is stored or
  /// compared.
  public var nameBeforeJoining: String?

  /// The image's name in the set that it was loaded with, whatever that was joined with since.
  public var ownName: String { nameBeforeJoining ?? name }

  private enum CodingKeys: String, CodingKey {
    case name, path, annotations, group
  }

  public init(name: String, path: String, annotations: [Annotation], group: String? = nil, origin: FileLine? = nil) {
    self.name = name
    self.path = path
    self.annotations = annotations
    self.group = group
    self.origin = origin
  }
}

extension AnnotatedImage {
  public static func == (a: AnnotatedImage, b: AnnotatedImage) -> Bool {
    a.name == b.name && a.path == b.path && a.annotations == b.annotations && a.group == b.group
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(path)
    hasher.combine(annotations)
    hasher.combine(group)
  }
}
