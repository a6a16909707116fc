import Execution
import Geometry

/// The marker segments of a JPEG file (ITU-T T.81, annex B), walked without decoding.
struct JPEGMarkers {
  struct Component {
    var id: UInt8
    /// Whether some scan holds the component's mean values, without which nothing of it can be shown.
    var isScanned = false
  }

  var width = 0
  var height = 0
  var precision = 0
  var isProgressive = false
  /// Whether the frame is of a kind that is decoded: baseline, extended or progressive, Huffman or arithmetic.
  var isSupportedProcess = true
  var components: [Component] = []
  var hasFrame = false
  var hasScan = false
  /// Bytes of entropy-coded data in all scans.
  var scanBytes = 0
  /// Whether an Adobe APP14 segment is there: its CMYK samples are stored inverted.
  var hasAdobe = false
  var orientation: Orientation = .up
  private var hasEXIF = false

  init(_ bytes: [UInt8], name: String, stopsAtScan: Bool) throws {
    bytes.withUnsafeBufferPointer { walk($0, stopsAtScan: stopsAtScan) }
    guard hasFrame else {
      throw InputError(
        source: name, problem: "is a broken JPEG", found: "\(bytes.count) bytes without a frame header",
        expected: "a start-of-frame segment with the image's size")
    }
  }

  func imageHeader(name: String) throws -> ImageHeader {
    guard width > 0 && height > 0 else {
      throw InputError(
        source: name, problem: "has no pixels", found: "\(width) x \(height)", expected: "at least 1 x 1")
    }
    return ImageHeader(
      size: PixelSize(width: width, height: height), orientation: orientation, isComplete: hasScan)
  }

  private mutating func walk(_ p: UnsafeBufferPointer<UInt8>, stopsAtScan: Bool) {
    var offset = 2
    while true {
      while offset < p.count && p[offset] != 0xFF { offset += 1 }
      while offset < p.count && p[offset] == 0xFF { offset += 1 }
      guard offset < p.count else { return }
      let marker = p[offset]
      offset += 1
      switch marker {
      case 0x00, 0x01, 0xD0...0xD8: continue
      case 0xD9: return
      default: break
      }
      guard offset + 2 <= p.count else { return }
      let length = Int(p[offset]) << 8 | Int(p[offset + 1])
      guard length >= 2, offset + length <= p.count else { return }
      let segment = UnsafeBufferPointer(rebasing: p[offset + 2..<offset + length])
      offset += length
      switch marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: readFrame(marker, segment)
      case 0xE1: readEXIF(segment)
      case 0xEE: if segment.starts(with: Array("Adobe".utf8)) && segment.count >= 12 { hasAdobe = true }
      case 0xDA:
        readScan(segment)
        if stopsAtScan { return }
        offset = skipScan(p, from: offset)
      default: break
      }
    }
  }

  private mutating func readFrame(_ marker: UInt8, _ segment: UnsafeBufferPointer<UInt8>) {
    guard !hasFrame, segment.count >= 6, segment.count >= 6 + 3 * Int(segment[5]) else { return }
    hasFrame = true
    precision = Int(segment[0])
    height = Int(segment[1]) << 8 | Int(segment[2])
    width = Int(segment[3]) << 8 | Int(segment[4])
    components = (0..<Int(segment[5])).map { Component(id: segment[6 + 3 * $0]) }
    isProgressive = marker == 0xC2 || marker == 0xCA
    isSupportedProcess = [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(marker)
  }

  private mutating func readEXIF(_ segment: UnsafeBufferPointer<UInt8>) {
    guard !hasEXIF, segment.count > 6, segment.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) else { return }
    hasEXIF = true
    orientation = EXIFOrientation.parse(UnsafeBufferPointer(rebasing: segment[6...])) ?? .up
  }

  private mutating func readScan(_ segment: UnsafeBufferPointer<UInt8>) {
    hasScan = true
    guard let count = segment.first.map(Int.init), segment.count >= 1 + 2 * count + 3 else { return }
    guard !isProgressive || segment[1 + 2 * count] == 0 else { return }
    for k in 0..<count {
      for index in components.indices where components[index].id == segment[1 + 2 * k] {
        components[index].isScanned = true
      }
    }
  }

  /// Steps over entropy-coded data: up to a marker that is neither a stuffed zero nor a restart.
  private mutating func skipScan(_ p: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var offset = start
    while offset < p.count {
      if p[offset] == 0xFF {
        guard offset + 1 < p.count else { break }
        let next = p[offset + 1]
        if next != 0 && next != 0xFF && !(0xD0...0xD7).contains(next) { break }
        offset += next == 0xFF ? 1 : 2
      } else {
        offset += 1
      }
    }
    scanBytes += offset - start
    return offset
  }
}
