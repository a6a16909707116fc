import Execution
import Foundation

/// How the area under a precision-recall curve is taken.
public enum AveragePrecisionRule: String, NamedChoice, Sendable {
  /// Exact area under the curve made monotone: at each recall the best precision at that recall or more (PASCAL VOC from
  /// 2010 on).
  case allPoints
  /// Mean of the monotone curve at recalls 0, 0.1 ... 1 (PASCAL VOC 2007, Everingham et al. 2010).
  case elevenPoints
  /// Mean of the monotone curve at recalls 0, 0.01 ... 1 (COCO).
  case hundredAndOnePoints
  /// Sum of recall gained times precision there, not made monotone (information retrieval; scikit-learn's
  /// `average_precision_score`).
  case uninterpolated
}

/// One number that sums up a curve.
public enum DetectionMeasure: Hashable, Sendable {
  case averagePrecision(AveragePrecisionRule)
  /// Geometric mean of the miss rate at nine false-positive rates an image, 10^-2 ... 10^0, evenly spaced in the
  /// logarithm (Dollar et al. 2012).
  ///
  /// As in the authors' toolbox the miss rate at a rate is that of the last point at or left of it: 1 where the curve
  /// begins right of it (no threshold but "nothing" makes so few false alarms), the last value where the curve ends left
  /// of it. Miss rates below 10^-10 count as 10^-10.
  case logAverageMissRate
  /// Miss rate at a rate of false positives an image, by the same rule.
  case missRate(falsePositivesPerImage: Double)

  public var isBetterWhenLarger: Bool {
    if case .averagePrecision = self { return true }
    return false
  }

  /// A short name for tables.
  public var name: String {
    switch self {
    case .averagePrecision(.allPoints): "AP"
    case .averagePrecision(.elevenPoints): "AP 11-point"
    case .averagePrecision(.hundredAndOnePoints): "AP 101-point"
    case .averagePrecision(.uninterpolated): "AP uninterpolated"
    case .logAverageMissRate: "log-average miss rate"
    case .missRate(let rate): "miss rate at \(NumberText.short(rate)) FPPI"
    }
  }

  /// The nine rates of the log-average miss rate.
  public static let logAverageRates: [Double] = (0..<9).map { pow(10, -2 + 0.25 * Double($0)) }

  /// - Parameter steps: by falling score, each with more right detections than the one before.
  func value(steps: [CurveStep], targetCount: Int, imageCount: Int) -> Double? {
    guard targetCount > 0, imageCount > 0 else { return nil }
    return steps.withUnsafeBufferPointer { steps in
      switch self {
      case .averagePrecision(.allPoints):
        DetectionMeasure.area(steps, targetCount, monotone: true)
      case .averagePrecision(.uninterpolated):
        DetectionMeasure.area(steps, targetCount, monotone: false)
      case .averagePrecision(.elevenPoints):
        DetectionMeasure.sampled(steps, targetCount, intervals: 10)
      case .averagePrecision(.hundredAndOnePoints):
        DetectionMeasure.sampled(steps, targetCount, intervals: 100)
      case .logAverageMissRate:
        exp(
          DetectionMeasure.logAverageRates.reduce(0) {
            $0 + log(max(1e-10, DetectionMeasure.missRate(steps, targetCount, imageCount, at: $1)))
          } / Double(DetectionMeasure.logAverageRates.count))
      case .missRate(let rate):
        DetectionMeasure.missRate(steps, targetCount, imageCount, at: rate)
      }
    }
  }

  private static func area(_ steps: UnsafeBufferPointer<CurveStep>, _ targets: Int, monotone: Bool) -> Double {
    var best = 0.0
    var sum = 0.0
    for index in stride(from: steps.count - 1, through: 0, by: -1) {
      let precision = steps[index].precision
      best = monotone ? max(best, precision) : precision
      sum += Double(steps[index].right - (index > 0 ? steps[index - 1].right : 0)) * best
    }
    return sum / Double(targets)
  }

  /// Recalls are compared in whole numbers: a recall of exactly k / intervals reaches sample k.
  private static func sampled(_ steps: UnsafeBufferPointer<CurveStep>, _ targets: Int, intervals: Int) -> Double {
    var best = 0.0
    var sum = 0.0
    var sample = intervals
    for index in stride(from: steps.count - 1, through: 0, by: -1) {
      best = max(best, steps[index].precision)
      while sample >= 0 && sample * targets > steps[index].right * intervals { sample -= 1 }
      let before = index > 0 ? steps[index - 1].right : -1
      while sample >= 0 && sample * targets > before * intervals {
        sum += best
        sample -= 1
      }
    }
    return sum / Double(intervals + 1)
  }

  private static func missRate(
    _ steps: UnsafeBufferPointer<CurveStep>, _ targets: Int, _ images: Int, at rate: Double
  ) -> Double {
    // Wrong counts rise along the steps, so the last step within the rate is found by halving.
    var low = 0
    var high = steps.count
    while low < high {
      let middle = (low + high) / 2
      if Double(steps[middle].wrong) / Double(images) <= rate { low = middle + 1 } else { high = middle }
    }
    let right = low > 0 ? steps[low - 1].right : 0
    return 1 - Double(right) / Double(targets)
  }
}
