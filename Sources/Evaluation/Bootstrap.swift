import Execution

/// How images are drawn again to see how far chance alone moves a figure.
public struct BootstrapOptions: Hashable, Codable, Sendable {
  /// How many times the images are drawn; 0 leaves intervals out.
  public var resampleCount: Int
  public var seed: UInt64
  /// Share of resamples that the interval holds, in 0..<1.
  public var level: Double

  public init(resampleCount: Int = 1000, seed: UInt64 = 1, level: Double = 0.95) {
    precondition(resampleCount >= 0, "a count of resamples is not negative")
    precondition(level > 0 && level < 1, "a level lies between 0 and 1, got \(level)")
    self.resampleCount = resampleCount
    self.seed = seed
    self.level = level
  }
}

/// A figure with the range that drawing the images again gives it.
public struct ConfidenceInterval: Hashable, Codable, Sendable {
  /// The figure over all images.
  public var value: Double
  public var lower: Double
  public var upper: Double
  /// Standard deviation of the figure over the resamples.
  public var standardError: Double
  /// Resamples in which the figure was defined (one without targets has none).
  public var resampleCount: Int
}

/// The bootstrap over images (Efron 1979; percentile intervals).
///
/// Images are drawn with replacement, as many as there are; all detections and targets of a drawn image come with it, so
/// what hangs together in one photo stays together. The interval covers the chance of which photos the set holds; it says
/// nothing of the chance in training. The same seed gives the same numbers on any number of threads.
public enum Bootstrap {
  /// Intervals of several measures, from the same resamples.
  ///
  /// - Returns: one a measure; `nil` where the measure is undefined, there are fewer than two images, or fewer than 20
  ///   resamples gave a value.
  /// - Complexity: O(resamples x (detections + images)) over all cores; O(detections) memory a thread.
  public static func intervals(
    of measures: [DetectionMeasure], for ranked: RankedOutcomes, options: BootstrapOptions,
    executor: ParallelExecutor = .init()
  ) -> [ConfidenceInterval?] {
    let table = values(of: measures, for: [ranked], options: options, executor: executor)
    return measures.indices.map { index in
      guard let value = ranked.value(of: measures[index]) else { return nil }
      return interval(value, table.compactMap { $0[index] }, options.level)
    }
  }

  /// For each resample the values of every measure of every result, measure by measure within a result.
  ///
  /// All results see the same draws.
  static func values(
    of measures: [DetectionMeasure], for ranked: [RankedOutcomes], options: BootstrapOptions,
    executor: ParallelExecutor
  ) -> [[Double?]] {
    let images = ranked.first?.imageCount ?? 0
    precondition(ranked.allSatisfy { $0.imageCount == images }, "results must be over the same images")
    guard images >= 2, options.resampleCount > 0 else { return [] }
    let chunk = 16
    let parts = (options.resampleCount + chunk - 1) / chunk
    return executor.map(parts) { part -> [[Double?]] in
      var weights = [Int32](repeating: 0, count: images)
      var steps: [CurveStep] = []
      return (part * chunk..<min(options.resampleCount, (part + 1) * chunk)).map { resample in
        var random = RandomStream(seed: options.seed, stream: UInt64(resample))
        for index in 0..<images { weights[index] = 0 }
        for _ in 0..<images { weights[random.index(below: images)] += 1 }
        return ranked.flatMap { result in
          let targets = weights.withUnsafeBufferPointer { result.steps(weights: $0.baseAddress!, into: &steps) }
          return measures.map { $0.value(steps: steps, targetCount: targets, imageCount: images) }
        }
      }
    }.flatMap { $0 }
  }

  static func interval(
    _ value: Double, _ values: [Double], _ level: Double
  ) -> ConfidenceInterval? {
    guard values.count >= 20 else { return nil }
    let sorted = values.sorted()
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    let variance = sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(sorted.count - 1)
    return ConfidenceInterval(
      value: value, lower: quantile(sorted, (1 - level) / 2), upper: quantile(sorted, (1 + level) / 2),
      standardError: variance.squareRoot(), resampleCount: sorted.count)
  }

  /// Linear between order statistics (type 7 of Hyndman and Fan 1996).
  static func quantile(_ sorted: [Double], _ share: Double) -> Double {
    let place = share * Double(sorted.count - 1)
    let low = min(sorted.count - 1, Int(place))
    let high = min(sorted.count - 1, low + 1)
    return sorted[low] + (place - Double(low)) * (sorted[high] - sorted[low])
  }
}
