import Detection
import Execution
import Features
import Foundation
import Geometry

/// A linear detector as OpenCV's `HOGDescriptor.setSVMDetector` takes it: one weight for each value of the window's
/// descriptor in OpenCV's order, then the bias.
///
/// ```python
/// numpy.savetxt("people.txt", cv2.HOGDescriptor_getDefaultPeopleDetector())
/// ```
/// ```swift
/// let detector = try OpenCVHOGVector(path: "people.txt").detector(label: "person")
/// let found = detector.detect(in: image)
/// ```
/// The detector finds what `HOGDescriptor.detectMultiScale` finds: its options (``ScanOptions/openCV``) size levels and
/// round boxes as OpenCV does, and report the whole window. Boxes may still differ where OpenCV's resizing rounds a
/// pixel otherwise and a window's score lies that close to the threshold.
///
/// OpenCV's own format for a whole descriptor (YAML) is not read.
public struct OpenCVHOGVector: Hashable, Sendable {
  /// In OpenCV's order: blocks column by column, a block's cells column by column, a cell's bins side by side.
  public let weights: [Float]
  /// Added to the weighted sum.
  public let bias: Float

  public init(weights: [Float], bias: Float) {
    self.weights = weights
    self.bias = bias
  }

  /// Whether a file that begins with these bytes holds a list of numbers: for telling formats apart.
  public static func isLikely(_ head: some Collection<UInt8>) -> Bool {
    let numbers = Set("0123456789+-.eE[], \t\r\n".utf8)
    return head.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && head.allSatisfy(numbers.contains)
  }

  /// Reads a list of numbers.
  /// - Throws: `InputError` with the path.
  public init(path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
      throw InputError(
        source: path, problem: "cannot be read", found: isFolder.boolValue ? "a folder" : "no such file",
        expected: "a list of numbers")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw InputError(source: path, problem: "cannot be read", hint: "check that the file may be read")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw InputError(source: path, problem: "is not text", expected: "numbers in UTF-8 or ASCII")
    }
    try self.init(text: text, source: path)
  }

  /// Reads numbers parted by spaces, line ends or commas, in square brackets or not (so a JSON array too, nested as
  /// `numpy` writes a column or not). The last number is the bias.
  ///
  /// - Throws: `InputError` with the line of what is no finite number, and for fewer than two numbers.
  public init(text: String, source: String) throws {
    var values: [Float] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      for word in line.split(whereSeparator: { $0.isWhitespace || $0 == "," || $0 == "[" || $0 == "]" }) {
        guard let value = Float(word), value.isFinite else {
          throw InputError(
            source: source, line: index + 1, problem: "not a number of single precision",
            found: "\"\(word.prefix(40))\"")
        }
        values.append(value)
      }
    }
    guard values.count >= 2, let bias = values.last else {
      throw InputError(
        source: source, problem: "too short for a detector", found: "\(values.count) numbers",
        expected: "3781 for a window of 64 x 128 pixels: 3780 weights and the bias")
    }
    self.init(weights: Array(values.dropLast()), bias: bias)
  }

  /// The vector of a detector's component.
  ///
  /// The vector holds weights alone: OpenCV must be given a descriptor of the same window, block, stride, cell and bins,
  /// and reports whole windows.
  /// - Throws: `InputError` where the features are not Dalal-Triggs HOG, or of gradients that OpenCV does not take.
  public init(detector: HOGDetector, component index: Int = 0) throws {
    precondition(detector.components.indices.contains(index))
    let component = detector.components[index]
    guard case .dalalTriggs(let hog) = detector.features, hog.colourDifference == nil, hog.reach == 1 else {
      let found =
        switch detector.features {
        case .dalalTriggs(let hog) where hog.colourDifference != nil: "gradients of a colour difference"
        case .dalalTriggs(let hog): "gradients that reach \(hog.reach) pixels"
        case .dalalTriggsStack: "a stack of Dalal-Triggs HOG"
        case .felzenszwalb, .felzenszwalbWithPatterns: "Felzenszwalb HOG"
        }
      throw InputError(
        source: "detector", field: "features", problem: "cannot be written as an OpenCV HOG vector", found: found,
        expected: "Dalal-Triggs HOG of the strongest channel's gradients that reach 1 pixel")
    }
    self.init(
      weights: hog.openCVVector(from: component.weights, window: component.windowSize), bias: component.bias)
  }

  /// A detector with these weights.
  ///
  /// - Parameters:
  ///   - features: OpenCV's defaults, unless the descriptor was made with others.
  ///   - windowSize: the detection window in pixels.
  /// - Throws: `InputError` where the window's descriptor has another length.
  public func detector(
    label: String, windowSize: PixelSize = PixelSize(width: 64, height: 128),
    features: DalalTriggsHOG = .openCV, source: String = "OpenCV HOG vector"
  ) throws -> HOGDetector {
    let size = features.mapSize(for: windowSize)
    let count = size.count * features.channelCount
    guard count == weights.count, count > 0 else {
      throw InputError(
        source: source, problem: "a vector of another length", found: "\(weights.count) weights and a bias",
        expected: "\(count) weights and a bias for a window of \(windowSize.width) x \(windowSize.height) pixels",
        hint: "give the window that the vector was trained for")
    }
    let component = HOGComponent(
      label: label, windowSize: windowSize, objectRegion: Box(x: 0, y: 0, width: 1, height: 1), rows: size.rows,
      columns: size.columns, channelCount: features.channelCount,
      weights: features.filter(fromOpenCV: weights, window: windowSize), bias: bias)
    return HOGDetector(features: .dalalTriggs(features), colour: .rgb, components: [component], scanOptions: .openCV)
  }

  /// One number a line, the shortest that reads back to the same value; `numpy.loadtxt` reads it.
  public var text: String {
    (weights + [bias]).map { "\($0)\n" }.joined()
  }

  /// Writes ``text``, whole or not at all.
  /// - Throws: `InputError` with the path and the reason.
  public func write(to path: String) throws {
    try AtomicFile.write(text, to: path)
  }
}
