import Execution
import Features
import Geometry
import Imaging

extension HOGDetector {
  /// Checks ranges, and that nothing is asked for that is of cascades alone.
  ///
  /// - Throws: `InputError` that names the field.
  public func validate(_ options: ScanOptions, source: String) throws {
    try options.validate(source: source)
    guard options.scoredStages ?? 1 == 1 else {
      throw InputError(
        source: source, field: "scoredStages", problem: "not for HOG detectors", found: "\(options.scoredStages ?? 1)",
        expected: "1: they have no stages")
    }
  }

  /// The objects in an image, best first.
  ///
  /// An image smaller than every window (padding included), or of no size, has no detections. The answer does not
  /// depend on the executor's number of threads.
  /// - Parameters:
  ///   - image: grey or RGB, upright.
  ///   - options: `nil` takes the detector's own.
  ///   - executor: its threads share the levels of the pyramid.
  /// - Returns: boxes in pixels of `image`; they reach outside it where the object does. `confidence` is given by
  ///   calibrated components.
  /// - Precondition: the options are in range (``ScanOptions/validate(source:)``).
  /// - Complexity: one feature map a level, and cells x filter cells x channels multiplications for each component.
  public func detect(
    in image: ByteImage, options: ScanOptions? = nil, executor: ParallelExecutor = ParallelExecutor()
  ) -> [Detection] {
    let options = options ?? scanOptions
    let found = windows(in: image, scoringAtLeast: options.threshold, options: options, executor: executor).windows
    var kept = options.suppression.apply(
      to: found.map { window in
        Detection(
          box: window.box, score: window.score,
          confidence: components[window.component].calibration?.confidence(window.score),
          label: components[window.component].label)
      })
    if options.levelRule == .openCV {
      // As OpenCV does last of all: boxes end at the image's border.
      let border = Box(image.size)
      kept = kept.compactMap { detection in
        detection.box.intersection(border).map { box in
          var clipped = detection
          clipped.box = box
          return clipped
        }
      }
    }
    return options.maximumDetections.map { Array(kept.prefix($0)) } ?? kept
  }

  /// Every scanned window that scores at least `floor`, without suppression, and how many were scanned.
  ///
  /// This is what hard negatives are mined from, and what false positives a window are counted by.
  /// - Returns: windows in the order of level, component, row and column.
  public func windows(
    in image: ByteImage, scoringAtLeast floor: Double, options: ScanOptions? = nil,
    executor: ParallelExecutor = ParallelExecutor()
  ) -> WindowScan {
    let scan = PyramidScan(detector: self, image: image, options: options ?? scanOptions)
    let groups = scan.groups
    let levels = executor.map(groups.count) { scan.scan(group: groups[$0], floor: floor) }.flatMap { $0 }
    return WindowScan(
      windows: levels.flatMap(\.windows),
      scannedCounts: components.indices.map { index in levels.reduce(0) { $0 + $1.scannedCounts[index] } })
  }
}

/// One place that a detector looked at.
public struct ScannedWindow: Hashable, Sendable {
  /// Index of the component.
  public let component: Int
  /// Index of the pyramid's level, largest image first.
  public let level: Int
  /// Place in the level's feature map, in cells.
  public let row: Int
  public let column: Int
  public let score: Double
  /// The reported box in pixels of the image.
  public let box: Box
}

/// What a scan found before suppression.
public struct WindowScan: Hashable, Sendable {
  public let windows: [ScannedWindow]
  /// Windows looked at by each component, over all levels.
  public let scannedCounts: [Int]

  /// Windows looked at, over all components and levels.
  public var scannedCount: Int { scannedCounts.reduce(0, +) }
}
