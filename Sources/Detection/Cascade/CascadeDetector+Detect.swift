import Execution
import Features
import Geometry
import Imaging
import Learning

extension CascadeDetector {
  /// The objects in an image, best first.
  ///
  /// An image smaller than the window has no detections. The answer does not depend on the executor's number of threads.
  ///
  /// With exact levels (the rule of detectors of ours) every window of every level is looked at, and boxes are exact. With
  /// OpenCV's rule the boxes are those of `cv2.CascadeClassifier.detectMultiScale`: its levels, its steps (every second
  /// place below a scale of 2; the place behind a window that the first stage rejects is left out), its rounding, its
  /// grouping; where no level is within the wanted heights, the nearest. Its `minSize` is given by the height alone.
  /// - Parameters:
  ///   - image: grey or RGB, upright.
  ///   - options: `nil` takes the detector's own. `threshold` is the least score: 0 is the cascade's own, and what is below
  ///     lets more through the last stage. With several `scoredStages` every stage decides by its own threshold, and the
  ///     sum is compared with `threshold` after that: below 0 it lets no more through.
  ///   - executor: its threads share bands of rows.
  /// - Returns: boxes in pixels of `image`, each within it. Their confidences are of the reported scores, which suppression
  ///   may have let grow: they are there where the scan's step, stride, suppression and scored stages are the detector's own
  ///   and its threshold keeps no window from letting another grow.
  /// - Precondition: the options pass ``validate(_:source:)``.
  /// - Complexity: some features a window; memory of a band of some 150 rows for each thread at work.
  public func detect(
    in image: ByteImage, options: ScanOptions? = nil, executor: ParallelExecutor = ParallelExecutor()
  ) -> [Detection] {
    let options = options ?? scanOptions
    let plan = CascadeScanPlan(imageSize: image.size, detector: self, options: options)
    let scan = CascadeScan(
      self, image: image, plan: plan, floor: options.threshold, scoredStages: options.scoredStages ?? 1)
    let confidences = options.scoresAlike(scanOptions) ? calibration : nil
    let kept = detections(of: scan.windows(executor: executor), options.suppression, plan, confidences)
    return options.maximumDetections.map { Array(kept.prefix($0)) } ?? kept
  }

  /// What `cv2.CascadeClassifier.detectMultiScale` returns for the same parameters, sizes on both axes included.
  ///
  /// - Parameters:
  ///   - neighbours: `minNeighbors`: groups of more windows than this become their mean; 0 gives all windows.
  ///   - smallest: `minSize`, of windows.
  ///   - largest: `maxSize`; nothing, or a side of 0, means the image's size.
  /// - Returns: best first. A score is OpenCV's level weight (`detectMultiScale3`) less the last stage's threshold.
  public func detectMultiScale(
    in image: ByteImage, scaleFactor: Double = 1.1, neighbours: Int = 3,
    smallest: PixelSize = PixelSize(width: 0, height: 0), largest: PixelSize = PixelSize(width: 0, height: 0),
    executor: ParallelExecutor = ParallelExecutor()
  ) -> [Detection] {
    precondition(scaleFactor > 1 && scaleFactor.isFinite && neighbours >= 0)
    precondition(stages.allSatisfy { $0.trace == nil }, "OpenCV knows no soft cascades")
    let plan = CascadeScanPlan(
      imageSize: image.size, detector: self, scaleFactor: scaleFactor, smallest: smallest, largest: largest)
    let found = CascadeScan(self, image: image, plan: plan, floor: 0).windows(executor: executor)
    return detections(of: found, .groupRectangles(RectangleGrouping(threshold: neighbours)), plan, nil)
  }

  /// Every window that passes with a score of at least `floor`, without suppression, in the order of level, row and column;
  /// and how many were looked at. This is what negatives are gathered from.
  public func windows(
    in image: ByteImage, scoringAtLeast floor: Double = 0, options: ScanOptions? = nil,
    executor: ParallelExecutor = ParallelExecutor()
  ) -> (windows: [CascadeWindow], scannedCount: Int) {
    let options = options ?? scanOptions
    let plan = CascadeScanPlan(imageSize: image.size, detector: self, options: options)
    let scan = CascadeScan(self, image: image, plan: plan, floor: floor, scoredStages: options.scoredStages ?? 1)
    return (scan.windows(executor: executor), scan.windowCount)
  }

  /// Checks ranges, and that nothing is asked for that a cascade does not do.
  ///
  /// - Throws: `InputError` that names the field.
  public func validate(_ options: ScanOptions, source: String) throws {
    try options.validate(source: source)
    let check = FieldCheck(source: source, problem: "not for cascades")
    try check.require(options.padding == 0, "padding", options.padding, "0: cascades look inside the picture alone")
    try check.require(options.sharedLevels == 1, "sharedLevels", options.sharedLevels, "1")
    guard options.levelRule == .openCV else { return }
    try check.require(options.stride == 1, "stride", options.stride, "1: OpenCV's rule has its own")
    try check.require(
      options.upsampling == .none, "upsampling", options.upsampling.rawValue, "none with OpenCV's levels")
    try check.require(
      stages.allSatisfy { $0.trace == nil }, "levelRule", options.levelRule.rawValue,
      "exact: OpenCV knows no soft cascades")
  }

  private func detections(
    of windows: [CascadeWindow], _ suppression: Suppression, _ plan: CascadeScanPlan, _ confidences: PlattScaling?
  ) -> [Detection] {
    let raw = windows.map { Detection(box: $0.box, score: $0.score, label: label) }
    var kept: [Detection]
    if plan.rule == .openCV, case .groupRectangles(let grouping) = suppression {
      kept = grouping.apply(to: raw, means: .single)
    } else {
      kept = suppression.apply(to: raw)
    }
    if let confidences {
      for index in kept.indices { kept[index].confidence = confidences.confidence(kept[index].score) }
    }
    guard plan.rule == .openCV else { return kept }
    // As OpenCV does last of all.
    let border = Box(plan.imageSize)
    for index in kept.indices { kept[index].box = kept[index].box.intersection(border) ?? kept[index].box }
    return kept
  }
}
