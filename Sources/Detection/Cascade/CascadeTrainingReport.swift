import Execution

/// What a cascade's training did.
public struct CascadeTrainingReport: Hashable, Sendable, Codable {
  /// Features of the window that were searched.
  public var featureCount: Int
  /// Positive samples that there are.
  public var positivesAvailable: Int
  /// Distinct negative windows that there are.
  public var windowsAvailable: Int
  public var stages: [Stage]
  /// Why training ended.
  public var end: End?
  /// The cascade on samples that it was not trained on; `nil` where there were none.
  public var validation: CascadeMeasure?
  /// What confidences were fitted to; `nil` where there are none.
  public var calibration: ConfidenceFit.Counts?

  init(featureCount: Int, positivesAvailable: Int, windowsAvailable: Int) {
    self.featureCount = featureCount
    self.positivesAvailable = positivesAvailable
    self.windowsAvailable = windowsAvailable
    stages = []
  }

  /// A stage's figures (a round's, of a soft cascade).
  public struct Stage: Hashable, Sendable, Codable {
    /// From 1 on.
    public var number: Int
    public var positives: Int
    /// Positives that were looked at to replace those that the stage before rejects.
    public var positivesTried: Int
    public var negatives: Int
    /// Of them, those of the stage before that still pass.
    public var negativesKept: Int
    /// Windows that were looked at to find the others.
    public var windowsTried: Int
    /// Share of the windows that were looked at which the stages before let pass; `nil` where none were.
    public var acceptance: Double?
    /// Trees of this stage, and how many different features they look at.
    public var trees: Int
    public var features: Int
    /// Shares of this stage's samples that it lets pass.
    public var hitRate: Double
    public var falseAlarmRate: Double
    public var seconds: Double
    /// Of them, those in which negatives were looked for; `nil` in a report that does not say.
    public var searchSeconds: Double?
  }

  /// Why a training ended, with what it ended.
  public struct End: Hashable, Sendable, Codable {
    public enum Reason: String, Hashable, Sendable, Codable {
      /// All stages are trained.
      case stages
      /// The false-alarm goal is met: more stages are not needed.
      case goal
      /// Too few negative windows are left that the cascade lets pass.
      case negatives
      /// Too few positives are left.
      case positives
      /// No feature tells positives from negatives any more.
      case features
    }

    public var reason: Reason
    /// What was found, in a sentence.
    public var explanation: String
  }

  /// The product of the stages' hit rates on their positives.
  public var hitRate: Double { stages.reduce(1) { $0 * $1.hitRate } }

  /// The share of windows that pass, as far as is known: what the last stages' search found, times the stages since.
  public var falseAlarmRate: Double {
    guard let known = stages.lastIndex(where: { $0.acceptance != nil }) else { return 1 }
    return stages[known...].reduce(stages[known].acceptance ?? 1) { $0 * $1.falseAlarmRate }
  }
}

extension CascadeTrainingReport {
  /// The heads of the table's columns.
  static let heads = [
    "stage", "positives", "tried", "negatives", "kept", "windows tried", "acceptance", "trees", "features", "hit rate",
    "false alarms", "seconds",
  ]

  /// One line for a stage, as the table has it.
  static func cells(_ stage: Stage) -> [String] {
    [
      "\(stage.number)", "\(stage.positives)", "\(stage.positivesTried)", "\(stage.negatives)",
      "\(stage.negativesKept)", "\(stage.windowsTried)", stage.acceptance.map { NumberWords.short($0) } ?? "-",
      "\(stage.trees)", "\(stage.features)", NumberWords.short(stage.hitRate), NumberWords.short(stage.falseAlarmRate),
      NumberWords.short(stage.seconds),
    ]
  }

  static func line(_ cells: [String]) -> String {
    zip(cells, heads).map { cell, head in
      String(repeating: " ", count: max(0, max(head.count, 7) - cell.count)) + cell
    }.joined(separator: "  ")
  }

  /// The table and the estimates as Markdown.
  public var markdown: String {
    var lines = ["| " + CascadeTrainingReport.heads.joined(separator: " | ") + " |"]
    lines.append("|" + String(repeating: "---:|", count: CascadeTrainingReport.heads.count))
    for stage in stages { lines.append("| " + CascadeTrainingReport.cells(stage).joined(separator: " | ") + " |") }
    lines.append("")
    lines.append(summary)
    if let calibration { lines += ["", calibration.summary] }
    if let validation {
      lines.append("")
      lines.append(validation.markdown(isHeldOut: true))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What came out, in a few sentences.
  public var summary: String {
    let trees = stages.reduce(0) { $0 + $1.trees }
    var text =
      "\(stages.count) stages, \(trees) trees, of \(featureCount) features. On the training samples: hit rate "
      + "\(NumberWords.short(hitRate)), false alarms \(NumberWords.short(falseAlarmRate)) a window. "
      + "\(positivesAvailable) positives and \(windowsAvailable) distinct negative windows were there."
    if let end { text += " " + end.explanation }
    return text
  }
}

/// Numbers as messages give them.
enum NumberWords {
  /// About four digits: 0.9953, 12.4, 1.2e-05.
  static func short(_ value: Double) -> String {
    guard value.isFinite else { return "\(value)" }
    if value == 0 { return "0" }
    if abs(value) < 1e-3 || abs(value) >= 1e7 {
      var exponent = 0
      var rest = abs(value)
      while rest >= 10 {
        rest /= 10
        exponent += 1
      }
      while rest < 1 {
        rest *= 10
        exponent -= 1
      }
      let digits = (rest * 100).rounded() / 100
      return "\(value < 0 ? "-" : "")\(digits)e\(exponent)"
    }
    let scale = abs(value) < 10 ? 1e4 : abs(value) < 1000 ? 1e2 : 1
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }
}
