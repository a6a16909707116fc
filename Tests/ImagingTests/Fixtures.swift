import Execution
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// The files made by Tests/Fixtures/Imaging/make_fixtures.py and what other programs see in them.
struct Fixtures: Decodable {
  struct Expected: Decodable {
    var width: Int
    var height: Int
    var channels: Int
    var pixels: Data
    var tolerance: Int
    var source: String
    var orientation: Int
    var bits: Int
    var alpha: Bool
  }

  struct Resize: Decodable {
    var width: Int
    var height: Int
    var method: ResizeMethod
    var channels: Int
    var pixels: Data
    /// OpenCV's result on Float values in 0...1, for grey.
    var float: Data?
  }

  struct Source: Decodable {
    var width: Int
    var height: Int
    var channels: Int
    var pixels: Data
  }

  var images: [String: Expected]
  var resizes: [Resize]
  var source: Source
  var luma: Data
  var luv: [String: Data]

  static let folder = Fixture.url("Imaging").path

  static func path(_ name: String) -> String { folder + "/" + name }

  static func load() throws -> Fixtures {
    try Fixture.decode(Fixtures.self, "Imaging/expected.json")
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// All image files of the folder in the order of their names.
  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".png") || $0.hasSuffix(".jpg") }.sorted()
  }

  var sourceImage: ByteImage {
    ByteImage(width: source.width, height: source.height, channelCount: source.channels, pixels: [UInt8](source.pixels))
  }

  var lumaImage: ByteImage {
    ByteImage(width: source.width, height: source.height, channelCount: 1, pixels: [UInt8](luma))
  }
}

/// The largest absolute difference of two rows of bytes; `nil` where their counts differ.
func largestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int? {
  guard a.count == b.count else { return nil }
  return zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 0
}

/// The largest absolute difference of two rows of numbers; `nil` where their counts differ.
func largestDifference(_ a: [Float], _ b: [Float]) -> Float? {
  guard a.count == b.count else { return nil }
  return zip(a, b).map { abs($0 - $1) }.max() ?? 0
}

func floats(_ data: Data) -> [Float] {
  data.withUnsafeBytes { raw in (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) } }
}

func randomImage(width: Int, height: Int, channelCount: Int, using random: inout RandomStream) -> ByteImage {
  ByteImage(
    width: width, height: height, channelCount: channelCount,
    pixels: (0..<width * height * channelCount).map { _ in UInt8(random.index(below: 256)) })
}

/// A fresh folder that is removed after `body`.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
  let folder = NSTemporaryDirectory() + "/imaging-" + UUID().uuidString
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try body(folder)
}

/// The error that `body` throws, or `nil`.
func inputError(_ body: () throws -> Void) -> InputError? {
  do {
    try body()
    return nil
  } catch {
    return error as? InputError
  }
}
