import Foundation

/// For each target coordinate of one axis, the run of source samples that it is a weighted mean of.
struct AxisTaps {
  /// Samples a target coordinate takes; short runs are filled up with zero weights.
  let tapCount: Int
  /// First source index of each run; `starts[i] + tapCount <= sourceCount`.
  let starts: [Int]
  /// `count * tapCount` weights; those of one target coordinate sum to 1.
  let weights: [Float]

  var count: Int { starts.count }

  /// - Parameters:
  ///   - origin: source coordinate of the target's first edge (continuous; pixel `i` covers `[i, i + 1)`).
  ///   - extent: source length of the whole target, positive.
  ///   - interpolatesGrowth: whether `.area` turns to linear interpolation where the axis grows.
  init(
    origin: Double, extent: Double, count: Int, sourceCount: Int, method: ResizeMethod, interpolatesGrowth: Bool
  ) {
    let step = extent / Double(count)
    let isLinear = method == .bilinear || (interpolatesGrowth && step < 1)
    let last = Double(sourceCount - 1)
    var runs: [(start: Int, weights: [Double])] = []
    runs.reserveCapacity(count)
    for i in 0..<count {
      if isLinear {
        let position = min(max(origin + (Double(i) + 0.5) * step - 0.5, 0), last)
        let start = Int(position)
        let fraction = position - Double(start)
        runs.append(fraction > 0 ? (start, [1 - fraction, fraction]) : (start, [1]))
      } else {
        runs.append(
          AxisTaps.areaRun(from: origin + Double(i) * step, length: step, sourceCount: sourceCount))
      }
    }
    let longest = runs.map(\.weights.count).max() ?? 1
    var starts: [Int] = []
    starts.reserveCapacity(count)
    var weights = [Float](repeating: 0, count: count * longest)
    for (i, run) in runs.enumerated() {
      let start = min(run.start, sourceCount - longest)
      starts.append(start)
      for (k, weight) in run.weights.enumerated() { weights[i * longest + run.start - start + k] = Float(weight) }
    }
    tapCount = longest
    self.starts = starts
    self.weights = weights
  }

  /// Shares of `[from, from + length)` that fall on each source pixel; what lies outside goes to the border pixel.
  private static func areaRun(from: Double, length: Double, sourceCount: Int) -> (start: Int, weights: [Double]) {
    let end = Double(sourceCount)
    let low = min(max(from, 0), end)
    let high = min(max(from + length, 0), end)
    let before = min(max(-from, 0), length)
    let after = min(max(from + length - end, 0), length)
    if high <= low { return before > 0 ? (0, [1]) : (sourceCount - 1, [1]) }
    let first = min(Int(low), sourceCount - 1)
    // A hair over a pixel's edge is rounding of the step, not area.
    let stop = max(first + 1, min(Int((high - 1e-9).rounded(.up)), sourceCount))
    var weights = (first..<stop).map { index in
      (min(high, Double(index + 1)) - max(low, Double(index))) / length
    }
    if before > 0 { weights[0] += before / length }
    if after > 0 { weights[weights.count - 1] += after / length }
    let sum = weights.reduce(0, +)
    for k in weights.indices { weights[k] /= sum }
    return (first, weights)
  }
}
