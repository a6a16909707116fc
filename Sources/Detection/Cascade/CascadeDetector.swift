import Features
import Geometry

/// A cascade of boosted classifiers over Haar features or local binary patterns (Viola and Jones 2001): most windows are
/// rejected by the first stages, so that a scan costs a few features a window.
///
/// Reference: P. Viola, M. Jones, "Rapid object detection using a boosted cascade of simple features", CVPR 2001.
public struct CascadeDetector: Sendable {
  /// The detection window in pixels.
  public let windowSize: PixelSize
  public let features: CascadeFeatures
  public let stages: [CascadeStage]
  /// What detections are called.
  public let label: String

  /// - Precondition: there is a stage; trees name features that exist; all features lie in the window.
  public init(windowSize: PixelSize, features: CascadeFeatures, stages: [CascadeStage], label: String) {
    precondition(!stages.isEmpty, "a cascade needs a stage")
    self.windowSize = windowSize
    self.features = features
    self.stages = stages
    self.label = label
  }
}
