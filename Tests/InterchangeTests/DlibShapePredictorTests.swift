import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import Testing

@testable import Interchange

@Suite("dlib shape_predictor files")
struct DlibShapePredictorTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/Interchange")
  private static let bigModel = "/usr/share/dlib/shape_predictor_68_face_landmarks.dat"

  private struct Golden: Decodable {
    struct Case: Decodable {
      var image: Int
      var box: [Double]
      var points: [[Double]]
    }
    var producer: String
    var version: String
    var tolerance: String
    /// dlib's points are rounded to 1 / step pixel.
    var step: Double
    var cases: [Case]
  }

  /// The pictures of the golden files (make_dlib_goldens.py).
  private static func picture(_ k: Int) -> ByteImage {
    var image = ByteImage(width: 90, height: 70, channelCount: 1, filledWith: 0)
    for y in 0..<70 {
      for x in 0..<90 {
        let value = x * (3 + k) + y * 5 + ((x * y) >> (3 + k % 2)) + (x / 9) * 17 * (1 + k % 3)
        image.pixels[y * 90 + x] = UInt8(value & 255)
      }
    }
    return image
  }

  /// Every point within dlib's rounding of what dlib found.
  private static func check(_ predictor: ShapePredictor, golden name: String) throws {
    let golden = try JSONDecoder().decode(
      Golden.self, from: Data(contentsOf: fixtures.appendingPathComponent(name)))
    #expect(golden.cases.count >= 8)
    for test in golden.cases {
      let box = Box(x: test.box[0], y: test.box[1], width: test.box[2], height: test.box[3])
      let found = try #require(predictor.fit(picture(test.image), box: box))
      try #require(found.count == test.points.count)
      for (k, point) in test.points.enumerated() {
        let (dx, dy) = (found[k].x - point[0], found[k].y - point[1])
        #expect(
          max(abs(dx), abs(dy)) <= 0.5 / golden.step + 5e-4, "picture \(test.image) \(box) point \(k): \(dx), \(dy)")
      }
    }
  }

  private static var tinyPath: String { fixtures.appendingPathComponent("tiny_shape_predictor.dat").path }

  @Test("a small predictor of dlib's gives dlib's points")
  func tiny() throws {
    let predictor = try DlibShapePredictor.read(Self.tinyPath)
    #expect(predictor.pointCount == 5 && predictor.levels.count == 3)
    #expect(predictor.levels.allSatisfy { $0.treeCount == 4 && $0.depth == 2 && $0.pool.count == 24 })
    try Self.check(predictor, golden: "tiny_shape_predictor.json")
  }

  @Test("one that windhover-train wrote gives the points that dlib finds with it")
  func ours() throws {
    let predictor = try DlibShapePredictor.read(Self.fixtures.appendingPathComponent("ours_shape_predictor.dat").path)
    #expect(predictor.pointCount == 5 && predictor.levels.count == 4)
    try Self.check(predictor, golden: "ours_shape_predictor.json")
  }

  @Test(
    "so does the 68-point predictor of libdlib-data",
    .enabled(if: FileManager.default.fileExists(atPath: bigModel), "needs the package libdlib-data"))
  func big() throws {
    try Self.check(try DlibShapePredictor.read(Self.bigModel), golden: "points68.json")
  }

  @Test("what is written is read back, and dlib's own bytes come out again but for thresholds")
  func roundTrip() throws {
    let predictor = try DlibShapePredictor.read(Self.tinyPath)
    let bytes = try DlibShapePredictor.encode(predictor, name: "test")
    let again = try bytes.withUnsafeBytes { try DlibShapePredictor.decode($0, name: "test") }
    #expect(again == predictor)
    #expect(DlibShapePredictor.differences(of: predictor).isEmpty)
    // The mean shape stands before any threshold: the same bytes to the first forest.
    let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.tinyPath)))
    #expect(bytes[0..<50] == original[0..<50])
  }

  @Test("numbers are written as dlib writes them")
  func numbers() throws {
    var output = DlibWriter()
    for value in [0, 1, 255, 256, -1, -136, 65_535] { output.integer(value) }
    #expect(
      output.bytes == [1, 0, 1, 1, 1, 255, 2, 0, 1, 0x81, 1, 0x81, 136, 2, 255, 255])
    var floats = DlibWriter()
    let values: [Float] = [0, 1, -1, 0.5, 3.14159, -1e-30, 1e30, Float.leastNonzeroMagnitude, .greatestFiniteMagnitude]
    for value in values { floats.float(value) }
    // 1 is 128 times 2^-7: its trailing zero bytes have gone to the exponent.
    #expect(Array(floats.bytes[4..<8]) == [1, 128, 0x81, 7])
    let read = try floats.bytes.withUnsafeBytes { raw -> [Float] in
      var input = DlibReader(raw, source: "test")
      var read: [Float] = []
      while !input.isAtEnd { read.append(try input.float("value")) }
      return read
    }
    #expect(read == values)
  }

  @Test("a file cut anywhere is an error")
  func cut() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.tinyPath)))
    for length in Array(stride(from: 0, to: bytes.count, by: 7)) + (1...9).map({ bytes.count * $0 / 10 }) {
      #expect(throws: InputError.self, "\(length) bytes") {
        try bytes[0..<length].withUnsafeBytes { try DlibShapePredictor.decode($0, name: "cut") }
      }
    }
    #expect(throws: InputError.self) {
      try (bytes + [0]).withUnsafeBytes { try DlibShapePredictor.decode($0, name: "longer") }
    }
  }

  @Test("flipped bits are an error or a predictor that gives finite points or none, never a stop")
  func damaged() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.tinyPath)))
    let image = Self.picture(0)
    var (refused, read) = (0, 0)
    for seed in 0..<1000 {
      var random = RandomStream(seed: UInt64(seed))
      var copy = bytes
      for _ in 0..<(1 + random.index(below: 3)) {
        copy[random.index(below: copy.count)] ^= UInt8(1 << random.index(below: 8))
      }
      do {
        let predictor = try copy.withUnsafeBytes { try DlibShapePredictor.decode($0, name: "damaged") }
        let points = predictor.fit(image, box: Box(x: 5, y: 5, width: 40, height: 40))
        #expect(points?.allSatisfy { $0.x.isFinite && $0.y.isFinite } ?? true, "seed \(seed)")
        read += 1
      } catch is InputError {
        refused += 1
      }
    }
    #expect(refused > 100 && read > 100, "\(refused) refused, \(read) read")
  }

  @Test(
    "the 68-point predictor cut short at each tenth is an error that says where",
    .enabled(if: FileManager.default.fileExists(atPath: bigModel), "needs the package libdlib-data"))
  func bigCut() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Self.bigModel), options: .mappedIfSafe)
    try data.withUnsafeBytes { bytes in
      for tenth in 0...9 {
        let part = UnsafeRawBufferPointer(rebasing: bytes[0..<bytes.count * tenth / 10])
        do {
          _ = try DlibShapePredictor.decode(part, name: "cut")
          Issue.record("\(tenth) tenths were read")
        } catch let error as InputError {
          #expect(error.field != nil && error.hint?.contains("byte") == true, "\(error)")
        }
      }
    }
  }

  @Test("other files are told: another version, another class of dlib's, a picture, our own model's head")
  func others() {
    // A serialised string, as dlib's object detectors and networks begin with; a PNG; a safetensors file.
    let heads: [[UInt8]] = [
      [1, 2] + [UInt8](repeating: 7, count: 40), [1, 20] + Array("object_detector_base".utf8),
      [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + [UInt8](repeating: 0, count: 60),
      [0x40, 0, 0, 0, 0, 0, 0, 0] + Array("{\"__metadata__\":{}}".utf8), [], [1], [1, 1],
    ]
    for head in heads {
      #expect(throws: InputError.self) {
        try head.withUnsafeBytes { try DlibShapePredictor.decode($0, name: "other") }
      }
    }
  }

  @Test("absurd counts are told before memory is taken, and other classes are told")
  func absurd() {
    func decode(_ build: (inout DlibWriter) -> Void) -> InputError? {
      var output = DlibWriter()
      build(&output)
      do {
        _ = try output.bytes.withUnsafeBytes { try DlibShapePredictor.decode($0, name: "absurd") }
        return nil
      } catch { return error as? InputError }
    }
    #expect(decode { $0.integer(2) } != nil)
    let rows = decode {
      $0.integer(1)
      $0.integer(-1_000_000_000_000)
      $0.integer(-1)
    }
    #expect(rows?.field == "mean shape")
    let levels = decode {
      $0.integer(1)
      $0.column([0, 0, 1, 1])
      $0.integer(1 << 50)
    }
    #expect(levels?.field == "levels")
    #expect(levels?.found == "\(1 << 50)")
    let trees = decode {
      $0.integer(1)
      $0.column([0, 0, 1, 1])
      $0.integer(1)
      $0.integer(Int(Int64.max))
    }
    #expect(trees?.field == "level 1: trees")
    let depth = decode {
      $0.integer(1)
      $0.column([0, 0, 1, 1])
      $0.integer(1)
      $0.integer(1)
      $0.integer(2)
      for _ in 0..<40 { $0.integer(0) }
    }
    #expect(depth?.expected?.contains("2^depth") == true)
    let size = decode {
      $0.integer(1)
      $0.column([0, 0, 1e30, 1])
      for _ in 0..<40 { $0.integer(0) }
    }
    #expect(size?.field == "mean shape")
    #expect(throws: InputError.self) { try DlibShapePredictor.read("/nowhere/at/all.dat") }
  }

  @Test("a predictor with a number that the reader refuses, or that is none, is not written")
  func unwritable() throws {
    let pool = PixelPool(anchors: [0, 1], offsetX: [0, 0.1], offsetY: [0, -0.1])
    func predictor(mean: [Float] = [0, 0, 1, 1], leaf: Float = 0.1, offset: Float = 0.1) -> ShapePredictor {
      var pool = pool
      pool.offsetX[1] = offset
      let level = ShapeForest(
        pool: pool, depth: 1, treeCount: 1, splits: [PixelDifferenceSplit(first: 0, second: 1, threshold: 3)],
        leaves: .float([0, 0, 0, leaf, 0, 0, 0, 0]), width: 4, basis: [])
      return ShapePredictor(meanShape: mean, levels: [level], border: .zero, changeFrame: .box)
    }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString).dat").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for bad in [Float.nan, .infinity, 2e5] {
      for (field, one) in [
        ("mean shape", predictor(mean: [0, 0, bad, 1])), ("leaves of level 1", predictor(leaf: bad)),
        ("offsets of level 1", predictor(offset: bad)),
      ] {
        let error = #expect(throws: InputError.self, "\(field) \(bad)") { try DlibShapePredictor.write(one, to: path) }
        #expect(error?.field == field, "\(error as Any)")
        #expect(!FileManager.default.fileExists(atPath: path))
      }
    }
    try DlibShapePredictor.write(predictor(), to: path)
    #expect(try DlibShapePredictor.read(path).levels == predictor().levels)
  }

  @Test("a predictor whose leaves turn with the shape cannot be written")
  func turning() throws {
    let turning = ShapePredictor(meanShape: [0, 0, 1, 1], levels: [], border: .zero, changeFrame: .shape)
    #expect(throws: InputError.self) { try DlibShapePredictor.encode(turning, name: "test") }
  }
}
