import Execution
import Geometry
import Synchronization

/// A cascade on single windows: what it misses at which false-alarm rates.
///
/// Windows are ranked by the number of stages that they pass, then by the sum of the stage in which they ended, so that
/// cutting a cascade short and shifting its thresholds are both on the curve.
public struct CascadeMeasure: Hashable, Sendable, Codable {
  /// After the first stage, the second, and so on.
  public struct Stage: Hashable, Sendable, Codable {
    public var missRate: Double
    public var falseAlarmRate: Double
  }

  public struct Point: Hashable, Sendable, Codable {
    public var falseAlarmRate: Double
    /// `nil` where the cascade has no threshold that lets so much pass, or too few windows were looked at to tell.
    public var missRate: Double?
  }

  public var positives: Int
  public var windows: Int
  /// Trees that were asked of a window of the negatives, on average: what a scan costs. Windows of too little contrast
  /// count, with none.
  public var treesPerWindow: Double
  public var stages: [Stage]
  /// Miss rates at round false-alarm rates.
  public var points: [Point]

  static let rates = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5]

  /// Looks at all positives and at the first windows of the negatives' order.
  ///
  /// - Parameter windowLimit: the most windows, 1 or more.
  /// - Throws: what the sources throw; `InputError` where there is nothing to look at; `CancelledError`.
  /// - Complexity: 16 bytes for each positive and each window that passes the first stage.
  public static func measure(
    windowSize: PixelSize, features: CascadeFeatures, stages: [CascadeStage], positives: any PositiveSamples,
    negatives: NegativeWindows, windowLimit: Int, executor: ParallelExecutor = ParallelExecutor(),
    cancellation: Cancellation = Cancellation()
  ) throws -> CascadeMeasure {
    precondition(positives.windowSize == windowSize && negatives.options.windowSize == windowSize)
    precondition(windowLimit >= 1, "rates of no window are undefined")
    try negatives.requireWindows()
    guard positives.count > 0 else {
      throw InputError(source: "validation", problem: "has no positives")
    }
    let sieve = CascadeSieve(windowSize: windowSize, features: features, stages: stages)
    var ranks: [Rank] = []
    let batch = 4096
    for start in stride(from: 0, to: positives.count, by: batch) {
      try cancellation.check()
      let indices = Array(start..<min(positives.count, start + batch))
      let pixels = try positives.samples(at: indices, executor: executor)
      ranks += CascadeTrainer.verdicts(sieve, pixels, windowSize, executor).map { Rank(passed: $0.passed, sum: $0.sum) }
    }
    let passed = Mutex<[Rank]>([])
    let asked = Atomic<Int>(0)
    let harvest = try negatives.harvest(
      1, from: 0, limit: windowLimit, expectedAcceptance: 1 / Double(NegativeWindows.largestBatch), executor: executor,
      cancellation: cancellation
    ) { unit in
      let ranks = sieve.ranks(in: unit.image, unit.windows.map { (x: $0.x, y: $0.y) })
      asked.add(ranks.reduce(0) { $0 + $1.trees }, ordering: .relaxed)
      let found = ranks.filter { $0.passed > 0 }
      passed.withLock { $0 += found.map { Rank(passed: $0.passed, sum: $0.sum) } }
      return []
    }
    return CascadeMeasure(
      positives: ranks, negatives: passed.withLock { $0 }, windows: harvest.visited,
      treesAsked: asked.load(ordering: .relaxed), stageCount: stages.count)
  }

  struct Rank: Sendable {
    var passed: Int
    var sum: Double

    static func precedes(_ a: Rank, _ b: Rank) -> Bool { a.passed != b.passed ? a.passed > b.passed : a.sum > b.sum }
  }

  /// - Parameter negatives: of the windows, those that pass a stage.
  init(positives: [Rank], negatives: [Rank], windows: Int, treesAsked: Int, stageCount: Int) {
    precondition(!positives.isEmpty && windows >= 1, "rates of nothing are undefined")
    self.positives = positives.count
    self.windows = windows
    treesPerWindow = Double(treesAsked) / Double(windows)
    let (total, all) = (Double(positives.count), Double(windows))
    stages = (1...max(1, stageCount)).map { number in
      Stage(
        missRate: Double(positives.count { $0.passed < number }) / total,
        falseAlarmRate: Double(negatives.count { $0.passed >= number }) / all)
    }
    let ranked = negatives.sorted(by: Rank.precedes)
    let hits = positives.sorted(by: Rank.precedes)
    points = CascadeMeasure.rates.map { rate in
      let allowed = Int(rate * all)
      // The threshold lies just above the first false alarm too many.
      guard allowed >= 10, allowed < ranked.count else { return Point(falseAlarmRate: rate, missRate: nil) }
      let limit = ranked[allowed]
      return Point(
        falseAlarmRate: rate, missRate: Double(hits.count { !Rank.precedes($0, limit) }) / total)
    }
  }

  /// Two small tables.
  ///
  /// - Parameter isHeldOut: whether the caller knows that nothing of it was trained on; the text says so then.
  public func markdown(isHeldOut: Bool) -> String {
    var lines = [
      "On \(positives) positives and \(windows) windows\(isHeldOut ? " that were not trained on" : ""):", "",
      "Trees asked a window: \(NumberWords.short(treesPerWindow))", "",
      "| false alarms a window | miss rate |", "|---:|---:|",
    ]
    for point in points {
      lines.append(
        "| \(NumberWords.short(point.falseAlarmRate)) | \(point.missRate.map { NumberWords.short($0) } ?? "-") |")
    }
    lines += ["", "| stages | false alarms a window | miss rate |", "|---:|---:|---:|"]
    for (index, stage) in stages.enumerated() {
      lines.append(
        "| \(index + 1) | \(NumberWords.short(stage.falseAlarmRate)) | \(NumberWords.short(stage.missRate)) |")
    }
    return lines.joined(separator: "\n")
  }
}
