/// Right and wrong detections by falling score, as the measures and the bootstrap read them: four bytes a detection.
public struct RankedOutcomes: Sendable {
  /// Image number * 4, + 2 for a right detection, + 1 where the next detection has a lower score (a tie group ends).
  let events: [UInt32]
  let scores: [Double]
  /// How many targets each image has.
  let targetsPerImage: [Int]
  public let targetCount: Int
  public var imageCount: Int { targetsPerImage.count }
  /// Right and wrong detections; ignored ones are not among them.
  public var count: Int { events.count }

  /// - Parameter label: index into `Matching.labels`; `nil` takes all labels together.
  public init(_ matching: Matching, label: Int? = nil) {
    precondition(matching.imageCount < 1 << 30)
    var events: [UInt32] = []
    var scores: [Double] = []
    events.reserveCapacity(matching.detections.count)
    scores.reserveCapacity(matching.detections.count)
    for detection in matching.detections where detection.outcome != .ignored {
      if let label, detection.label != label { continue }
      if let last = scores.last, last != detection.score { events[events.count - 1] |= 1 }
      events.append(UInt32(detection.image) << 2 | (detection.outcome == .right ? 2 : 0))
      scores.append(detection.score)
    }
    if !events.isEmpty { events[events.count - 1] |= 1 }
    self.events = events
    self.scores = scores
    targetsPerImage = matching.targets.map { targets in
      guard let label else { return targets.count }
      return targets.reduce(0) { $0 + ($1.label == label ? 1 : 0) }
    }
    targetCount = targetsPerImage.reduce(0, +)
  }

  /// The places where the count of right detections grows, with image `i` counted `weights[i]` times.
  ///
  /// Points that add false alarms alone are left out: no measure but the choice of a threshold looks at them.
  func steps(weights: UnsafePointer<Int32>, into steps: inout [CurveStep]) -> Int {
    steps.removeAll(keepingCapacity: true)
    var counts = (right: 0, wrong: 0)
    var before = 0
    events.withUnsafeBufferPointer { events in
      for event in events {
        let weight = Int(weights[Int(event >> 2)])
        if event & 2 != 0 { counts.right += weight } else { counts.wrong += weight }
        if event & 1 != 0, counts.right > before {
          steps.append(CurveStep(right: counts.right, wrong: counts.wrong))
          before = counts.right
        }
      }
    }
    var targets = 0
    for (index, count) in targetsPerImage.enumerated() { targets += count * Int(weights[index]) }
    return targets
  }

  /// The value of a measure with every image counted once; `nil` where it has nothing to measure.
  public func value(of measure: DetectionMeasure) -> Double? {
    var steps: [CurveStep] = []
    let ones = [Int32](repeating: 1, count: imageCount)
    let targets = ones.withUnsafeBufferPointer { self.steps(weights: $0.baseAddress!, into: &steps) }
    return measure.value(steps: steps, targetCount: targets, imageCount: imageCount)
  }
}

/// Detections at or above some score: how many are right and how many are wrong.
struct CurveStep: Sendable {
  var right: Int
  var wrong: Int
  var precision: Double { Double(right) / Double(right + wrong) }
}
