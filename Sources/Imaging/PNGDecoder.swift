import CPNG
import Execution
import Geometry

/// PNG of every colour type and depth through libpng's simplified reader.
enum PNGDecoder {
  static func decode(_ bytes: [UInt8], name: String, options: ImageReadOptions) throws -> DecodedImage {
    let chunks = try PNGChunks(bytes, name: name)
    try ImageHeader.check(width: chunks.width, height: chunks.height, name: name, options: options)
    let stream = chunks.withoutAncillary(bytes)
    var reader = png_image()
    reader.version = png_uint_32(PNG_IMAGE_VERSION)
    defer { png_image_free(&reader) }
    let pixels = stream.withUnsafeBytes { raw -> Pixels? in
      guard png_image_begin_read_from_memory(&reader, raw.baseAddress, raw.count) != 0 else { return nil }
      // The header was checked against the limit by this module's own parser: both must mean the same image.
      guard Int(reader.width) == chunks.width && Int(reader.height) == chunks.height else { return nil }
      return chunks.bitDepth == 16 ? readWords(&reader, options.background) : readBytes(&reader, options.background)
    }
    if pixels == nil, max(chunks.width, chunks.height) > sideLimit {
      throw InputError(
        source: name, problem: "is longer on a side than libpng reads", found: "\(chunks.width) x \(chunks.height)",
        expected: "at most \(sideLimit) pixels a side", hint: "cut the image into parts, or store it as a PNM")
    }
    guard let pixels else {
      throw InputError(
        source: name, problem: chunks.isWhole ? "is a broken PNG" : "is a PNG that is cut short",
        found: chunks.isWhole ? message(reader) : "\(bytes.count) bytes, then the end of the file (\(message(reader)))",
        expected: "\(chunks.width) x \(chunks.height) pixels")
    }
    var warnings: [String] = []
    if reader.warning_or_error & 3 == 1 { warnings.append("libpng: \(message(reader))") }
    if !chunks.isWhole { warnings.append("the closing IEND chunk is missing; all pixels were read") }
    return DecodedImage(
      image: ByteImage(
        width: chunks.width, height: chunks.height, channelCount: pixels.channelCount, pixels: pixels.values),
      orientation: chunks.orientation, format: .png, bitDepth: chunks.bitDepth, hasAlpha: pixels.hasAlpha,
      warnings: warnings)
  }

  /// libpng's own limit of a side (PNG_USER_WIDTH_MAX), which its simplified reader offers no way to raise.
  private static let sideLimit = 1_000_000

  private struct Pixels {
    var values: [UInt8]
    var channelCount: Int
    var hasAlpha: Bool
  }

  private static let alphaFlag: png_uint_32 = 1
  private static let colorFlag: png_uint_32 = 2
  private static let wordFlag: png_uint_32 = 4

  /// Files of up to 8 bits: libpng expands palettes and small depths; transparency stays apart and is composited here.
  private static func readBytes(_ reader: inout png_image, _ background: UInt8) -> Pixels? {
    let hasAlpha = reader.format & alphaFlag != 0
    let channelCount = reader.format & colorFlag != 0 ? 3 : 1
    reader.format = (channelCount == 3 ? colorFlag : 0) | (hasAlpha ? alphaFlag : 0)
    let rowValues = Int(reader.width) * (channelCount + (hasAlpha ? 1 : 0))
    guard let stored = finish(&reader, rowValues: rowValues, as: UInt8.self) else { return nil }
    return Pixels(
      values: hasAlpha ? composite(stored, channelCount: channelCount, over: background) : stored,
      channelCount: channelCount, hasAlpha: hasAlpha)
  }

  /// Files of 16 bits, read as words and rounded here.
  ///
  /// libpng takes words for linear light and, asked for words, leaves them as they are. Asked for bytes it would apply
  /// the sRGB curve, and releases with a certain fix of that path mix up the rows of interlaced files
  /// (pnggroup/libpng issue 853). Words with transparency come multiplied by it.
  private static func readWords(_ reader: inout png_image, _ background: UInt8) -> Pixels? {
    let hasAlpha = reader.format & alphaFlag != 0
    let channelCount = reader.format & colorFlag != 0 ? 3 : 1
    reader.format = wordFlag | (channelCount == 3 ? colorFlag : 0) | (hasAlpha ? alphaFlag : 0)
    let stride = channelCount + (hasAlpha ? 1 : 0)
    let pixelCount = Int(reader.width) * Int(reader.height)
    guard let words = finish(&reader, rowValues: Int(reader.width) * stride, as: UInt16.self) else { return nil }
    let back = UInt32(background)
    let values = [UInt8](unsafeUninitializedCapacity: pixelCount * channelCount) { buffer, filled in
      filled = pixelCount * channelCount
      words.withUnsafeBufferPointer { p in
        for i in 0..<pixelCount {
          let through = hasAlpha ? (65535 - UInt32(p[i * stride + channelCount])) * back / 255 : 0
          for c in 0..<channelCount {
            let word = min(UInt32(p[i * stride + c]) + through, 65535)
            buffer[i * channelCount + c] = UInt8(truncatingIfNeeded: (word + 128) / 257)
          }
        }
      }
    }
    return Pixels(values: values, channelCount: channelCount, hasAlpha: hasAlpha)
  }

  /// Decodes all rows; a row stride counts values, not bytes.
  private static func finish<Value: FixedWidthInteger>(
    _ reader: inout png_image, rowValues: Int, as type: Value.Type
  ) -> [Value]? {
    let count = rowValues * Int(reader.height)
    guard let stride = png_int_32(exactly: rowValues) else { return nil }
    let values = [Value](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = png_image_finish_read(&reader, nil, buffer.baseAddress, stride, nil) != 0 ? count : 0
    }
    return values.isEmpty ? nil : values
  }

  /// `background + alpha (value - background)` on the stored values, rounded; the alpha channel is dropped.
  ///
  /// libpng would do this in linear light, which no other reader of training sets does.
  private static func composite(_ pixels: [UInt8], channelCount: Int, over background: UInt8) -> [UInt8] {
    let count = pixels.count / (channelCount + 1)
    return [UInt8](unsafeUninitializedCapacity: count * channelCount) { buffer, filled in
      filled = count * channelCount
      let back = Int32(background)
      pixels.withUnsafeBufferPointer { source in
        var p = source.baseAddress!
        var q = buffer.baseAddress!
        for _ in 0..<count {
          let alpha = Int32(p[channelCount])
          for c in 0..<channelCount {
            q[c] = UInt8(truncatingIfNeeded: (Int32(p[c]) * alpha + back * (255 - alpha) + 127) / 255)
          }
          p += channelCount + 1
          q += channelCount
        }
      }
    }
  }

  /// libpng's message for the last error or warning.
  static func message(_ image: png_image) -> String {
    let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return text.isEmpty ? "no reason given" : text
  }
}
