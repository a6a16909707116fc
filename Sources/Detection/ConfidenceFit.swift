import Execution
import Geometry
import Imaging
import Learning

/// A detector family whose detections can be given confidences.
public protocol CalibratedDetector: ObjectDetector {
  /// Windows of a lower score are not objects, whatever the photo: fitting takes detections from here on.
  static var calibrationFloor: Double { get }

  /// Whether confidences are of a window's own score; else they are of the reported one, which suppression may have let grow.
  static var calibratesWindows: Bool { get }

  /// The same detector with a confidence for each label that has a scaling, and none for the others.
  func calibrated(by scalings: [String: PlattScaling]) -> Self
}

/// Confidences (Platt 1999) fitted to a detector's detections in annotated photos that it was not trained on.
public struct ConfidenceFit: Sendable {
  /// By the label of detections; a label whose detections are all right or all wrong has none.
  public var scalings: [String: PlattScaling]
  public var counts: Counts

  /// What confidences were fitted to.
  public struct Counts: Hashable, Sendable, Codable {
    public var photos: Int
    /// Detections that match an object, and that match none.
    public var matched: Int
    public var unmatched: Int

    /// In a sentence.
    public var summary: String {
      "Confidences are fitted to \(matched) right and \(unmatched) wrong detections in \(photos) photos."
    }
  }

  /// A detection of a photo and whether it is right.
  private struct Judged: Sendable {
    var label: String
    var score: Double
    var isRight: Bool
  }

  /// Fits confidences.
  ///
  /// Detections are what the detector reports by its own scan from the family's floor on, after suppression: with the kept
  /// windows' own scores where the family calibrates windows, else with the reported ones. Best first, each takes the free
  /// object of its label that it overlaps most, by an intersection over union of 0.5 or more, and is right; what lies
  /// mostly in an ignored region is left out; the rest is wrong.
  /// - Parameters:
  ///   - detector: its scan options say how photos are scanned.
  ///   - photos: annotated, not trained on.
  ///   - isOf: whether an object that is annotated as the second label is what the detector calls the first.
  /// - Throws: what the source throws; `CancelledError`. A label that cannot be fitted is told as a warning.
  /// - Complexity: one scan of each photo.
  public static func fit(
    _ detector: some CalibratedDetector, to photos: any TrainingImageSource,
    isOf: @Sendable (_ label: String, _ annotated: String) -> Bool, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> ConfidenceFit {
    let scan = scanOptions(of: detector)
    var judged: [Judged] = []
    progress.receive(.began(phase: "calibrating", total: photos.count))
    for batch in TrainingPhotos.batches(of: photos.count) {
      try cancellation.check()
      let parts = try executor.map(batch.count) { offset in
        let index = batch.lowerBound + offset
        let found = detector.detect(in: try photos.image(at: index), options: scan, executor: .serial)
        return judge(found, photos.annotations(at: index), isOf)
      }
      judged += parts.flatMap { $0 }
      progress.receive(.advanced(completed: batch.upperBound))
    }
    progress.receive(.ended)
    var scalings: [String: PlattScaling] = [:]
    for label in detector.labels {
      let own = judged.filter { $0.label == label }
      do {
        scalings[label] = try PlattScaling.fit(scores: own.map(\.score), labels: own.map(\.isRight))
      } catch let error as LearningError {
        progress.receive(.warning("label \"\(label)\" gets no confidence: \(error)"))
      }
    }
    let right = judged.count { $0.isRight }
    return ConfidenceFit(
      scalings: scalings, counts: Counts(photos: photos.count, matched: right, unmatched: judged.count - right))
  }

  private static func scanOptions<Detector: CalibratedDetector>(of detector: Detector) -> ScanOptions {
    var scan = detector.scanOptions
    scan.threshold = min(scan.threshold, Detector.calibrationFloor)
    scan.maximumDetections = nil
    if Detector.calibratesWindows, case .greedy(var greedy) = scan.suppression {
      greedy.accumulation = 0
      scan.suppression = .greedy(greedy)
    }
    return scan
  }

  private static func judge(
    _ detections: [Detection], _ annotations: [Annotation], _ isOf: (String, String) -> Bool
  ) -> [Judged] {
    var free = annotations.filter { !$0.isIgnored && !$0.box.isEmpty }
    let ignored = annotations.filter(\.isIgnored)
    return detections.compactMap { detection in
      let best = free.indices.filter { isOf(detection.label, free[$0].label) }
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

extension HOGDetector: CalibratedDetector {
  /// The margin of the SVM's negatives.
  public static var calibrationFloor: Double { -1 }

  public static var calibratesWindows: Bool { true }

  public func calibrated(by scalings: [String: PlattScaling]) -> HOGDetector {
    calibrated(components.map { scalings[$0.label] })
  }
}

extension CascadeDetector: CalibratedDetector {
  /// The last stage's threshold.
  public static var calibrationFloor: Double { 0 }

  /// No: the sum of a cascade's last stage says little of a window that has passed, and the number of windows about it much. On
  /// `wider/validation` and `face-free/validation` the reported scores of `face-lbp-fast` have an average precision of 0.53,
  /// those of single windows 0.44.
  public static var calibratesWindows: Bool { false }

  public func calibrated(by scalings: [String: PlattScaling]) -> CascadeDetector { calibrated(scalings[label]) }
}
