import Detection
import Execution
import Interchange
import Landmarks
import ModelFiles

/// What a model file may be, and how each is read: the one place that knows all families.
///
/// A family of our own container adds its kind to ``kinds``; another tool's format adds an entry to ``foreign``.
public enum ModelFormats {
  /// Readers of our own container (safetensors), by the `kind` in its metadata.
  static let kinds: [String: @Sendable (ModelFile) throws -> StoredModel.Content] = [
    HOGDetector.modelKind: { .detector(try HOGDetector(modelFile: $0)) },
    CascadeDetector.modelKind: { .detector(try CascadeDetector(modelFile: $0)) },
    LandmarkModel.kind: { .landmarks(try LandmarkModel($0)) },
  ]

  /// Other tools' formats, in the order in which they are asked.
  static let foreign: [ForeignFormat] = [
    ForeignFormat(name: "dlib shape predictor", isLikely: { DlibShapePredictor.isLikely($0) }) { path in
      .landmarks(
        LandmarkModel(
          predictor: try DlibShapePredictor.read(path), options: ShapePredictorOptions(),
          provenance: Provenance(command: "dlib", dataSets: [], seed: 0)))
    },
    // Neither cascades nor vectors say what they find.
    ForeignFormat(name: "OpenCV cascade", isLikely: { OpenCVCascade.isLikely($0) }) { path in
      .detector(try OpenCVCascade.read(path, label: "object"))
    },
    ForeignFormat(name: "OpenCV HOG vector", isLikely: { OpenCVHOGVector.isLikely($0) }) { path in
      .detector(try OpenCVHOGVector(path: path).detector(label: "object", source: path))
    },
  ]

  /// Another tool's file format.
  struct ForeignFormat: Sendable {
    let name: String
    /// Whether the first ``headSize`` bytes (fewer where the file is shorter) are such a file's.
    let isLikely: @Sendable ([UInt8]) -> Bool
    let read: @Sendable (_ path: String) throws -> StoredModel.Content
  }

  static let headSize = 512

  /// Reads a model file of any known format, told by its content; the name decides only what is said of a damaged file.
  ///
  /// - Throws: `InputError` with the path, for a file that cannot be read, is of no known kind, or does not hold together.
  public static func read(_ path: String) throws -> StoredModel {
    try FileUse.ofProgram.willRead([path])
    let head = try ModelFile.head(of: path, count: headSize)
    let format = foreign.first { $0.isLikely(head) }
    // A file of our name that nothing else claims is ours, damaged: its reader says what is wrong with it.
    let isDamaged = path.hasSuffix(".safetensors") && format == nil && !head.isEmpty
    guard ModelFile.isLikely(head) || isDamaged else {
      guard let format else {
        throw InputError(
          source: path, problem: "is no model of a known format",
          found: head.isEmpty ? "an empty file" : "other contents (first bytes \(hexadecimal(head.prefix(8))))",
          expected: (["a model of Windhover's (.safetensors)"] + foreign.map(\.name)).joined(separator: ", "))
      }
      return StoredModel(content: try format.read(path), format: format.name, file: nil)
    }
    let file = try ModelFile(path: path)
    guard let read = kinds[file.kind] else {
      throw InputError(
        source: path, field: "kind", problem: "a model of a kind that is not known here", found: "\"\(file.kind)\"",
        expected: kinds.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", "),
        hint: "it may be a newer Windhover's")
    }
    return StoredModel(content: try read(file), format: "\(file.kind), version \(file.version)", file: file)
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}

/// A model of any kind, as its file gives it.
public struct StoredModel: Sendable {
  public enum Content: Sendable {
    case detector(any ObjectDetector)
    case landmarks(LandmarkModel)
  }

  public let content: Content
  /// The kind and version of our own container, or the name of another tool's format.
  public let format: String
  /// The file with its options and provenance; `nil` for other tools' formats.
  public let file: ModelFile?

  /// The model as what finds objects.
  /// - Parameter source: what errors call the model.
  /// - Throws: `InputError` where it is another kind.
  public func detector(source: String) throws -> any ObjectDetector {
    guard case .detector(let detector) = content else {
      throw InputError(
        source: source, problem: "is no detector", found: format, expected: "a model that finds objects")
    }
    return detector
  }

  /// The model as what fits points.
  /// - Throws: as `detector(source:)`.
  public func landmarks(source: String) throws -> LandmarkModel {
    guard case .landmarks(let fitter) = content else {
      throw InputError(
        source: source, problem: "is no landmark model", found: format, expected: "a model that fits points")
    }
    return fitter
  }
}
