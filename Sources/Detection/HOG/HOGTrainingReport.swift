import Geometry
import Learning

/// What a training did.
public struct HOGTrainingReport: Hashable, Sendable, Codable {
  /// Objects that no window can reach, which are left out of the positives.
  public var unreachable: [UnreachableBox]
  /// What else was left out, with the reason: photos too small for a window, and the like.
  public var notes: [String]
  /// A component's figures, round by round; the first round is that with random negatives.
  public var rounds: [Round]
  /// Detections of the validation photos that the calibration was fitted to; `nil` where there was none.
  public var calibration: ConfidenceFit.Counts?

  public init() {
    unreachable = []
    notes = []
    rounds = []
  }

  public struct Round: Hashable, Sendable, Codable {
    /// 0 for the training on random negatives, then one more a round of mining.
    public var round: Int
    public var component: String
    /// Positive samples, mirrors and jittered copies among them.
    public var positives: Int
    public var negatives: Int
    /// Negatives that came in before this training.
    public var newNegatives: Int
    /// Old negatives that made room for them.
    public var droppedNegatives: Int
    /// Windows scanned to find them; for round 0 those that were drawn.
    public var scannedWindows: Int
    /// Windows without an object that scored above 0, before suppression, by the scanned windows; `nil` where none were
    /// scanned (round 0).
    public var falsePositivesPerWindow: Double?
    /// Of the SVM: `|w|^2 / 2` plus the cost of all losses.
    public var objective: Double
    public var converged: Bool
    /// Share of samples on the wrong side.
    public var trainingError: Double
  }
}

/// An annotated object that no window of a component can answer to.
public struct UnreachableBox: Hashable, Sendable, Codable {
  public enum Reason: String, Hashable, Sendable, Codable {
    /// Its shape is too far from that of the window's object.
    case aspect
    /// It is smaller than the largest enlargement allows.
    case size
    /// All or most of it lies outside the photo.
    case outside
    /// It reaches beyond the border by more than the padding.
    case border
    /// The nearest window of the scan lies too far off, in place or scale.
    case cellRounding
  }

  public var image: String
  public var box: Box
  public var component: String
  public var reason: Reason
  /// The best intersection over union that a window's object can have with it.
  public var overlap: Double
  /// What is wrong and what would help.
  public var explanation: String
}

/// A trained detector with the account of its training.
public struct HOGTrainingResult: Sendable {
  public let detector: HOGDetector
  public let report: HOGTrainingReport
}
