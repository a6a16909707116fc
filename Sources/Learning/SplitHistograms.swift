/// Sums of packed weights by a feature's byte, and the best split that they allow: the inner loops of boosting.
///
/// A histogram is 256 sums. Reference for dropping features early: R. Appel, T. Fuchs, P. Dollar, P. Perona, "Quickly
/// boosting decision trees: pruning underachieving features early", ICML 2013.
enum SplitHistograms {
  static let binCount = 256

  /// Adds some samples to the histograms of four features.
  ///
  /// - Parameter histograms: four, one after the other.
  @inline(never)
  static func addFour(
    _ rows: (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>),
    samples: UnsafePointer<UInt32>, packed: UnsafePointer<UInt64>, range: Range<Int>,
    to histograms: UnsafeMutablePointer<UInt64>
  ) {
    let second = histograms + binCount
    let third = histograms + 2 * binCount
    let fourth = histograms + 3 * binCount
    for place in range {
      let sample = Int(samples[place])
      let weight = packed[place]
      histograms[Int(rows.0[sample])] &+= weight
      second[Int(rows.1[sample])] &+= weight
      third[Int(rows.2[sample])] &+= weight
      fourth[Int(rows.3[sample])] &+= weight
    }
  }

  /// Adds some samples to the histogram of one feature.
  @inline(never)
  static func addOne(
    _ row: UnsafePointer<UInt8>, samples: UnsafePointer<UInt32>, packed: UnsafePointer<UInt64>, range: Range<Int>,
    to histogram: UnsafeMutablePointer<UInt64>
  ) {
    for place in range { histogram[Int(row[Int(samples[place])])] &+= packed[place] }
  }

  /// The greatest gain of a threshold between two bins.
  ///
  /// - Parameters:
  ///   - total: the sum of all bins.
  ///   - scratch: 512 floats.
  @inline(never)
  static func thresholdGain(
    _ histogram: UnsafePointer<UInt64>, total: UInt64, criterion: SplitProblem.Criterion,
    scratch: UnsafeMutablePointer<Float>
  ) -> Float {
    let responses = scratch + binCount
    var left: UInt64 = 0
    for bin in 0..<binCount {
      left &+= histogram[bin]
      scratch[bin] = Float(Int32(truncatingIfNeeded: left))
      responses[bin] = Float(Int32(truncatingIfNeeded: left >> 32))
    }
    let (allWeight, allResponse) = SplitProblem.parts(total)
    let one = SIMD8<Float>(repeating: 1)
    var best = SIMD8<Float>(repeating: 0)
    for start in stride(from: 0, to: binCount, by: 8) {
      let weight = UnsafeRawPointer(scratch + start).loadUnaligned(as: SIMD8<Float>.self)
      let response = UnsafeRawPointer(responses + start).loadUnaligned(as: SIMD8<Float>.self)
      let other = allResponse - response
      let gain: SIMD8<Float>
      switch criterion {
      case .squaredError:
        let rest = allWeight - weight
        gain =
          response * response / weight.replacing(with: one, where: weight .< one)
          + other * other / rest.replacing(with: one, where: rest .< one)
      case .misclassification:
        gain =
          response.replacing(with: -response, where: response .< 0) + other.replacing(with: -other, where: other .< 0)
      }
      best.replace(with: gain, where: gain .> best)
    }
    var greatest: Float = 0
    for lane in 0..<8 { greatest = max(greatest, best[lane]) }
    return greatest
  }

  /// The gain of giving each category a value of its own: no split into two sets gains more.
  @inline(never)
  static func categoryBound(_ histogram: UnsafePointer<UInt64>, criterion: SplitProblem.Criterion) -> Float {
    var sums = SIMD8<Float>(repeating: 0)
    for start in stride(from: 0, to: binCount, by: 8) {
      var weight = SIMD8<Float>(repeating: 0)
      var response = SIMD8<Float>(repeating: 0)
      for lane in 0..<8 {
        let sum = histogram[start + lane]
        weight[lane] = Float(Int32(truncatingIfNeeded: sum))
        response[lane] = Float(Int32(truncatingIfNeeded: sum >> 32))
      }
      switch criterion {
      case .squaredError:
        sums += response * response / weight.replacing(with: SIMD8(repeating: 1), where: weight .< 1)
      case .misclassification: sums += response.replacing(with: -response, where: response .< 0)
      }
    }
    return sums.sum()
  }

  /// About the greatest gain of dividing the categories into two sets: they are ordered by their mean response in 256
  /// steps (Fisher 1958 and Breiman 1984 show that the best sets are the two ends of that order; `prior` draws rare ones to
  /// its middle).
  ///
  /// - Parameters:
  ///   - prior: see `BoostingOptions.categoryPrior`.
  ///   - scratch: 256 packed sums.
  ///   - floats: 512 floats.
  @inline(never)
  static func categoryGain(
    _ histogram: UnsafePointer<UInt64>, total: UInt64, criterion: SplitProblem.Criterion, prior: Float,
    scratch: UnsafeMutablePointer<UInt64>, floats: UnsafeMutablePointer<Float>
  ) -> Float {
    if criterion == .misclassification { return categoryBound(histogram, criterion: criterion) }
    let ratios = floats
    let added = prior * SplitProblem.parts(total).weight
    var least = Float.infinity
    var greatest = -Float.infinity
    for category in 0..<binCount {
      let (weight, response) = SplitProblem.parts(histogram[category])
      let ratio = weight > 0 ? response / (weight + added) : 0
      ratios[category] = ratio
      least = min(least, ratio)
      greatest = max(greatest, ratio)
    }
    scratch.update(repeating: 0, count: binCount)
    let scale = greatest > least ? Float(binCount - 1) / (greatest - least) : 0
    for category in 0..<binCount {
      scratch[min(binCount - 1, Int((ratios[category] - least) * scale))] &+= histogram[category]
    }
    return thresholdGain(scratch, total: total, criterion: criterion, scratch: floats)
  }
}
