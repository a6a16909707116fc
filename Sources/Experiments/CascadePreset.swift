import Detection
import Execution
import Geometry
import Learning

/// Training options of cascades for the usual tasks.
public enum CascadePreset: String, NamedChoice, Sendable {
  /// The defaults of `opencv_traincascade`.
  case openCV = "opencv"
  /// Upright frontal faces in windows of 24 x 24.
  case face

  public var options: CascadeTrainerOptions {
    var options = CascadeTrainerOptions()
    if self == .face {
      options.label = "face"
      options.positiveCount = 3000
      options.negativeCount = 3000
    }
    return options
  }
}
