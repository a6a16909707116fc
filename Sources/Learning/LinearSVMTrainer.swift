import Execution

/// Trains a linear SVM by dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008).
///
/// It minimises `|w|^2 / 2 + sum of C_i * loss(y_i w . x_i)`, C_i being the cost times the class's and the sample's
/// weight, over w with the bias as its last component. Each pass visits the active samples in a new random order and
/// sets each dual variable to its best value with the others held; the gradient at hand sets samples aside that sit at
/// a bound (shrinking). A pass costs two sweeps over a row for each sample whose variable moves, one for the others.
///
/// **Differences from the paper.** Training ends by the duality gap (`LinearSVMOptions.relativeGap`). Rows are dense single-precision. Up to 512 features w is kept in double precision;
/// above that in single precision, and is made anew from the dual variables in double precision whenever all samples
/// come back, and at the end, so that rounding does not pile up. Objectives and weights are computed from that w. The work is
/// sequential, so the result does not depend on the number of threads.
public enum LinearSVMTrainer {
  /// The largest size of a feature. Beyond it single-precision sums of products may overflow.
  public static let largestFeature: Float = 1e15

  /// - Parameters:
  ///   - samples: a row a sample.
  ///   - labels: true for positive; one a sample.
  ///   - sampleWeights: multiplies each sample's cost; 0 leaves the sample out. `nil` means 1 for all.
  ///   - warmStart: a dual variable a sample (0 for new ones), usually from the last round's `dualVariables`; values
  ///     outside the bounds are moved to them.
  ///   - random: the order of visits.
  /// - Throws: `LearningError` for options, counts, weights or features that cannot be used, samples of one class
  ///   only, or a result that is not finite; `CancelledError` between passes.
  public static func train(
    samples: SampleMatrix, labels: [Bool], sampleWeights: [Double]? = nil, options: LinearSVMOptions,
    warmStart: [Double]? = nil, using random: inout RandomStream, cancellation: Cancellation? = nil
  ) throws -> TrainedLinearSVM {
    try samples.withView { view in
      try train(
        view: view, labels: labels, sampleWeights: sampleWeights, options: options, warmStart: warmStart,
        using: &random, cancellation: cancellation)
    }
  }

  /// As above, on samples that somebody else owns.
  /// - Parameter rows: the samples to train on, each at most once (`nil`: all). Labels, weights and dual variables are
  ///   still given for every sample of the view.
  public static func train(
    view: SampleView, rows: [Int]? = nil, labels: [Bool], sampleWeights: [Double]? = nil, options: LinearSVMOptions,
    warmStart: [Double]? = nil, using random: inout RandomStream, cancellation: Cancellation? = nil
  ) throws -> TrainedLinearSVM {
    try options.validate()
    func checkCount(_ what: String, _ found: Int) throws {
      guard found == view.count else {
        throw LearningError.countMismatch(what: what, found: found, expected: view.count)
      }
    }
    try checkCount("labels", labels.count)
    if let sampleWeights { try checkCount("sample weights", sampleWeights.count) }
    if let warmStart { try checkCount("dual variables of the warm start", warmStart.count) }
    if let rows {
      var seen = [Bool](repeating: false, count: view.count)
      for row in rows {
        precondition(row >= 0 && row < view.count && !seen[row], "row \(row) is outside the samples or given twice")
        seen[row] = true
      }
    }
    guard view.count > 0, rows?.isEmpty != true else { throw LearningError.noSamples }
    if let warmStart, let bad = warmStart.firstIndex(where: { !$0.isFinite }) {
      throw LearningError.badOption(
        name: "warm start", found: "\(warmStart[bad]) at sample \(bad)", expected: "finite numbers")
    }

    var chosen: [Int] = []
    chosen.reserveCapacity(rows?.count ?? view.count)
    for row in rows ?? Array(0..<view.count) {
      let weight = sampleWeights?[row] ?? 1
      guard weight >= 0, weight.isFinite else { throw LearningError.badWeight(row: row) }
      if weight > 0 { chosen.append(row) }
    }
    let positives = chosen.count { labels[$0] }
    guard positives > 0, positives < chosen.count else {
      throw LearningError.oneClassOnly(positives: positives, negatives: chosen.count - positives)
    }

    var solver = try DualCoordinateDescent(
      view: view, rows: chosen, labels: labels, sampleWeights: sampleWeights, options: options, warmStart: warmStart)
    let report = try solver.run(using: &random, cancellation: cancellation)
    let result = solver.result(report)
    guard report.primalObjective.isFinite, result.svm.weights.allSatisfy(\.isFinite), result.svm.bias.isFinite else {
      throw LearningError.resultNotFinite(objective: report.primalObjective)
    }
    return result
  }
}
