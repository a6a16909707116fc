import Execution

/// The rule by which detections are told right from wrong. Every figure of a report depends on it, so reports state it.
public struct MatchingOptions: Hashable, Codable, Sendable {
  /// Which truth a detection may claim.
  public enum Assignment: String, NamedChoice, Sendable {
    /// The truth of largest overlap among those not yet taken (COCO, Caltech).
    case bestFree
    /// The truth of largest overlap, taken or not; where it is taken the detection is a duplicate (PASCAL VOC).
    case bestOverall
  }

  /// How a detection that claims no target is excused by an ignored annotation.
  public enum IgnoreRule: String, NamedChoice, Sendable {
    /// The share of the detection that the ignored box covers reaches `ignoreThreshold` (Caltech, COCO's crowds). Every
    /// detection that `overlap` would excuse is excused by this rule too.
    case coveredShare
    /// The overlap with the ignored box reaches `ignoreThreshold` (PASCAL VOC's "difficult", WIDER FACE).
    case overlap
  }

  /// The least overlap of a right detection, in 0...1.
  public var overlapThreshold: Double
  public var comparison: OverlapComparison
  public var overlapKind: OverlapKind
  public var assignment: Assignment
  public var ignoreRule: IgnoreRule
  /// In 0...1; compared by `comparison` too.
  public var ignoreThreshold: Double
  /// Whether a detection may only claim a truth of its own label. Where false, all labels count as one.
  public var comparesLabels: Bool

  public init(
    overlapThreshold: Double = 0.5, comparison: OverlapComparison = .atLeast, overlapKind: OverlapKind = .union,
    assignment: Assignment = .bestFree, ignoreRule: IgnoreRule = .coveredShare, ignoreThreshold: Double = 0.5,
    comparesLabels: Bool = true
  ) {
    precondition((0...1).contains(overlapThreshold), "an overlap threshold lies in 0...1, got \(overlapThreshold)")
    precondition((0...1).contains(ignoreThreshold), "an ignore threshold lies in 0...1, got \(ignoreThreshold)")
    self.overlapThreshold = overlapThreshold
    self.comparison = comparison
    self.overlapKind = overlapKind
    self.assignment = assignment
    self.ignoreRule = ignoreRule
    self.ignoreThreshold = ignoreThreshold
    self.comparesLabels = comparesLabels
  }

  /// PASCAL VOC: overlap of 0.5 or more, a second detection of the best truth is wrong, "difficult" objects ignored.
  public static let pascalVOC = MatchingOptions(assignment: .bestOverall, ignoreRule: .overlap)

  /// COCO at one overlap threshold.
  public static func coco(_ overlapThreshold: Double = 0.5) -> MatchingOptions {
    MatchingOptions(overlapThreshold: overlapThreshold, ignoreThreshold: overlapThreshold)
  }

  /// Caltech Pedestrians: overlap above 0.5, ignored regions by covered share.
  public static let caltech = MatchingOptions(comparison: .above)

  /// One line that states the rule.
  public var description: String {
    let kind = overlapKind == .union ? "intersection over union" : "intersection over union, PASCAL pixel arithmetic"
    let free = assignment == .bestFree ? "best free truth" : "best truth, a taken one makes a duplicate"
    let ignore = ignoreRule == .coveredShare ? "covered share" : "overlap"
    return "\(kind) \(comparison.symbol) \(overlapThreshold); \(free); ignored regions by \(ignore) "
      + "\(comparison.symbol) \(ignoreThreshold); labels \(comparesLabels ? "must agree" : "count as one")"
  }
}
