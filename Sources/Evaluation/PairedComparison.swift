import Execution

/// Whether two results over the same images differ by more than the choice of images explains.
public struct PairedComparison: Hashable, Sendable {
  public enum Verdict: String, Codable, Sendable {
    case firstIsBetter, secondIsBetter
    /// The interval of the difference holds zero: these images cannot tell the two apart.
    case undecided
  }

  public let measure: DetectionMeasure
  /// First minus second, with the interval of the difference over the resamples.
  public let difference: ConfidenceInterval
  /// Two-sided: twice the smaller share of resamples whose difference lies on one side of zero (each share counted with
  /// one added to both its parts), at most 1.
  public let pValue: Double
  public let verdict: Verdict

  /// Paired bootstrap over images (Efron and Tibshirani 1993): both results see the same draws, so that what is hard in
  /// a photo is hard for both.
  ///
  /// - Parameters: both results matched with the same truth under the same rule.
  /// - Returns: `nil` where the measure is undefined, or the images or resamples are too few (`Bootstrap.intervals`).
  public static func compare(
    _ first: RankedOutcomes, _ second: RankedOutcomes, measure: DetectionMeasure, options: BootstrapOptions,
    executor: ParallelExecutor = .init()
  ) -> PairedComparison? {
    all([first, second], measures: [measure], options: options, executor: executor).first?.comparison
  }

  /// One pair of several results.
  public struct Pair: Hashable, Sendable {
    /// Indices into the results, `first < second`.
    public let first: Int
    public let second: Int
    public let measure: DetectionMeasure
    public let comparison: PairedComparison?
  }

  /// Every pair of several results, from one set of draws. No correction is made for the number of pairs.
  ///
  /// - Complexity: as `Bootstrap.intervals` for each result.
  public static func all(
    _ results: [RankedOutcomes], measures: [DetectionMeasure], options: BootstrapOptions,
    executor: ParallelExecutor = .init()
  ) -> [Pair] {
    let table = Bootstrap.values(of: measures, for: results, options: options, executor: executor)
    var pairs: [Pair] = []
    for (number, measure) in measures.enumerated() {
      let values = results.map { $0.value(of: measure) }
      for first in results.indices {
        for second in results.indices where second > first {
          let differences = table.compactMap { row -> Double? in
            guard let a = row[first * measures.count + number], let b = row[second * measures.count + number] else {
              return nil
            }
            return a - b
          }
          var comparison: PairedComparison?
          if let a = values[first], let b = values[second],
            let interval = Bootstrap.interval(a - b, differences, options.level)
          {
            comparison = PairedComparison(measure: measure, difference: interval, differences: differences)
          }
          pairs.append(Pair(first: first, second: second, measure: measure, comparison: comparison))
        }
      }
    }
    return pairs
  }

  private init(measure: DetectionMeasure, difference: ConfidenceInterval, differences: [Double]) {
    self.measure = measure
    self.difference = difference
    let below = differences.reduce(0) { $0 + ($1 <= 0 ? 1 : 0) }
    let above = differences.reduce(0) { $0 + ($1 >= 0 ? 1 : 0) }
    pValue = min(1, 2 * Double(min(below, above) + 1) / Double(differences.count + 1))
    if difference.lower > 0 {
      verdict = measure.isBetterWhenLarger ? .firstIsBetter : .secondIsBetter
    } else if difference.upper < 0 {
      verdict = measure.isBetterWhenLarger ? .secondIsBetter : .firstIsBetter
    } else {
      verdict = .undecided
    }
  }
}
