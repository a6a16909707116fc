import Foundation
import TestSupport
import Testing

/// A record of `Fixtures/Features/goldens.json` and its values: an outside tool's answer for a pattern image.
struct Golden: Codable, Sendable, CustomTestStringConvertible {
  var name: String
  var count: Int
  var producer: String
  var width: Int
  var height: Int
  var channels: Int
  var seed: UInt32
  var tolerance: Float
  var cell: Int?
  var stride: Int?
  var bins: Int?
  var gamma: Bool?
  var signed: Bool?
  var sigma: Double?

  var testDescription: String { "\(name), \(producer)" }

  /// All records whose name begins so.
  static func all(_ prefix: String) -> [Golden] {
    guard let records = try? Fixture.decode([Golden].self, "Features/goldens.json") else { return [] }
    return records.filter { $0.name.hasPrefix(prefix) }
  }

  func values() throws -> [Float] {
    let data = try Data(contentsOf: Fixture.url("Features/\(name).f32"))
    try #require(data.count == 4 * count)
    return data.withUnsafeBytes { bytes in
      (0..<count).map {
        Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
      }
    }
  }
}

/// The largest absolute difference.
func largestDifference(_ a: [Float], _ b: [Float]) -> Float {
  precondition(a.count == b.count)
  return zip(a, b).reduce(0) { max($0, abs($1.0 - $1.1)) }
}
