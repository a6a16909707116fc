import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging
import Synchronization

/// Runs a detector over many images.
public enum DetectionRun {
  /// The detections of every image of a data set, in its order.
  ///
  /// Images are shared out over the executor's threads; the result does not depend on their number.
  /// - Throws: `InputError` for options that the detector does not know or that are out of range (checked first); the first image that cannot be read, and `CancelledError`. Results that leave images out would not be
  ///   results on that data set.
  public static func detect(
    _ detector: any ObjectDetector, in dataset: Dataset, options: ScanOptions? = nil,
    imageOptions: ImageReadOptions = ImageReadOptions(), executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> [ImageDetections] {
    if let options { try detector.validate(options, source: "scan options") }
    progress.receive(.began(phase: "detecting", total: dataset.images.count))
    defer { progress.receive(.ended) }
    let done = Atomic<Int>(0)
    return try executor.map(dataset.images.count) { index in
      try cancellation.check()
      let image = try dataset.image(at: index, options: imageOptions)
      let found = detector.detect(in: image, options: options, executor: .serial)
      progress.receive(.advanced(completed: done.add(1, ordering: .relaxed).newValue))
      return ImageDetections(
        image: dataset.images[index].name, width: image.width, height: image.height, detections: found)
    }
  }
}
