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
    let end = Double(sourceCount)
    // A footprint of a length touches at most one pixel more than its length rounded up.
    let taps = min(sourceCount, isLinear ? 2 : Int(min(step, end).rounded(.up)) + 1)
    let starts = [Int](unsafeUninitializedCapacity: count) { starts, filled in
      filled = count
      for i in 0..<count {
        let first =
          isLinear
          ? min(max(origin + (Double(i) + 0.5) * step - 0.5, 0), end) : min(max(origin + Double(i) * step, 0), end)
        starts[i] = min(Int(first), sourceCount - taps)
      }
    }
    weights = [Float](unsafeUninitializedCapacity: count * taps) { weights, filled in
      filled = count * taps
      weights.update(repeating: 0)
      for i in 0..<count {
        let run = UnsafeMutableBufferPointer(rebasing: weights[i * taps..<(i + 1) * taps])
        if isLinear {
          let position = min(max(origin + (Double(i) + 0.5) * step - 0.5, 0), end - 1)
          let lower = Int(position)
          let fraction = position - Double(lower)
          run[lower - starts[i]] = Float(1 - fraction)
          if fraction > 0 { run[lower - starts[i] + 1] = Float(fraction) }
        } else {
          AxisTaps.fillArea(run, start: starts[i], from: origin + Double(i) * step, length: step, end: end)
        }
      }
    }
    tapCount = taps
    self.starts = starts
  }

  /// Shares of `[from, from + length)` that fall on each source pixel; what lies outside goes to the border pixel.
  private static func fillArea(
    _ run: UnsafeMutableBufferPointer<Float>, start: Int, from: Double, length: Double, end: Double
  ) {
    let to = from + length
    let low = min(max(from, 0), end)
    let high = min(max(to, 0), end)
    let before = min(max(-from, 0), length)
    let after = min(max(to - end, 0), length)
    // Shares are over their own sum, not the length: with an edge very far away the two differ by rounding.
    let scale = 1 / (before + (high - low) + after)
    let last = Int(end) - 1 - start
    // The first pixel of the image is in the run whenever something lies before it, and so is the last.
    if before > 0 { run[0] += Float(before * scale) }
    if after > 0 { run[last] += Float(after * scale) }
    var index = max(0, min(Int(low) - start, run.count))
    while index < run.count && Double(start + index) < high {
      let share = min(high, Double(start + index + 1)) - max(low, Double(start + index))
      run[index] += Float(max(0, share) * scale)
      index += 1
    }
  }
}
