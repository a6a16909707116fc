import CTurboJPEG
import Execution
import Foundation
import Geometry

/// JPEG through TurboJPEG: baseline and progressive; grey, YCbCr, RGB, CMYK and YCCK.
enum JPEGDecoder {
  static func decode(_ bytes: [UInt8], name: String, options: ImageReadOptions) throws -> DecodedImage {
    let markers = try JPEGMarkers(bytes, name: name, stopsAtScan: false)
    try check(markers, byteCount: bytes.count, name: name, options: options)
    let (width, height) = (markers.width, markers.height)
    let isFourInks = markers.components.count == 4
    let isGrey = markers.components.count == 1
    let format = isFourInks ? TJPF_CMYK : isGrey ? TJPF_GRAY : TJPF_RGB
    let stored = isFourInks ? 4 : isGrey ? 1 : 3

    guard let decoder = tjInitDecompress() else {
      throw InputError(source: name, problem: "cannot be decoded", found: "no memory for the JPEG decoder")
    }
    defer { tjDestroy(decoder) }
    var failure: String?
    var warning: String?
    let count = width * height * stored
    var pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // Rows that a broken file leaves out must not show what the memory held before.
      buffer.update(repeating: 128)
      filled = count
      let status = tjDecompress2(
        decoder, bytes, UInt(bytes.count), buffer.baseAddress, Int32(width), Int32(width * stored), Int32(height),
        Int32(format.rawValue), Int32(TJFLAG_LIMITSCANS))
      guard status != 0 else { return }
      let text = String(cString: tjGetErrorStr2(decoder))
      if tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue) { warning = text } else { failure = text }
    }
    if let failure {
      throw InputError(
        source: name, problem: "is a broken JPEG", found: failure, expected: "\(width) x \(height) pixels")
    }

    var warnings: [String] = []
    var isDamaged = false
    if let warning {
      let lastRow = lastReadRow(pixels, rowBytes: width * stored, height: height)
      isDamaged = lastRow < height || !warning.contains(harmless)
      guard lastRow > 0 else {
        throw InputError(
          source: name, problem: "is a JPEG of which nothing can be read", found: warning,
          expected: "\(width) x \(height) pixels")
      }
      warnings.append(
        lastRow < height
          ? "is damaged or cut short: rows from about \(lastRow) of \(height) on are grey (\(warning))"
          : "is damaged or cut short: parts may be wrong or coarse (\(warning))")
    }
    let missing = markers.components.filter { !$0.isScanned }.count
    if missing > 0 {
      isDamaged = true
      warnings.append("\(missing) of \(markers.components.count) colour components have no data")
    }
    if isFourInks { pixels = convertInks(pixels, isInverted: markers.hasAdobe) }
    return DecodedImage(
      image: ByteImage(width: width, height: height, channelCount: isGrey ? 1 : 3, pixels: pixels),
      orientation: markers.orientation, format: .jpeg, bitDepth: markers.precision, hasAlpha: false,
      warnings: warnings, isDamaged: isDamaged)
  }

  /// What the decoder says of stray bytes between segments, which cost no pixel.
  private static let harmless = "extraneous bytes before marker"

  private static func check(
    _ markers: JPEGMarkers, byteCount: Int, name: String, options: ImageReadOptions
  ) throws {
    try ImageHeader.check(width: markers.width, height: markers.height, name: name, options: options)
    guard markers.isSupportedProcess && markers.precision == 8 else {
      throw InputError(
        source: name, problem: "is a JPEG of a kind that is not read",
        found: "\(markers.precision) bits\(markers.isSupportedProcess ? "" : ", lossless or hierarchical")",
        expected: "8 bits, baseline or progressive")
    }
    guard [1, 3, 4].contains(markers.components.count) else {
      throw InputError(
        source: name, problem: "is a JPEG of a kind that is not read",
        found: "\(markers.components.count) colour components", expected: "1, 3 or 4")
    }
    guard markers.hasScan && markers.scanBytes > 0 && markers.components.contains(where: \.isScanned) else {
      throw InputError(
        source: name, problem: "is a JPEG without image data", found: "\(byteCount) bytes: headers only",
        expected: "\(markers.width) x \(markers.height) pixels")
    }
  }

  /// The row below which all is the mid-grey that stands for blocks without data (127 in inks that went through YCCK);
  /// 0 where nothing was read.
  private static func lastReadRow(_ pixels: [UInt8], rowBytes: Int, height: Int) -> Int {
    pixels.withUnsafeBufferPointer { p in
      var row = height
      while row > 0 {
        let start = (row - 1) * rowBytes
        for i in start..<start + rowBytes where p[i] &- 127 > 1 { return row }
        row -= 1
      }
      return 0
    }
  }

  /// Cyan, magenta, yellow, black to red, green, blue: `(1 - ink)(1 - black)`, rounded.
  private static func convertInks(_ pixels: [UInt8], isInverted: Bool) -> [UInt8] {
    let count = pixels.count / 4
    let flip: UInt8 = isInverted ? 0 : 255
    return [UInt8](unsafeUninitializedCapacity: count * 3) { buffer, filled in
      filled = count * 3
      pixels.withUnsafeBufferPointer { source in
        var p = source.baseAddress!
        var q = buffer.baseAddress!
        for _ in 0..<count {
          let light = Int32(p[3] ^ flip)
          for c in 0..<3 { q[c] = UInt8(truncatingIfNeeded: (Int32(p[c] ^ flip) * light + 127) / 255) }
          p += 4
          q += 3
        }
      }
    }
  }
}
