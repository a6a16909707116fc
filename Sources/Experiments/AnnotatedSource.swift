import DatasetReaders
import Execution
import Geometry

/// A data set as a configuration names it: which one, which of its annotations are targets, and how its boxes are turned
/// into those of the task.
///
/// In JSON it is a reference alone (`"wider/train"`) or an object: `{"data": "wider/train", "targets": "height>=20",
/// "box": {"scaleX": 0.9, "scaleY": 0.9}}`.
public struct AnnotatedSource: Hashable, Sendable {
  public var data: DatasetReference
  /// Rules that make a target; what does not meet them is ignored. See `AnnotationFilter`.
  public var targets: String?
  /// How this set's boxes become the task's; `nil` leaves them.
  public var box: BoxAdjustment?
  /// Only images in this part of the set: of the first so many; `nil` takes all.
  public var limit: Int?
  /// What a training does with the set; evaluations take no notice.
  public var use: Use

  /// What a training does with a set.
  public struct Use: Hashable, Sendable {
    /// Jittered copies of each object, besides itself; `nil` takes the training's number.
    public var copies: Int?
    /// Whether negatives are taken from its images, away from its objects: false where objects may be unlabelled. `nil` is
    /// true.
    public var mines: Bool?

    public init(copies: Int? = nil, mines: Bool? = nil) {
      self.copies = copies
      self.mines = mines
    }
  }

  public init(
    data: DatasetReference, targets: String? = nil, box: BoxAdjustment? = nil, limit: Int? = nil, use: Use = Use()
  ) {
    self.data = data
    self.targets = targets
    self.box = box
    self.limit = limit
    self.use = use
  }

  /// Loads the set, its targets chosen and its boxes adjusted.
  /// - Throws: `InputError` as `Dataset.load` and `AnnotationFilter.parse`.
  public func load() throws -> Dataset {
    var dataset = try Dataset.load(data)
    if let limit, limit < dataset.images.count {
      // Spread over the set, so that a set sorted by photo or person is not cut to its beginning.
      let count = dataset.images.count
      dataset = dataset.subset((0..<limit).map { $0 * count / limit })
    }
    if let targets { dataset = dataset.filtered(by: try AnnotationFilter.parse(targets)) }
    if let box {
      dataset = Dataset(
        references: dataset.references, name: dataset.name,
        images: dataset.images.map { image in
          var copy = image
          for index in copy.annotations.indices { copy.annotations[index].box = box.apply(copy.annotations[index].box) }
          return copy
        }, sources: dataset.sources, problems: dataset.problems)
    }
    return dataset
  }

  /// Loads several sources as one set; `nil` where there are none.
  public static func load(_ sources: [AnnotatedSource]) throws -> Dataset? {
    try LoadedSources(sources).dataset
  }

  /// What is taken from the set and how it is used, in words: empty where all of it is used as it is.
  public var settings: String {
    var parts: [String] = []
    if let targets { parts.append("targets \(targets)") }
    if let box { parts.append("boxes \(box)") }
    if let limit { parts.append("at most \(limit) images, spread over the set") }
    if let copies = use.copies { parts.append("copies \(copies)") }
    if let mines = use.mines { parts.append(mines ? "mined" : "not mined") }
    return parts.joined(separator: ", ")
  }
}

/// Turns the boxes that one data set draws into those that another draws of the same objects.
public struct BoxAdjustment: Hashable, Codable, Sendable {
  /// Shift of the centre as a share of the box's width, to the right.
  public var offsetX: Double
  /// Shift of the centre as a share of the box's height, downwards.
  public var offsetY: Double
  /// Factors of width and height, about the shifted centre.
  public var scaleX: Double
  public var scaleY: Double

  public init(offsetX: Double = 0, offsetY: Double = 0, scaleX: Double = 1, scaleY: Double = 1) {
    self.offsetX = offsetX
    self.offsetY = offsetY
    self.scaleX = scaleX
    self.scaleY = scaleY
  }

  /// Reads an object; what is left out changes nothing.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      offsetX: try values.decodeIfPresent(Double.self, forKey: .offsetX) ?? 0,
      offsetY: try values.decodeIfPresent(Double.self, forKey: .offsetY) ?? 0,
      scaleX: try values.decodeIfPresent(Double.self, forKey: .scaleX) ?? 1,
      scaleY: try values.decodeIfPresent(Double.self, forKey: .scaleY) ?? 1)
    for (name, value) in [("offsetX", offsetX), ("offsetY", offsetY)] where !(abs(value) <= 16) {
      throw InputError(
        source: "box", field: name, problem: "out of range", found: "\(value)", expected: "-16 to 16")
    }
    for (name, value) in [("scaleX", scaleX), ("scaleY", scaleY)] where !(value > 0 && value <= 16) {
      throw InputError(
        source: "box", field: name, problem: "out of range", found: "\(value)", expected: "more than 0, at most 16")
    }
  }

  public func apply(_ box: Box) -> Box {
    let center = box.center
    return Box(
      center: Point(x: center.x + offsetX * box.width, y: center.y + offsetY * box.height),
      width: box.width * scaleX, height: box.height * scaleY)
  }
}

extension BoxAdjustment: CustomStringConvertible {
  public var description: String { "shifted by \(offsetX), \(offsetY) and scaled by \(scaleX), \(scaleY)" }
}

extension AnnotatedSource: Codable {
  private enum CodingKeys: String, CodingKey {
    case data, targets, box, limit, copies, mines
  }

  public init(from decoder: any Decoder) throws {
    if let reference = try? decoder.singleValueContainer().decode(String.self) {
      self.init(data: try DatasetReference.parse(reference))
      return
    }
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      data: try values.decode(DatasetReference.self, forKey: .data),
      targets: try values.decodeIfPresent(String.self, forKey: .targets),
      box: try values.decodeIfPresent(BoxAdjustment.self, forKey: .box),
      limit: try values.decodeIfPresent(Int.self, forKey: .limit),
      use: Use(
        copies: try values.decodeIfPresent(Int.self, forKey: .copies),
        mines: try values.decodeIfPresent(Bool.self, forKey: .mines)))
    if let targets { _ = try AnnotationFilter.parse(targets) }
    if let limit, limit < 1 {
      throw InputError(
        source: data.description, field: "limit", problem: "out of range", found: "\(limit)", expected: "1 or more")
    }
    if let copies = use.copies, !(0...1000).contains(copies) {
      throw InputError(
        source: data.description, field: "copies", problem: "out of range", found: "\(copies)", expected: "0 to 1000")
    }
  }

  /// Always writes the object form, so that a key of the object form that means nothing can be told from one that does.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(data, forKey: .data)
    try values.encodeIfPresent(targets, forKey: .targets)
    try values.encodeIfPresent(box, forKey: .box)
    try values.encodeIfPresent(limit, forKey: .limit)
    try values.encodeIfPresent(use.copies, forKey: .copies)
    try values.encodeIfPresent(use.mines, forKey: .mines)
  }
}
