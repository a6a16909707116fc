import Execution
import Geometry
import Imaging
import Learning

extension HOGTrainer {
  /// A detection of a validation photo and whether it is right.
  private struct Judged: Sendable {
    var label: String
    var score: Double
    var isRight: Bool
  }

  /// Scores from which detections are taken for fitting: the margin of the SVM's negatives.
  private static let calibrationFloor = -1.0

  /// The detector with confidences fitted to its detections in annotated photos.
  ///
  /// Detections are what the detector reports from a score of -1 on, after suppression. Best first, each takes the free
  /// object of its label that it overlaps most, by an intersection over union of 0.5 or more, and is right; what lies
  /// mostly in an ignored region is left out; the rest is wrong. A label whose detections are all right or all wrong
  /// gets no confidence, and a warning.
  func calibrated(
    _ detector: HOGDetector, on validation: any TrainingImageSource
  ) throws -> (HOGDetector, HOGTrainingReport.Calibration) {
    var scan = options.scan
    scan.threshold = min(scan.threshold, HOGTrainer.calibrationFloor)
    scan.maximumDetections = nil
    if case .greedy(var greedy) = scan.suppression {
      // Confidence is of a window's own score.
      greedy.accumulation = 0
      scan.suppression = .greedy(greedy)
    }
    let calibrationScan = scan
    var judged: [Judged] = []
    progress.receive(.began(phase: "calibrating", total: validation.count))
    for batch in TrainingPhotos.batches(of: validation.count) {
      try cancellation.check()
      let parts = try executor.map(batch.count) { offset in
        let index = batch.lowerBound + offset
        let found = detector.detect(in: try validation.image(at: index), options: calibrationScan, executor: .serial)
        return judge(found, validation.annotations(at: index))
      }
      judged += parts.flatMap { $0 }
      progress.receive(.advanced(completed: batch.upperBound))
    }
    progress.receive(.ended)
    var fits: [String: PlattScaling] = [:]
    for label in detector.labels {
      let own = judged.filter { $0.label == label }
      do {
        fits[label] = try PlattScaling.fit(scores: own.map(\.score), labels: own.map(\.isRight))
      } catch let error as LearningError {
        progress.receive(.warning("label \"\(label)\" gets no confidence: \(error)"))
      }
    }
    let right = judged.count { $0.isRight }
    return (
      detector.calibrated(detector.components.map { fits[$0.label] }),
      HOGTrainingReport.Calibration(photos: validation.count, matched: right, unmatched: judged.count - right)
    )
  }

  private func judge(_ detections: [Detection], _ annotations: [Annotation]) -> [Judged] {
    var free = annotations.filter { !$0.isIgnored && !$0.box.isEmpty }
    let ignored = annotations.filter(\.isIgnored)
    return detections.compactMap { detection in
      let known = layouts.filter { $0.options.label == detection.label }
      let best = free.indices.filter { index in known.contains { $0.isKnown(free[index].label) } }
        .map { (index: $0, overlap: free[$0].box.intersectionOverUnion(detection.box)) }
        .max { $0.overlap < $1.overlap }
      if let best, best.overlap >= 0.5 {
        free.remove(at: best.index)
        return Judged(label: detection.label, score: detection.score, isRight: true)
      }
      if ignored.contains(where: { detection.box.coveredShare(by: $0.box) >= 0.5 }) { return nil }
      return Judged(label: detection.label, score: detection.score, isRight: false)
    }
  }
}
