import Windhover

/// Looks at pictures a batch at a time, so that memory does not grow with their number, and hands results on in order.
struct PictureRun {
  let detector: any ObjectDetector
  let scan: ScanOptions
  let confidence: Double?
  let readOptions: ImageReadOptions
  let executor: ParallelExecutor
  let progress: any ProgressSink
  let cancellation: Cancellation

  private enum Outcome: Sendable {
    case found(ImageDetections, ByteImage, warnings: [String])
    case failed(String)
  }

  /// Calls `take` with the number of each picture that could be read, from 0, and what was found.
  /// - Returns: how many could not.
  func detect(in pictures: [Picture], _ take: (Int, ImageDetections, ByteImage) throws -> Void) throws -> Int {
    let showsProgress = pictures.count > 1
    if showsProgress { progress.receive(.began(phase: "pictures", total: pictures.count)) }
    defer { if showsProgress { progress.receive(.ended) } }
    var failures = 0
    for start in stride(from: 0, to: pictures.count, by: executor.threadCount) {
      try cancellation.check()
      let batch = pictures[start..<min(start + executor.threadCount, pictures.count)]
      let inner = batch.count > 1 ? ParallelExecutor.serial : executor
      let outcomes = executor.map(batch.count) { look(at: pictures[start + $0], executor: inner) }
      for (offset, outcome) in outcomes.enumerated() {
        switch outcome {
        case .failed(let text):
          failures += 1
          progress.receive(.warning(text))
        case .found(let result, let image, let warnings):
          for warning in warnings { progress.receive(.warning("\(result.image): \(warning)")) }
          try take(start + offset, result, image)
        }
      }
      if showsProgress { progress.receive(.advanced(completed: start + batch.count)) }
    }
    return failures
  }

  private func look(at picture: Picture, executor: ParallelExecutor) -> Outcome {
    do {
      let (image, warnings) = try picture.source.readWithWarnings(options: readOptions)
      var found = detector.detect(in: image, options: scan, executor: executor)
      if let confidence { found.removeAll { ($0.confidence ?? 0) < confidence } }
      let result = ImageDetections(
        image: picture.name, width: image.width, height: image.height, detections: found)
      return .found(result, image, warnings: warnings)
    } catch {
      return .failed("\(error)")
    }
  }
}
