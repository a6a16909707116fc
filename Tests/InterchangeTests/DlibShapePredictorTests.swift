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
      var points: [[Int]]
    }
    var producer: String
    var tolerance: String
    var cases: [Case]
  }

  /// The pictures of the golden files.
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

  private static func check(_ predictor: ShapePredictor, golden name: String) throws {
    let golden = try JSONDecoder().decode(
      Golden.self, from: Data(contentsOf: fixtures.appendingPathComponent(name)))
    #expect(golden.cases.count >= 8)
    for test in golden.cases {
      let found = try #require(
        predictor.fit(
          picture(test.image), box: Box(x: test.box[0], y: test.box[1], width: test.box[2], height: test.box[3])))
      for (k, point) in test.points.enumerated() {
        // dlib counts from pixel centres and rounds; 0.01 is left for single precision at a half.
        let (dx, dy) = (found[k].x - 0.5 - Double(point[0]), found[k].y - 0.5 - Double(point[1]))
        #expect(abs(dx) <= 0.51 && abs(dy) <= 0.51, "picture \(test.image) point \(k): \(dx), \(dy)")
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
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: InputError.self, "\(length) bytes") {
        try bytes[0..<length].withUnsafeBytes { try DlibShapePredictor.decode($0, name: "cut") }
      }
    }
    #expect(throws: InputError.self) {
      try (bytes + [0]).withUnsafeBytes { try DlibShapePredictor.decode($0, name: "longer") }
    }
  }

  @Test("changed bytes are an error or a predictor, never a stop")
  func damaged() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.tinyPath)))
    var random = RandomStream(seed: 1)
    let image = Self.picture(0)
    for _ in 0..<2000 {
      var copy = bytes
      for _ in 0..<(1 + random.index(below: 3)) {
        copy[random.index(below: copy.count)] = UInt8(random.index(below: 256))
      }
      do {
        let predictor = try copy.withUnsafeBytes { try DlibShapePredictor.decode($0, name: "damaged") }
        _ = predictor.fit(image, box: Box(x: 5, y: 5, width: 40, height: 40))
      } catch is InputError {}
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
    #expect(throws: InputError.self) { try DlibShapePredictor.read("/nowhere/at/all.dat") }
  }

  @Test("a predictor whose leaves turn with the shape cannot be written")
  func turning() throws {
    let turning = ShapePredictor(meanShape: [0, 0, 1, 1], levels: [], border: .zero, changeFrame: .shape)
    #expect(throws: InputError.self) { try DlibShapePredictor.encode(turning, name: "test") }
  }
}
