import Execution
import Geometry

/// The chunks of a PNG file (ISO/IEC 15948, section 5.3), walked without decoding.
struct PNGChunks {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  var width = 0
  var height = 0
  var bitDepth = 0
  var colorType = 0
  var orientation: Orientation = .up
  /// Whether the closing chunk was reached.
  var isWhole = false
  private var hasOrientation = false
  /// Ranges of the file that bear on the sample values: IHDR, PLTE, tRNS, IDAT, IEND and unknown critical chunks.
  private var kept: [Range<Int>] = []
  private var drops = false

  /// - Throws: `InputError` where the header chunk is missing or cut.
  init(_ bytes: [UInt8], name: String) throws {
    var offset = PNGChunks.signature.count
    bytes.withUnsafeBufferPointer { p in
      while offset + 8 <= p.count {
        let length = PNGChunks.word(p, offset)
        let type = PNGChunks.word(p, offset + 4)
        let body = offset + 8
        let end = min(body + length + 4, p.count)
        if type == PNGChunks.code("IHDR") && body + 13 <= p.count && width == 0 {
          width = PNGChunks.word(p, body)
          height = PNGChunks.word(p, body + 4)
          bitDepth = Int(p[body + 8])
          colorType = Int(p[body + 9])
        } else if type == PNGChunks.code("eXIf") && body + length <= p.count && !hasOrientation {
          hasOrientation = true
          orientation = EXIFOrientation.parse(UnsafeBufferPointer(rebasing: p[body..<body + length])) ?? .up
        }
        let isAncillary = p[offset + 4] & 0x20 != 0
        if isAncillary && type != PNGChunks.code("tRNS") { drops = true } else { kept.append(offset..<end) }
        offset = end
        if type == PNGChunks.code("IEND") {
          isWhole = true
          break
        }
      }
    }
    guard width > 0 && height > 0 else {
      throw InputError(
        source: name, problem: "is a broken PNG", found: "\(bytes.count) bytes without a usable IHDR chunk",
        expected: "a header with a width and a height")
    }
  }

  var imageHeader: ImageHeader {
    ImageHeader(
      size: PixelSize(width: width, height: height), orientation: orientation, isComplete: isWhole || hasOrientation)
  }

  /// The file without the chunks that state gamma, colours of the screen, text and time.
  ///
  /// libpng's simplified reader would apply gamma chunks; without them, samples come out as stored.
  func withoutAncillary(_ bytes: [UInt8]) -> [UInt8] {
    guard drops else { return bytes }
    var result = PNGChunks.signature
    result.reserveCapacity(kept.reduce(8) { $0 + $1.count })
    for range in kept { result += bytes[range] }
    return result
  }

  private static func word(_ p: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Int {
    Int(p[offset]) << 24 | Int(p[offset + 1]) << 16 | Int(p[offset + 2]) << 8 | Int(p[offset + 3])
  }

  private static func code(_ name: StaticString) -> Int {
    let p = name.utf8Start
    return Int(p[0]) << 24 | Int(p[1]) << 16 | Int(p[2]) << 8 | Int(p[3])
  }
}
