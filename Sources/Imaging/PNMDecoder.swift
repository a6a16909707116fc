import Execution
import Geometry

/// Portable bit, grey and pixel maps, text and binary, 8 and 16 bits. Of several images in one file the first is read.
enum PNMDecoder {
  static func decode(_ bytes: [UInt8], name: String, options: ImageReadOptions) throws -> DecodedImage {
    let header = try PNMHeader(bytes, name: name)
    try ImageHeader.check(width: header.width, height: header.height, name: name, options: options)
    let pixels = try header.isText ? readText(bytes, header, name) : readBinary(bytes, header, name)
    return DecodedImage(
      image: ByteImage(
        width: header.width, height: header.height, channelCount: header.channelCount, pixels: pixels),
      orientation: .up, format: .pnm, bitDepth: header.isBitMap ? 1 : header.maximum > 255 ? 16 : 8,
      hasAlpha: false, warnings: [])
  }

  /// The byte for each sample value: `value * 255 / maximum`, rounded.
  private static func scaleTable(_ header: PNMHeader) -> [UInt8] {
    if header.isBitMap { return [255, 0] }
    return (0...header.maximum).map { UInt8((2 * $0 * 255 + header.maximum) / (2 * header.maximum)) }
  }

  private static func readText(_ bytes: [UInt8], _ header: PNMHeader, _ name: String) throws -> [UInt8] {
    let count = header.width * header.height * header.channelCount
    // Each sample takes a digit, and all but those of a bit map a space: a short file is known before memory is taken.
    let least = header.isBitMap ? count : 2 * count - 1
    guard bytes.count - header.bodyOffset >= least else {
      throw cutShort(name, found: bytes.count - header.bodyOffset, expected: "at least \(least)")
    }
    let table = scaleTable(header)
    var fault: InputError?
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      bytes.withUnsafeBufferPointer { p in
        var at = header.bodyOffset
        while filled < count {
          PNMHeader.skipSpace(p, &at)
          let start = at
          var value = 0
          // All digits belong to the number, leading zeros too; beyond a million it is out of range anyway.
          while at < p.count, (48...57).contains(p[at]), !header.isBitMap || at == start {
            value = min(value * 10 + Int(p[at]) - 48, 1_000_000)
            at += 1
          }
          guard at > start && value < table.count else {
            fault = InputError(
              source: name, field: "sample \(filled)", problem: "is a broken PNM",
              found: at > start
                ? "\(value)" : at < p.count ? "byte \(p[at]) at offset \(at)" : "the end of the file",
              expected: "a number in 0...\(table.count - 1)")
            return
          }
          buffer[filled] = table[value]
          filled += 1
        }
      }
    }
    if let fault { throw fault }
    return pixels
  }

  private static func readBinary(_ bytes: [UInt8], _ header: PNMHeader, _ name: String) throws -> [UInt8] {
    let rowSamples = header.width * header.channelCount
    let sampleBytes = header.maximum > 255 ? 2 : 1
    let rowBytes = header.isBitMap ? (header.width + 7) / 8 : rowSamples * sampleBytes
    let needed = rowBytes * header.height
    guard bytes.count - header.bodyOffset >= needed else {
      throw cutShort(name, found: bytes.count - header.bodyOffset, expected: "\(needed)")
    }
    let table = scaleTable(header)
    var excess: (index: Int, value: Int)?
    let count = rowSamples * header.height
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = count
      bytes.withUnsafeBufferPointer { source in
        let body = source.baseAddress! + header.bodyOffset
        if header.isBitMap {
          for y in 0..<header.height {
            for x in 0..<header.width {
              buffer[y * header.width + x] = (body[y * rowBytes + x >> 3] << UInt8(x & 7)) & 0x80 == 0 ? 255 : 0
            }
          }
          return
        }
        for i in 0..<count {
          let value = sampleBytes == 1 ? Int(body[i]) : Int(body[2 * i]) << 8 | Int(body[2 * i + 1])
          if value >= table.count {
            if excess == nil { excess = (i, value) }
            buffer[i] = 255
          } else {
            buffer[i] = table[value]
          }
        }
      }
    }
    if let excess {
      throw InputError(
        source: name, field: "sample \(excess.index)", problem: "is above the header's maxval",
        found: "\(excess.value)", expected: "at most \(header.maximum)")
    }
    return pixels
  }

  private static func cutShort(_ name: String, found: Int, expected: String) -> InputError {
    InputError(
      source: name, problem: "is a PNM that is cut short", found: "\(found) bytes of samples", expected: expected)
  }
}
