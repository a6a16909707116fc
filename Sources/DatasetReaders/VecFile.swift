import Execution
import Foundation
import Geometry
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// An open OpenCV `.vec` file: grey samples of one size, read one at a time by their offset.
///
/// Layout (little-endian), as `opencv_createsamples` writes it: int32 count, int32 values a sample, two int16 that are not
/// used; then for each sample one byte that is not used and the values as int16, row by row, 0...255. The window's width and
/// height are not stored. Memory: one sample. Any number of threads may read at once.
public final class VecFile: Sendable {
  public let path: String
  /// Whole samples that the file holds.
  public let sampleCount: Int
  public let sampleSize: PixelSize
  /// What the header says, which differs from `sampleCount` in a file that was cut.
  public let declaredCount: Int
  /// Bytes behind the last whole sample.
  public let strayByteCount: Int
  private let descriptor: Int32

  static let headerLength = 12
  /// Samples of more values than this are taken for a fault.
  static let valueLimit = 1 << 24

  /// Opens a file and checks its header.
  ///
  /// - Parameter width: the window's width; `nil` where it is square.
  /// - Throws: `InputError` where the file is missing or none of its kind, holds no whole sample, or the window is not
  ///   square and no width is given.
  public init(path: String, width: Int? = nil) throws {
    try FileUse.ofProgram.willRead([path])
    guard case .file(let size, _, _) = FileBytes.kind(of: path) else {
      // Reading it throws the message for what is there instead.
      _ = try FileBytes.read(path, limit: 0)
      throw InputError(source: path, problem: "is not a plain file")
    }
    let header = FileBytes.prefix(of: path, count: VecFile.headerLength)
    guard header.count == VecFile.headerLength else {
      throw InputError(
        source: path, problem: "is no .vec file", found: "\(size) bytes", expected: "a header of 12 bytes")
    }
    func int32(_ offset: Int) -> Int {
      Int(Int32(truncatingIfNeeded: (0..<4).reduce(UInt32(0)) { $0 | UInt32(header[offset + $1]) << (8 * UInt32($1)) }))
    }
    let declared = int32(0)
    let valueCount = int32(4)
    guard declared >= 0, (1...VecFile.valueLimit).contains(valueCount) else {
      throw InputError(
        source: path, problem: "is no .vec file", found: "\(declared) samples of \(valueCount) values",
        expected: "a count and a size that are positive")
    }
    let window = try VecFile.window(valueCount, width: width, path: path)
    let stride = 1 + 2 * valueCount
    let body = size - VecFile.headerLength
    let whole = min(declared, body / stride)
    guard whole >= 1 else {
      throw InputError(
        source: path, problem: "holds no sample", found: "\(size) bytes",
        expected: "12 + \(declared) x \(stride) bytes")
    }
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      throw InputError(source: path, problem: "cannot be opened", found: String(cString: strerror(errno)))
    }
    self.path = path
    descriptor = opened
    declaredCount = declared
    sampleSize = window
    sampleCount = whole
    strayByteCount = body - whole * stride
  }

  deinit { close(descriptor) }

  private static func window(_ valueCount: Int, width: Int?, path: String) throws -> PixelSize {
    if let width {
      guard width >= 1, valueCount % width == 0 else {
        throw InputError(
          source: path, field: "width", problem: "does not divide the samples", found: "\(width)",
          expected: "a divisor of \(valueCount), the values of a sample")
      }
      return PixelSize(width: width, height: valueCount / width)
    }
    let side = Int(Double(valueCount).squareRoot().rounded())
    guard side * side == valueCount else {
      throw InputError(
        source: path, problem: "has samples that are not square", found: "\(valueCount) values a sample",
        hint: "say the window's width: vec:\(path)?width=W")
    }
    return PixelSize(width: side, height: side)
  }

  /// One sample as a grey image.
  ///
  /// - Precondition: `index` is in `0..<sampleCount`.
  /// - Throws: `InputError` where the file cannot be read or a value is not in 0...255.
  public func sample(at index: Int) throws -> ByteImage {
    precondition((0..<sampleCount).contains(index))
    let valueCount = sampleSize.width * sampleSize.height
    let stride = 1 + 2 * valueCount
    let offset = VecFile.headerLength + index * stride
    var bytes = [UInt8](repeating: 0, count: stride)
    var filled = 0
    while filled < stride {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + filled, stride - filled, off_t(offset + filled))
      }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else {
        throw InputError(
          source: path, field: "sample \(index)", problem: "cannot be read",
          found: got < 0 ? String(cString: strerror(errno)) : "the end of the file")
      }
      filled += got
    }
    var pixels = [UInt8](repeating: 0, count: valueCount)
    for value in 0..<valueCount {
      guard bytes[2 + 2 * value] == 0 else {
        let found = Int16(bitPattern: UInt16(bytes[1 + 2 * value]) | UInt16(bytes[2 + 2 * value]) << 8)
        throw InputError(
          source: path, field: "sample \(index), value \(value)", problem: "is no grey level", found: "\(found)",
          expected: "0...255")
      }
      pixels[value] = bytes[1 + 2 * value]
    }
    return ByteImage(width: sampleSize.width, height: sampleSize.height, channelCount: 1, pixels: pixels)
  }
}

extension VecFile: Hashable {
  public static func == (a: VecFile, b: VecFile) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
