import DatasetReaders
import Detection
import Evaluation
import Execution
import Foundation
import Geometry
import Imaging
import Synchronization

/// Scores windows as the window protocol of Dalal and Triggs wants them.
public enum WindowRun {
  /// Positive windows are the targets of `positives`, cut as training cuts them; negatives are all windows of the photos of
  /// `negatives`.
  ///
  /// - Parameter floor: negatives below it are counted and not listed.
  /// - Throws: `InputError` for an image that cannot be read, or a target that no component takes.
  public static func score(
    _ detector: any WindowScorer, positives: Dataset, negatives: Dataset, options: ScanOptions? = nil,
    floor: Double = -2,
    executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> WindowProtocol {
    let done = Atomic<Int>(0)
    progress.receive(.began(phase: "positive windows", total: positives.images.count))
    let scores = try executor.map(positives.images.count) { index in
      try cancellation.check()
      let image = try positives.image(at: index)
      let targets = positives.images[index].annotations.filter { !$0.isIgnored }
      progress.receive(.advanced(completed: done.add(1, ordering: .relaxed).newValue))
      return targets.map { detector.score(of: $0.box, in: image) }
    }
    progress.receive(.ended)
    done.store(0, ordering: .relaxed)
    progress.receive(.began(phase: "negative photos", total: negatives.images.count))
    defer { progress.receive(.ended) }
    let scans = try executor.map(negatives.images.count) { index in
      try cancellation.check()
      let image = try negatives.image(at: index)
      let scan = detector.windowScores(in: image, scoringAtLeast: floor, options: options, executor: .serial)
      progress.receive(.advanced(completed: done.add(1, ordering: .relaxed).newValue))
      return scan
    }
    return try WindowProtocol(
      positiveScores: scores.flatMap(\.self), negativeScores: scans.flatMap(\.scores),
      negativeWindowCount: scans.reduce(0) { $0 + $1.scannedCount }, floor: floor)
  }
}
