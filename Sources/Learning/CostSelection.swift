import Execution
import LinearAlgebra

/// The cost C of a linear SVM, chosen by cross-validation.
public struct CostSelection: Hashable, Codable, Sendable {
  /// What was measured for one cost.
  public struct Row: Hashable, Codable, Sendable {
    public let cost: Double
    /// The measure on each fold; `nil` where it is undefined.
    public let values: [Double?]
    /// The mean over the folds that have a value.
    public let mean: Double?
    public let standardError: Double?
    /// Whether every fold's training reached its tolerance.
    public let converged: Bool
  }

  /// How the cost is chosen from the table.
  public enum Rule: String, NamedChoice, Hashable, Sendable {
    /// The best mean; of equals, the smallest cost.
    case best
    /// The smallest cost whose mean is within one standard error (that of the best cost) of the best mean.
    case smallestWithinOneStandardError
  }

  public let measure: ScoreMeasure
  public let rule: Rule
  /// One row a cost, in rising order of cost.
  public let table: [Row]
  public let chosenCost: Double

  /// Trains on all folds but one and measures on that one, for each fold and cost. All trainings are independent and run in
  /// parallel; the result does not depend on the number of threads. Samples are shared, not copied.
  ///
  /// - Parameters:
  ///   - costs: at least one, above 0; repeated ones count once.
  ///   - options: of the training; its `cost` is not used.
  ///   - random: one number is drawn from it; each training has a stream of its own.
  /// - Throws: `LearningError`; `CancelledError`.
  public static func run(
    samples: SampleMatrix, labels: [Bool], sampleWeights: [Double]? = nil, folds: GroupedFolds, costs: [Double],
    options: LinearSVMOptions, measure: ScoreMeasure, rule: Rule = .best, using random: inout RandomStream,
    executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation? = nil
  ) throws -> CostSelection {
    guard folds.assignment.count == samples.count else {
      throw LearningError.countMismatch(
        what: "samples in the folds", found: folds.assignment.count, expected: samples.count)
    }
    guard labels.count == samples.count else {
      throw LearningError.countMismatch(what: "labels", found: labels.count, expected: samples.count)
    }
    let costs = Set(costs).sorted()
    guard !costs.isEmpty, costs.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw LearningError.badOption(name: "costs", found: "\(costs)", expected: "finite numbers above 0")
    }
    for fold in 0..<folds.foldCount {
      let rows = folds.trainingRows(fold)
      let positives = rows.count { labels[$0] }
      guard positives > 0, positives < rows.count else {
        throw LearningError.foldLacksAClass(fold: fold, positives: positives, negatives: rows.count - positives)
      }
    }
    let seed = random.next()
    let count = costs.count * folds.foldCount
    progress.receive(.began(phase: "cross-validation", total: count))
    // Large costs take longest, so they start first.
    let runs = try samples.withView { view in
      try executor.map(count) { job in
        let cost = costs[costs.count - 1 - job / folds.foldCount]
        let fold = job % folds.foldCount
        var options = options
        options.cost = cost
        var stream = RandomStream(seed: seed, stream: UInt64(job))
        let trained = try LinearSVMTrainer.train(
          view: view, rows: folds.trainingRows(fold), labels: labels, sampleWeights: sampleWeights, options: options,
          using: &stream, cancellation: cancellation)
        let held = folds.validationRows(fold)
        let value = measure.value(
          scores: held.map { trained.svm.score(of: view.row($0)) }, labels: held.map { labels[$0] })
        return (value: value, converged: trained.report.converged)
      }
    }
    progress.receive(.ended)
    let table = costs.indices.map { index -> Row in
      let start = (costs.count - 1 - index) * folds.foldCount
      let results = runs[start..<start + folds.foldCount]
      let defined = results.compactMap(\.value)
      return Row(
        cost: costs[index], values: results.map(\.value), mean: Statistics.mean(defined),
        standardError: Statistics.standardError(defined), converged: results.allSatisfy(\.converged))
    }
    return CostSelection(measure: measure, rule: rule, table: table, chosenCost: try choose(table, measure, rule))
  }

  private static func choose(_ table: [Row], _ measure: ScoreMeasure, _ rule: Rule) throws -> Double {
    // Losses, so that smaller is better whatever the measure.
    let losses = table.compactMap { row in
      row.mean.map { (row: row, loss: measure.risesWithQuality ? -$0 : $0) }
    }
    guard let best = losses.min(by: { $0.loss < $1.loss }) else {
      throw LearningError.measureUndefined(measure: measure.description)
    }
    switch rule {
    case .best: return best.row.cost
    case .smallestWithinOneStandardError:
      let limit = best.loss + (best.row.standardError ?? 0)
      return losses.first { $0.loss <= limit }!.row.cost
    }
  }
}
