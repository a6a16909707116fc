/// One object that a detector reports.
public struct Detection: Hashable, Sendable, Codable {
  /// Where, in the coordinates of the upright image (EXIF orientation applied).
  public var box: Box
  /// The detector's raw score: larger is surer; comparable within one detector only.
  public var score: Double
  /// Calibrated probability in 0...1 that this is an object; `nil` where the detector is not calibrated.
  public var confidence: Double?
  /// What it is, for example "face".
  public var label: String

  public init(box: Box, score: Double, confidence: Double? = nil, label: String) {
    self.box = box
    self.score = score
    self.confidence = confidence
    self.label = label
  }
}

/// All detections in one image: one line of a results file (JSON lines).
///
/// `{"image": "a/b.jpg", "width": 640, "height": 480, "detections": [{"box": [x, y, w, h], "score": 1.5, "confidence":
/// 0.9, "label": "face"}]}`. An image without detections has an empty list: its line still says that it was scanned.
public struct ImageDetections: Hashable, Sendable, Codable {
  /// The image's name as its list or data set gives it: what results and truth are joined by.
  public var image: String
  public var width: Int
  public var height: Int
  public var detections: [Detection]

  public init(image: String, width: Int, height: Int, detections: [Detection]) {
    self.image = image
    self.width = width
    self.height = height
    self.detections = detections
  }
}
