import Detection
import Execution
import Features
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import Testing

@testable import Experiments

/// Model files of all kinds are told by their content.
struct ModelFormatsTests {
  private let folder = NSTemporaryDirectory() + "windhover-formats-\(UUID().uuidString)"

  private func path(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return "\(folder)/\(name)"
  }

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  private var hog: HOGDetector {
    let features = HOGFeatures.felzenszwalb(FelzenszwalbHOG(cellSize: 8))
    let component = HOGComponent(
      label: "cross", name: "upright", windowSize: PixelSize(width: 16, height: 24),
      objectRegion: Box(x: 0, y: 0, width: 1, height: 1), rows: 3, columns: 2, channelCount: 31,
      weights: Array(repeating: 0.25, count: 186), bias: -1)
    return HOGDetector(features: features, colour: .grey, components: [component])
  }

  private var fitter: LandmarkModel {
    let pool = PixelPool(anchors: [0, 1], offsetX: [0, 0], offsetY: [0, 0])
    let forest = ShapeForest(
      pool: pool, depth: 1, treeCount: 1, splits: [PixelDifferenceSplit(first: 0, second: 1, threshold: 3)],
      leaves: .float([0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5]), width: 4)
    let predictor = ShapePredictor(
      meanShape: [0.25, 0.5, 0.75, 0.5], levels: [forest], border: .zero, changeFrame: .box, layout: "")
    return LandmarkModel(
      predictor: predictor, options: ShapePredictorOptions(),
      provenance: Provenance(command: "train it", dataSets: [], seed: 4))
  }

  @Test func aDetectorIsReadAndDescribedWhateverTheFilesName() throws {
    defer { remove() }
    let path = try path("misnamed.dat")
    try hog.modelFile(provenance: Provenance(command: "train it", dataSets: [], seed: 4)).write(to: path)
    let detector = try ModelCatalog.detector(path)
    #expect(detector.labels == ["cross"])
    #expect(!detector.isCalibrated)
    let model = try ModelCatalog.model(path)
    let facts = ["hog-detector, version 1", "features: Felzenszwalb HOG, cells of 8 pixels", "colour: grey"]
    #expect(model.description.hasPrefix(facts.joined(separator: "\n  ") + "\n"))
    #expect(model.description.contains("finds cross, window 16 x 24"))
    #expect(model.description.contains("made by: train it"))
    #expect(model.headline == "HOG detector, finds cross, scores alone")
    #expect(try #require(try model.picture()).width > 0)
    #expect(try #require(try model.json()).contains("\"kind\" : \"hog-detector\""))
  }

  @Test func openCVsVectorIsADetector() throws {
    defer { remove() }
    let path = try path("people.safetensors")
    try Data(String(repeating: "0.125\n", count: 3780).utf8 + Data("-3.5\n".utf8)).write(to: URL(fileURLWithPath: path))
    let model = try ModelCatalog.model(path)
    #expect(model.format == "OpenCV HOG vector")
    #expect(try model.json() == nil)
    #expect(model.headline == "OpenCV HOG vector, finds object, scores alone")
    guard case .detector(let detector) = model.content else {
      Issue.record("no detector")
      return
    }
    #expect(detector.scanOptions == .openCV)
    // Every window of a plain picture has no gradient: its score is the bias.
    let plain = ByteImage(width: 64, height: 128, channelCount: 1, filledWith: 9)
    var scan = detector.scanOptions
    scan.threshold = -4
    scan.suppression = .none
    #expect(detector.detect(in: plain, options: scan, executor: .serial).map(\.score) == [-3.5])
    try Data("1 2 3\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect { try ModelCatalog.detector(path) } throws: { "\($0)".contains("2 weights and a bias") }
  }

  @Test func aFitterIsDescribedAndIsNoDetector() throws {
    defer { remove() }
    let path = try path("points.safetensors")
    try fitter.write(to: path)
    let model = try ModelCatalog.model(path)
    #expect(model.description.contains("fits 2 points"))
    #expect(model.description.contains("level 1: 1 trees of depth 1"))
    #expect(model.headline == "landmark fitter, fits 2 points")
    #expect(try #require(try model.picture()).width == 652)
    #expect { try ModelCatalog.detector(path) } throws: {
      "\($0)".contains("is no detector") && "\($0)".contains("landmark-fitter, version 1")
    }
    let detector = try self.path("cross.safetensors")
    try hog.modelFile(provenance: Provenance(command: "", dataSets: [], seed: 4)).write(to: detector)
    #expect { try LandmarkRun.model(detector) } throws: { "\($0)".contains("is no landmark model") }
  }

  @Test func anUnknownKindNamesThoseThatAreKnown() throws {
    defer { remove() }
    let path = try path("model.safetensors")
    try ModelFile(
      kind: "soothsayer", version: 1, options: "{}", provenance: Provenance(command: "", dataSets: [], seed: 0),
      tensors: [:]
    ).write(to: path)
    #expect { try ModelCatalog.detector(path) } throws: { error in
      ["soothsayer", "hog-detector", "landmark-fitter"].allSatisfy { "\(error)".contains($0) }
    }
  }

  @Test func aDamagedFileOfOurNameSaysWhatIsWrongWithIt() throws {
    defer { remove() }
    let path = try path("model.safetensors")
    try hog.modelFile(provenance: Provenance(command: "train it", dataSets: [], seed: 4)).write(to: path)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    bytes[6] = 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: InputError.self) { try ModelFormats.read(path) }
    #expect(error?.description.contains("impossible header length") == true)
    try Data(bytes.prefix(4)).write(to: URL(fileURLWithPath: path))
    let short = #expect(throws: InputError.self) { try ModelFormats.read(path) }
    #expect(short?.description.contains("too short") == true)
  }

  @Test(arguments: ["", "{", "not a model at all\n", "\u{1}\u{1}"]) func whatIsNoModelIsRefused(content: String) throws
  {
    defer { remove() }
    let path = try path("model.safetensors")
    try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: InputError.self) { try ModelCatalog.model(path) }
  }
}

/// A family of which nothing is known but the protocol.
private struct OneBoxDetector: ObjectDetector {
  var scanOptions = ScanOptions()
  let labels = ["thing"]
  let isCalibrated = false
  let summary: [String] = []
  let pictures: [ContactSheet.Cell] = []

  func validate(_ options: ScanOptions, source: String) throws {
    try options.validate(source: source)
    guard options.sharedLevels == 1 else {
      throw InputError(source: source, field: "sharedLevels", problem: "is not known to this family")
    }
  }

  func detect(in image: ByteImage, options: ScanOptions?, executor: ParallelExecutor) -> [Detection] {
    [Detection(box: Box(image.size), score: (options ?? scanOptions).threshold, label: "thing")]
  }

  func scanned(by options: ScanOptions) -> OneBoxDetector { OneBoxDetector(scanOptions: options) }
}

struct ObjectDetectorTests {
  @Test func optionsThatAFamilyDoesNotKnowAreRefused() throws {
    let detector: any ObjectDetector = OneBoxDetector()
    #expect(try detector.scanOptions(with: .object(["threshold": .number(0.5)])).threshold == 0.5)
    #expect { try detector.scanOptions(with: .object(["sharedLevels": .number(2)])) } throws: {
      "\($0)".contains("sharedLevels") && "\($0)".contains("not known to this family")
    }
    #expect { try detector.scanOptions(with: .object(["threshold": .text("high")])) } throws: {
      "\($0)".contains("threshold")
    }
  }

  @Test func aRunRefusesThemBeforeItBegins() throws {
    let folder = NSTemporaryDirectory() + "windhover-detectors-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let sets = try GeneratedFaces.write(below: folder, seed: 1, pictureCounts: (train: 1, test: 2, negatives: 1))
    let dataset = try AnnotatedSource(data: .parse(sets.test)).load()
    var options = ScanOptions(threshold: 3)
    let found = try DetectionRun.detect(OneBoxDetector(), in: dataset, options: options)
    #expect(found.count == 2 && found.allSatisfy { $0.detections.map(\.score) == [3] })
    options.sharedLevels = 3
    #expect(throws: InputError.self) { try DetectionRun.detect(OneBoxDetector(), in: dataset, options: options) }
  }
}
