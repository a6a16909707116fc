import Geometry

/// What became of one detection.
public struct MatchedDetection: Hashable, Sendable {
  public enum Outcome: UInt8, Codable, Sendable, CaseIterable {
    /// It claims a target.
    case right
    /// It covers a target well enough, but a surer detection has it. A false alarm.
    case duplicate
    /// It covers no target well enough. A false alarm.
    case wrong
    /// It lies on an ignored annotation: neither right nor wrong.
    case ignored
  }

  public let score: Double
  /// Overlap with the target it claims or would have claimed, or the largest with any target of its label, in 0...1.
  public let overlap: Double
  let imageIndex: Int32
  let detectionIndex: Int32
  let labelIndex: Int32
  let truthIndex: Int32
  public let outcome: Outcome

  /// Index into `Matching.images` and `Matching.results`.
  public var image: Int { Int(imageIndex) }
  /// Index into `Matching.results[image].detections`.
  public var detection: Int { Int(detectionIndex) }
  /// Index into `Matching.labels`.
  public var label: Int { Int(labelIndex) }
  /// Index into `Matching.images[image].annotations` of the target that a right detection claims; `nil` for others.
  public var truth: Int? { truthIndex < 0 ? nil : Int(truthIndex) }
  public var isFalseAlarm: Bool { outcome == .wrong || outcome == .duplicate }
}

/// Detections matched with the truth under one rule: what every measure is computed from.
///
/// Nothing in it depends on the order of files, lines or list entries: images are in order of name, detections in order
/// of falling score (then image, then box).
public struct Matching: Sendable {
  public let options: MatchingOptions
  /// The truth, by rising name.
  public let images: [AnnotatedImage]
  /// The detections of each image of `images`, at the same index.
  public let results: [ImageDetections]
  /// All labels of targets and detections, sorted. One empty label where the options do not compare labels.
  public let labels: [String]
  /// Every detection, by falling score.
  public let detections: [MatchedDetection]
  /// For each image the indices of its targets' labels: `targets[i]` lists (annotation, label) pairs.
  public let targets: [[Target]]
  /// Truth images without a results line that were counted as scanned and empty.
  public let imagesCountedAsEmpty: [String]
  /// Images of the results that the truth does not have, left out of every figure.
  public let imagesLeftOut: [String]
  /// Targets whose box has no area. No detection can claim them; they are treated as ignored.
  public let emptyTargetCount: Int
  /// Targets that cover no pixel of their image, by the size that the results give it. They are treated as ignored.
  public let outsideTargetCount: Int
  /// Annotations marked as ignored.
  public let ignoredCount: Int

  /// An annotation that is to be found.
  public struct Target: Hashable, Sendable {
    /// Index into the image's annotations.
    public let annotation: Int
    /// Index into `Matching.labels`.
    public let label: Int
    /// Score of the detection that claims it, or `nil` where it is missed at every score.
    public let score: Double?
  }

  public var imageCount: Int { images.count }
  public var targetCount: Int { targets.reduce(0) { $0 + $1.count } }

  public func count(_ outcome: MatchedDetection.Outcome) -> Int {
    detections.reduce(0) { $0 + ($1.outcome == outcome ? 1 : 0) }
  }
}
