import Detection
import Execution
import Features
import Foundation
import Geometry
import Learning

extension OpenCVCascade {
  /// Writes the form of `opencv_traincascade`, which OpenCV 3 and 4 load; the same bytes for the same detector.
  ///
  /// - Throws: as ``text(_:)``, for a cascade whose file ``read(_:label:)`` would refuse, and where the file cannot be
  ///   written.
  public static func write(_ detector: CascadeDetector, to path: String) throws {
    let data = Data(try text(detector).utf8)
    do {
      _ = try decode([UInt8](data), source: path)
    } catch let error as InputError {
      throw InputError(
        source: path, field: error.field,
        problem: "the cascade cannot be kept, for its file would be refused: \(error.problem)", found: error.found,
        expected: error.expected)
    }
    try AtomicFile.write(data, to: path)
  }

  /// The file's content.
  ///
  /// The label, the object's region, the calibration and the scan's options have no place in the format and are lost; with
  /// a region other than the whole window OpenCV reports the window.
  /// - Throws: `InputError` for a soft cascade, whose rejection traces OpenCV does not know.
  public static func text(_ detector: CascadeDetector) throws -> String {
    guard detector.stages.allSatisfy({ $0.trace == nil }) else {
      throw InputError(
        source: "detector", field: "trace", problem: "cannot be written as an OpenCV cascade",
        found: "a soft cascade, which rejects within stages", expected: "stages that reject at their end")
    }
    let isHaar = if case .haar = detector.features { true } else { false }
    let depth = detector.stages.flatMap(\.trees).map(\.depth).max() ?? 1
    var lines = [
      "<?xml version=\"1.0\"?>", "<opencv_storage>", "<cascade type_id=\"opencv-cascade-classifier\">",
      "  <stageType>BOOST</stageType>", "  <featureType>\(isHaar ? "HAAR" : "LBP")</featureType>",
      "  <height>\(detector.windowSize.height)</height>", "  <width>\(detector.windowSize.width)</width>",
      "  <stageParams>", "    <maxDepth>\(depth)</maxDepth>",
      "    <maxWeakCount>\(detector.stages.map(\.trees.count).max() ?? 0)</maxWeakCount></stageParams>",
      "  <featureParams>", "    <maxCatCount>\(isHaar ? 0 : 256)</maxCatCount>", "    <featSize>1</featSize>",
    ]
    if case .haar(let features) = detector.features {
      lines.append("    <mode>\(features.contains(where: \.isTilted) ? "ALL" : "BASIC")</mode>")
    }
    lines[lines.count - 1] += "</featureParams>"
    lines += ["  <stageNum>\(detector.stages.count)</stageNum>", "  <stages>"]
    for (index, stage) in detector.stages.enumerated() {
      lines += [
        "    <!-- stage \(index) -->", "    <_>", "      <maxWeakCount>\(stage.trees.count)</maxWeakCount>",
        "      <stageThreshold>\(number(fileThreshold(stage.threshold)))</stageThreshold>", "      <weakClassifiers>",
      ]
      for tree in stage.trees {
        lines += [
          "        <_>", "          <internalNodes>",
          "            " + tree.nodes.map(words).joined(separator: " ") + "</internalNodes>", "          <leafValues>",
          "            " + tree.leaves.map(number).joined(separator: " ") + "</leafValues></_>",
        ]
      }
      lines[lines.count - 1] += "</weakClassifiers></_>"
    }
    lines[lines.count - 1] += "</stages>"
    lines.append("  <features>")
    switch detector.features {
    case .blockPatterns(let patterns):
      for pattern in patterns {
        lines += [
          "    <_>", "      <rect>",
          "        \(pattern.x) \(pattern.y) \(pattern.blockWidth) \(pattern.blockHeight)</rect></_>",
        ]
      }
    case .haar(let features):
      for feature in features {
        lines += ["    <_>", "      <rects>"]
        for box in feature.boxes {
          lines += ["        <_>", "          \(box.x) \(box.y) \(box.width) \(box.height) \(number(box.weight))</_>"]
        }
        lines[lines.count - 1] += "</rects>"
        lines.append("      <tilted>\(feature.isTilted ? 1 : 0)</tilted></_>")
      }
    }
    lines[lines.count - 1] += "</features></cascade>"
    lines.append("</opencv_storage>")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func words(_ node: DecisionTree.Node) -> String {
    func branch(_ branch: DecisionTree.Branch) -> String {
      switch branch {
      case .node(let next): "\(next)"
      case .leaf(let leaf): "\(-leaf)"
      }
    }
    let split =
      switch node.split {
      case .below(let threshold): number(threshold)
      case .isIn(let set): set.words.map { "\(Int32(bitPattern: $0))" }.joined(separator: " ")
      }
    return "\(branch(node.left)) \(branch(node.right)) \(node.feature) \(split)"
  }

  /// The number's shortest text that reads back as the same `Float`. OpenCV tells whole numbers from others by a point.
  private static func number(_ value: Float) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast()) : text
  }

  /// What the file must say so that OpenCV, having taken its margin off in single precision, compares with `threshold`.
  ///
  /// Where no number does (the threshold is just below a power of two, and was not read from a file), the nearest that
  /// gives less, so that the file accepts whatever the detector accepts.
  static func fileThreshold(_ threshold: Float) -> Float {
    let middle = threshold + thresholdMargin
    let near = [middle, middle.nextDown, middle.nextUp, middle.nextDown.nextDown, middle.nextUp.nextUp]
    if let exact = near.first(where: { $0 - thresholdMargin == threshold }) { return exact }
    return near.filter { $0 - thresholdMargin < threshold }.max() ?? middle.nextDown.nextDown
  }
}
