import Detection
import Execution
import Features
import Foundation
import Geometry
import Learning

/// Reads and writes OpenCV's cascades (XML): the form of `opencv_traincascade` ("opencv-cascade-classifier") both ways, and
/// the older form of `opencv_haartraining` ("opencv-haar-classifier") to read.
///
/// ```swift
/// let detector = try OpenCVCascade.read("haarcascade_frontalface_alt2.xml", label: "face")
/// try OpenCVCascade.write(detector, to: "face.xml")
/// ```
/// A detector that was read finds what `cv2.CascadeClassifier.detectMultiScale` finds: its options
/// (``ScanOptions/openCVCascade``) size levels, step and round boxes as OpenCV does. Haar features (upright and tilted) and
/// local binary patterns are read, in stumps and in trees; HOG cascades, which OpenCV 4 no longer loads, are refused.
///
/// Numbers are read as OpenCV reads them: decimal text to `Double`, then to `Float`; a stage's threshold is lowered by
/// 1e-5 in `Float`. The older form's tree of stages (`parent`, `next`) is read as a plain row of stages, as in OpenCV.
public enum OpenCVCascade {
  /// The largest file that is read; the largest of the package opencv-data has 2.7 MB.
  public static let byteLimit = 1 << 26
  /// Elements that a file may hold; the largest of opencv-data has 60 000.
  static let elementLimit = 1 << 21
  /// What OpenCV takes off each stage's threshold.
  static let thresholdMargin: Float = 1e-5

  /// Whether bytes begin as an XML document does: for telling formats apart.
  public static func isLikely(_ bytes: some Collection<UInt8>) -> Bool {
    let marks = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes.dropFirst(0)
    return marks.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }.first == UInt8(ascii: "<")
  }

  /// Reads a file.
  ///
  /// - Parameter label: what detections are called; the file does not say.
  /// - Throws: `InputError` with the line, for a file that is no cascade, is cut short, or does not hold together.
  public static func read(_ path: String, label: String = "object") throws -> CascadeDetector {
    try decode(FileBytes.read(path, limit: byteLimit), source: path, label: label)
  }

  /// Reads bytes. `source` stands in errors.
  public static func decode(_ bytes: [UInt8], source: String, label: String = "object") throws -> CascadeDetector {
    guard isLikely(bytes) else {
      throw InputError(
        source: source, line: 1, problem: "is no XML document", expected: "an OpenCV cascade (XML)",
        hint: "cascades in YAML or JSON are not read; OpenCV can rewrite them as XML")
    }
    let root = try XMLElement.document(bytes, source: source, elementLimit: elementLimit)
    let reader = CascadeReader(source: source)
    guard root.name == "opencv_storage", let cascade = root.children.first else {
      throw InputError(
        source: source, line: root.line, problem: "is no OpenCV cascade",
        found: root.name == "opencv_storage" ? "an empty <opencv_storage>" : "<\(root.name.prefix(40))>",
        expected: "<opencv_storage> with a cascade in it")
    }
    let parts: CascadeParts
    if cascade.attributes["type_id"] == "opencv-haar-classifier" || cascade.child("stageType") == nil {
      parts = try reader.oldForm(cascade)
    } else {
      parts = try reader.newForm(cascade)
    }
    if let fault = CascadeDetector.fault(windowSize: parts.windowSize, features: parts.features, stages: parts.stages) {
      throw InputError(
        source: source, line: parts.line(of: fault.place), field: fault.place.name, problem: fault.problem,
        found: fault.found, expected: fault.expected)
    }
    return CascadeDetector(
      windowSize: parts.windowSize, features: parts.features, stages: parts.stages, label: label,
      scanOptions: .openCVCascade)
  }
}

/// What a file says, with the lines where it says it.
struct CascadeParts {
  var windowSize: PixelSize
  var features: CascadeFeatures
  var stages: [CascadeStage]
  var windowLine: Int
  var featureLines: [Int]
  var stageLines: [Int]
  var treeLines: [[Int]]

  func line(of place: CascadeFault.Place) -> Int {
    switch place {
    case .window: windowLine
    case .feature(let index): featureLines[index]
    case .stage(let index): stageLines[index]
    case .tree(let stage, let tree): treeLines[stage][tree]
    }
  }
}

extension CascadeFault.Place {
  /// As it stands in errors; counted from 0, as in OpenCV's files.
  var name: String {
    switch self {
    case .window: "cascade"
    case .feature(let index): "feature \(index)"
    case .stage(let index): "stage \(index)"
    case .tree(let stage, let tree): "stage \(stage), tree \(tree)"
    }
  }
}
