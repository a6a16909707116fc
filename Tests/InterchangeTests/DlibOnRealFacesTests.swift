import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import Testing

@testable import Interchange

/// Agreement with dlib itself, run beside, on photos of faces.
///
/// dlib's points are found to 1/51 pixel (Fixtures/Interchange/dlib_points.py), and ours must lie within half of that. Were
/// they off by d pixels, a share of 51 d of them would lie beyond.
@Suite("dlib's points on real faces")
struct DlibOnRealFacesTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/Interchange/dlib_points.py").path
  private static let bigModel = "/usr/share/dlib/shape_predictor_68_face_landmarks.dat"
  private static let step = 51
  private static let datasets = ProcessInfo.processInfo.environment["DATASETS_DIR"] ?? ""
  private static let reason: Comment = "needs dlib for python3, and 300w and wider in DATASETS_DIR"

  private static let isPossible: Bool = {
    guard
      ["300w/train", "wider/WIDER_train"].allSatisfy({ FileManager.default.fileExists(atPath: "\(datasets)/\($0)") })
    else { return false }
    return (try? python(["-c", "import dlib, numpy"])) != nil
  }()

  private struct Failure: Error {
    var text: String
  }

  private static func python(_ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(text: String(decoding: text, as: UTF8.self)) }
    return data
  }

  private struct Request: Encodable {
    struct Picture: Encodable {
      var file: String
      var boxes: [[Int]]
    }
    var model: String
    var step: Int
    var pictures: [Picture]
  }

  private struct Answer: Decodable {
    var version: String
    var pictures: [[[[Double]]]]
  }

  /// Pictures around labelled faces, at their own size, in turn in colour and grey, each with its box, and with boxes that
  /// are moved and of another size, some partly outside the picture.
  private static func pictures(
    _ reference: String, count: Int, seed: UInt64
  ) throws -> [(image: ByteImage, boxes: [Box])] {
    let dataset = try Dataset.load(DatasetReference.parse(reference))
    var random = RandomStream(seed: seed)
    var result: [(image: ByteImage, boxes: [Box])] = []
    while result.count < count {
      let index = random.index(below: dataset.images.count)
      let faces = dataset.images[index].annotations.filter {
        !$0.isIgnored && (30...160).contains($0.box.width) && (30...190).contains($0.box.height)
      }
      guard !faces.isEmpty else { continue }
      let box = faces[random.index(below: faces.count)].box
      let photo = try dataset.image(at: index)
      // A narrow margin: pixels beyond the crop are looked for, and count as black, on both sides.
      let margin = 0.15 * box.width
      let crop = PixelRectangle(
        x: max(0, Int(box.x - margin)), y: max(0, Int(box.y - margin)), maxX: min(photo.width, Int(box.maxX + margin)),
        maxY: min(photo.height, Int(box.maxY + margin)))
      guard crop.width > 20, crop.height > 20 else { continue }
      let image = crop.cut(result.count % 2 == 0 ? photo.rgb() : photo.grey())
      let boxes = (0..<5).map { k in
        let shift = k == 0 ? 0 : 0.25 * box.width
        let scale = k == 0 ? 1 : random.uniform(in: 0.7..<1.4)
        return Box(
          x: (box.x - Double(crop.x) + random.uniform(in: -1..<1) * shift).rounded(),
          y: (box.y - Double(crop.y) + random.uniform(in: -1..<1) * shift).rounded(),
          width: (box.width * scale).rounded(), height: (box.height * scale).rounded())
      }
      result.append((image, boxes))
    }
    return result
  }

  private struct PixelRectangle {
    var x: Int
    var y: Int
    var maxX: Int
    var maxY: Int
    var width: Int { maxX - x }
    var height: Int { maxY - y }

    func cut(_ image: ByteImage) -> ByteImage {
      let channels = image.channelCount
      var result = ByteImage(width: width, height: height, channelCount: channels, filledWith: 0)
      for row in 0..<height {
        for k in 0..<width * channels {
          result.pixels[row * width * channels + k] = image.pixels[((y + row) * image.width + x) * channels + k]
        }
      }
      return result
    }
  }

  /// Compares ours with dlib's points of one .dat file.
  private static func compare(_ model: String, _ pictures: [(image: ByteImage, boxes: [Box])]) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var request = Request(model: model, step: step, pictures: [])
    for (index, picture) in pictures.enumerated() {
      try ImageFile.write(picture.image, to: "\(folder)/\(index).png")
      request.pictures.append(
        .init(
          file: "\(folder)/\(index).png",
          boxes: picture.boxes.map { [Int($0.x), Int($0.y), Int($0.width), Int($0.height)] }))
    }
    try AtomicFile.write(JSONEncoder().encode(request), to: "\(folder)/request.json")
    let answer = try JSONDecoder().decode(Answer.self, from: try python([script, "\(folder)/request.json"]))
    let predictor = try DlibShapePredictor.read(model)
    var worst = 0.0
    var compared = 0
    for (picture, theirs) in zip(pictures, answer.pictures) {
      for (box, points) in zip(picture.boxes, theirs) {
        let found = try #require(predictor.fit(picture.image, box: box))
        try #require(found.count == points.count)
        for (ours, point) in zip(found, points) {
          worst = max(worst, abs(ours.x - point[0]), abs(ours.y - point[1]))
          compared += 1
        }
      }
    }
    #expect(compared == pictures.reduce(0) { $0 + $1.boxes.count } * predictor.pointCount)
    #expect(worst <= 0.5 / Double(step) + 5e-4, "\(worst) px over \(compared) points, dlib \(answer.version)")
  }

  @Test(
    "the 68-point predictor of libdlib-data, on 300-W and WIDER faces",
    .enabled(if: isPossible && FileManager.default.fileExists(atPath: bigModel), "\(reason), and libdlib-data"),
    arguments: ["300w/validation", "wider/validation"])
  func published(reference: String) throws {
    let count = ProcessInfo.processInfo.environment["WINDHOVER_DLIB_FACES"].flatMap(Int.init) ?? 4
    try Self.compare(Self.bigModel, Self.pictures(reference, count: count, seed: 5))
  }

  @Test("a predictor trained here on real faces, written as .dat", .enabled(if: isPossible, reason))
  func trainedHere() throws {
    let dataset = try Dataset.load(DatasetReference.parse("300w/train"))
    let faces = try stride(from: 0, to: 1800, by: 45).map { index in
      let annotation = dataset.images[index].annotations[0]
      let marks = annotation.landmarks.sorted { Int($0.name)! < Int($1.name)! }
      return try #require(
        LandmarkFace(
          name: dataset.images[index].name, image: try dataset.image(at: index), box: annotation.box,
          points: marks.map(\.point), largestBox: nil, margin: 1))
    }
    var options = ShapePredictorOptions()
    options.levels = 5
    options.trees = 60
    options.oversampling = 10
    let predictor = try ShapePredictorTrainer(options).train(faces)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString).dat").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try DlibShapePredictor.write(predictor, to: path)
    try Self.compare(path, Self.pictures("300w/validation", count: 4, seed: 6))
    // What was trained is what is read back.
    let (image, boxes) = try Self.pictures("300w/validation", count: 1, seed: 7)[0]
    let read = try DlibShapePredictor.read(path)
    for box in boxes { #expect(read.fit(image, box: box) == predictor.fit(image, box: box)) }
  }
}
