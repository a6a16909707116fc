#if canImport(Glibc)
  import Glibc
#endif

/// How long a training will go on.
extension CascadeTrainingReport {
  /// Stages that must be done before anything is said: the first ones are too unlike those that follow.
  private static let leastStages = 4

  /// Seconds that the stages to come take, or `nil` where nothing can be said yet or nothing is left.
  ///
  /// The search for negatives grows with the windows that are looked at, whose number grows geometrically, by the mean factor
  /// of the last stages, for each stage rejects a share of what is left; boosting grows by a few trees a stage: linearly.
  /// Neither goes on when the goal is met or the windows have run out.
  func secondsLeft(stageCount: Int, goal: Double) -> Double? {
    guard stages.count >= CascadeTrainingReport.leastStages, stages.count < stageCount else { return nil }
    let last = stages.suffix(4).map {
      (search: $0.searchSeconds ?? 0, all: $0.seconds, windows: Double($0.windowsTried))
    }
    let steps = Double(last.count - 1)
    func growth(_ first: Double, _ end: Double) -> Double {
      first > 0 && end > 0 ? min(10, max(1, pow(end / first, 1 / steps))) : 1
    }
    let windowGrowth = growth(last[0].windows, last[last.count - 1].windows)
    let rejected = stages.suffix(3).reduce(1) { $0 * $1.falseAlarmRate }
    let shareKept = min(0.99, pow(max(rejected, 1e-9), 1.0 / 3))
    let boosting = last.map { max(0, $0.all - $0.search) }
    let more = max(0, (boosting[boosting.count - 1] - boosting[0]) / steps)
    var windows = last[last.count - 1].windows
    let search = last[last.count - 1].search
    // Of the windows that were more than in the first of these stages: what every search costs (photos are opened) is in each.
    let secondsAWindow = max(0, search - last[0].search) / max(1, windows - last[0].windows)
    var windowsLeft = Double(windowsAvailable - stages.reduce(0) { $0 + $1.windowsTried })
    var share = falseAlarmRate
    var seconds = 0.0
    for ahead in 1...(stageCount - stages.count) {
      windows *= windowGrowth
      let added = min(windows, windowsLeft) - last[last.count - 1].windows
      seconds += max(0, search + added * secondsAWindow)
      if share <= goal || windows > windowsLeft { break }
      windowsLeft -= windows
      seconds += boosting[boosting.count - 1] + Double(ahead) * more
      share *= shareKept
    }
    return seconds
  }

  static func words(seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded())
    if whole < 60 { return "\(max(1, whole)) s" }
    if whole < 3600 { return "\((whole + 30) / 60) min" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}
