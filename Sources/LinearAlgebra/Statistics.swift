import Foundation

/// Summaries of samples. What has nothing to measure is `nil`, never 0 and never NaN.
public enum Statistics {
  /// The arithmetic mean; `nil` for no values.
  public static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  /// The unbiased variance (divided by n - 1), by two passes; `nil` for fewer than two values.
  public static func variance(_ values: [Double]) -> Double? {
    guard values.count >= 2, let mean = mean(values) else { return nil }
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
  }

  /// The square root of the unbiased variance; `nil` for fewer than two values.
  public static func standardDeviation(_ values: [Double]) -> Double? {
    variance(values).map { $0.squareRoot() }
  }

  /// The standard error of the mean, `sqrt(variance / n)`; `nil` for fewer than two values.
  public static func standardError(_ values: [Double]) -> Double? {
    variance(values).map { ($0 / Double(values.count)).squareRoot() }
  }

  /// The middle value, or the mean of the two middle values; `nil` for no values.
  public static func median(_ values: [Double]) -> Double? {
    quantile(0.5, of: values)
  }

  /// The quantile at `fraction` in 0...1, linear between order statistics (type 7 of Hyndman and Fan 1996, the default of
  /// R and NumPy); `nil` for no values. `O(n log n)`.
  public static func quantile(_ fraction: Double, of values: [Double]) -> Double? {
    precondition(fraction >= 0 && fraction <= 1, "quantile at \(fraction)")
    if values.isEmpty { return nil }
    let sorted = values.sorted()
    let position = fraction * Double(sorted.count - 1)
    let low = Int(position)
    let high = min(low + 1, sorted.count - 1)
    let share = position - Double(low)
    // Weights rather than a difference: the ends may be infinite or far apart.
    return share == 0 ? sorted[low] : sorted[low] * (1 - share) + sorted[high] * share
  }

  /// Wilson's score interval (1927) for a proportion; `nil` for no trials.
  ///
  /// - Parameters:
  ///   - successes: 0...trials.
  ///   - z: the normal quantile; 1.959964 gives 95 %.
  public static func wilsonInterval(successes: Int, trials: Int, z: Double = 1.959963984540054) -> ClosedRange<Double>?
  {
    precondition(trials >= 0 && successes >= 0 && successes <= trials, "\(successes) successes of \(trials)")
    precondition(z >= 0 && z.isFinite, "normal quantile \(z)")
    if trials == 0 { return nil }
    let n = Double(trials)
    let share = Double(successes) / n
    let square = z * z
    let centre = (share + square / (2 * n)) / (1 + square / n)
    let half = z / (1 + square / n) * (share * (1 - share) / n + square / (4 * n * n)).squareRoot()
    // The ends are exact at the borders, where rounding would leave them a hair inside or outside.
    let low = successes == 0 ? 0 : max(0, centre - half)
    let high = successes == trials ? 1 : min(1, centre + half)
    return low...high
  }
}
