import Execution
import Foundation
import Landmarks

/// Reads dlib's serialised numbers, never past the end.
struct DlibReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  let source: String

  init(_ bytes: UnsafeRawBufferPointer, source: String) {
    self.bytes = bytes
    self.source = source
  }

  var remaining: Int { bytes.count - place }
  var isAtEnd: Bool { remaining == 0 }

  func failure(_ field: String, _ problem: String, _ found: String?, _ expected: String?) -> InputError {
    InputError(
      source: source, field: field, problem: problem, found: found, expected: expected,
      hint: "at byte \(place); is this a dlib shape_predictor?")
  }

  /// A whole number of up to 8 bytes.
  mutating func integer(_ field: String) throws -> Int {
    guard remaining >= 1 else { throw failure(field, "is cut short", "the end of the file", "a number") }
    let control = bytes[place]
    let size = Int(control & 0x0F)
    guard control & 0x70 == 0, (1...8).contains(size) else {
      throw failure(field, "is no number of dlib's", "a byte \(control)", "a count of 1 to 8 bytes")
    }
    guard remaining > size else { throw failure(field, "is cut short", "the end of the file", "a number") }
    var value: UInt64 = 0
    for k in 0..<size { value |= UInt64(bytes[place + 1 + k]) << (8 * UInt64(k)) }
    guard value <= UInt64(Int64.max) else { throw failure(field, "is out of range", "\(value)", nil) }
    place += 1 + size
    return control & 0x80 != 0 ? -Int(value) : Int(value)
  }

  /// A finite float.
  mutating func float(_ field: String) throws -> Float {
    let mantissa = try integer(field)
    let exponent = try integer(field)
    // dlib marks infinities and not-a-number by exponents of 32000 and more.
    guard (-2000...2000).contains(exponent) else {
      throw failure(field, "is no finite number", "an exponent of \(exponent)", nil)
    }
    let value = Float(scalbn(Double(mantissa), exponent))
    guard value.isFinite else { throw failure(field, "is no finite number", "\(value)", nil) }
    return value
  }

  /// A place, an offset or a change in box sides.
  mutating func length(_ field: String) throws -> Float {
    let value = try float(field)
    guard abs(value) <= LandmarkModel.largestValue else {
      throw failure(field, "holds a number that no face has", "\(value)", "at most \(LandmarkModel.largestValue)")
    }
    return value
  }

  /// The length of a list whose items take at least so many bytes.
  mutating func count(_ field: String, leastBytesEach least: Int) throws -> Int {
    let count = try integer(field)
    guard count >= 0, count <= remaining / least else {
      throw failure(field, "is a count that the file cannot hold", "\(count)", "at most \(remaining / least)")
    }
    return count
  }

  /// A matrix of one column.
  mutating func column(_ field: String, expectedCount: Int?) throws -> [Float] {
    // Sizes are written negative, to tell matrices from older files.
    let rows = abs(try integer(field))
    let columns = abs(try integer(field))
    guard columns == 1 || rows == 0, rows <= remaining / 4 else {
      throw failure(field, "is no column that the rest of the file can hold (cut short?)", "\(rows) x \(columns)", nil)
    }
    if let expectedCount, rows != expectedCount {
      throw failure(field, "has another number of values", "\(rows)", "\(expectedCount)")
    }
    var values: [Float] = []
    values.reserveCapacity(rows)
    for _ in 0..<rows { values.append(try length(field)) }
    return values
  }
}

/// Writes dlib's serialised numbers.
struct DlibWriter {
  private(set) var bytes: [UInt8] = []

  mutating func integer(_ value: Int) {
    var rest = value.magnitude
    let at = bytes.count
    bytes.append(0)
    repeat {
      bytes.append(UInt8(rest & 0xFF))
      rest >>= 8
    } while rest > 0
    bytes[at] = UInt8(bytes.count - at - 1) | (value < 0 ? 0x80 : 0)
  }

  /// - Precondition: finite.
  mutating func float(_ value: Float) {
    precondition(value.isFinite)
    if value == 0 {
      integer(0)
      integer(0)
      return
    }
    // 24 bits of mantissa hold any float; trailing zero bytes move to the exponent.
    var exponent = Int(value.exponent) - 23
    var mantissa = Int(scalbn(Double(value), -exponent))
    while mantissa & 0xFF == 0 {
      mantissa >>= 8
      exponent += 8
    }
    integer(mantissa)
    integer(exponent)
  }

  mutating func column(_ values: some Collection<Float>) {
    integer(-values.count)
    integer(-1)
    for value in values { float(value) }
  }
}
