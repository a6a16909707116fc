import Features
import Geometry
import Learning

/// A cascade of boosted classifiers over Haar features or local binary patterns (Viola and Jones 2001): most windows are
/// rejected by the first stages, so that a scan costs a few features a window.
///
/// ```swift
/// let detector = try OpenCVCascade.read("lbpcascade_frontalface.xml", label: "face")
/// for found in detector.detect(in: image) { print(found.box, found.score) }
/// ```
/// A window's **score** is the last stage's sum less that stage's threshold: 0 or more for a window that passes, larger
/// for a surer one. (OpenCV's level weight is the sum itself.) ``ScanOptions/scoredStages`` adds up several stages.
///
/// **Differences from the paper:** trees of any depth; tilted Haar features and local binary patterns; soft cascades.
///
/// References: P. Viola, M. Jones, "Rapid object detection using a boosted cascade of simple features", CVPR 2001;
/// R. Lienhart, J. Maydt, "An extended set of Haar-like features for rapid object detection", ICIP 2002; S. Liao et al.,
/// "Learning multi-scale block local binary patterns for face recognition", ICB 2007.
public struct CascadeDetector: Sendable {
  /// The detection window in pixels.
  public let windowSize: PixelSize
  public let features: CascadeFeatures
  public let stages: [CascadeStage]
  /// What detections are called.
  public let label: String
  /// The object's box in fractions of the window: what is reported when levels are exact. OpenCV's rule reports the window.
  public let objectRegion: Box
  /// From a detection's score to its confidence, where the detector is calibrated: fitted to scores as `scanOptions` give them.
  public let calibration: PlattScaling?
  /// How the detector is scanned when nothing else is asked for.
  public let scanOptions: ScanOptions
  let compiled: CompiledCascade

  /// - Precondition: ``fault(windowSize:features:stages:)`` finds none.
  public init(
    windowSize: PixelSize, features: CascadeFeatures, stages: [CascadeStage], label: String,
    objectRegion: Box = Box(x: 0, y: 0, width: 1, height: 1), calibration: PlattScaling? = nil,
    scanOptions: ScanOptions = .cascade
  ) {
    let fault = CascadeDetector.fault(windowSize: windowSize, features: features, stages: stages)
    precondition(fault == nil, "a cascade that does not hold together: \(fault?.problem ?? "")")
    self.init(
      checked: CompiledCascade(windowSize: windowSize, features: features, stages: stages), windowSize: windowSize,
      features: features, stages: stages, label: label, objectRegion: objectRegion, calibration: calibration,
      scanOptions: scanOptions)
  }

  private init(
    checked compiled: CompiledCascade, windowSize: PixelSize, features: CascadeFeatures, stages: [CascadeStage],
    label: String, objectRegion: Box, calibration: PlattScaling?, scanOptions: ScanOptions
  ) {
    self.windowSize = windowSize
    self.features = features
    self.stages = stages
    self.label = label
    self.objectRegion = objectRegion
    self.calibration = calibration
    self.scanOptions = scanOptions
    self.compiled = compiled
  }

  /// The labels: one.
  public var labels: [String] { [label] }

  /// Whether detections have a confidence.
  public var isCalibrated: Bool { calibration != nil }

  /// The same detector with other options to scan by.
  public func scanned(by options: ScanOptions) -> CascadeDetector {
    CascadeDetector(
      checked: compiled, windowSize: windowSize, features: features, stages: stages, label: label,
      objectRegion: objectRegion, calibration: calibration, scanOptions: options)
  }

  /// The same detector with another name for what it finds.
  public func labelled(_ label: String) -> CascadeDetector {
    CascadeDetector(
      checked: compiled, windowSize: windowSize, features: features, stages: stages, label: label,
      objectRegion: objectRegion, calibration: calibration, scanOptions: scanOptions)
  }

  /// The same detector with (or without) a calibration.
  public func calibrated(_ calibration: PlattScaling?) -> CascadeDetector {
    CascadeDetector(
      checked: compiled, windowSize: windowSize, features: features, stages: stages, label: label,
      objectRegion: objectRegion, calibration: calibration, scanOptions: scanOptions)
  }
}

extension ScanOptions {
  /// Whether scores of a cascade mean the same as with other options: those that suppression lets grow do so by the number
  /// of windows about an object, and by how many of them the threshold lets pass.
  func scoresAlike(_ other: ScanOptions) -> Bool {
    suppression == other.suppression && scaleFactor == other.scaleFactor && stride == other.stride
      && levelRule == other.levelRule && (scoredStages ?? 1) == (other.scoredStages ?? 1)
      && growthFloor == other.growthFloor
  }

  /// The least score of a window that lets a kept one grow; `nil` where none does.
  private var growthFloor: Double? {
    guard case .greedy(let greedy) = suppression, greedy.accumulation != 0 else { return nil }
    return max(threshold, greedy.accumulationFloor ?? 0)
  }

  /// What a cascade of ours is scanned by: a scale factor of 1.1, every pixel, exact boxes, greedy suppression whose kept
  /// scores grow by those that they suppress.
  public static var cascade: ScanOptions {
    var options = ScanOptions(upsampling: .none, padding: 0)
    options.scaleFactor = 1.1
    options.suppression = .greedy(GreedySuppression(overlap: 0.3, accumulation: 1))
    return options
  }

  /// What `cv2.CascadeClassifier.detectMultiScale` does when called without options: a scale factor of 1.1, grouping of
  /// more than 3 windows.
  public static var openCVCascade: ScanOptions {
    var options = ScanOptions(upsampling: .none, padding: 0, levelRule: .openCV)
    options.scaleFactor = 1.1
    options.suppression = .groupRectangles(RectangleGrouping(threshold: 3))
    return options
  }
}
