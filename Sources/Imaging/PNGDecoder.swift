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
    let alphaFlag: png_uint_32 = 1
    let colorFlag: png_uint_32 = 2
    var channelCount = 1
    var hasAlpha = false
    var pixels: [UInt8] = []
    let isRead = stream.withUnsafeBytes { raw -> Bool in
      guard png_image_begin_read_from_memory(&reader, raw.baseAddress, raw.count) != 0 else { return false }
      // The header was checked against the limit by this module's own parser: both must mean the same image.
      guard Int(reader.width) == chunks.width && Int(reader.height) == chunks.height else { return false }
      hasAlpha = reader.format & alphaFlag != 0
      channelCount = reader.format & colorFlag != 0 ? 3 : 1
      reader.format = (channelCount == 3 ? colorFlag : 0) | (hasAlpha ? alphaFlag : 0)
      // Without this flag, 16-bit samples are taken as linear light and come out far too bright.
      reader.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)
      let stored = channelCount + (hasAlpha ? 1 : 0)
      let count = chunks.width * chunks.height * stored
      var isDone = false
      pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        isDone =
          png_image_finish_read(&reader, nil, buffer.baseAddress, png_int_32(chunks.width * stored), nil) != 0
        filled = isDone ? count : 0
      }
      return isDone
    }
    guard isRead else {
      throw InputError(
        source: name, problem: chunks.isWhole ? "is a broken PNG" : "is a PNG that is cut short",
        found: chunks.isWhole ? message(reader) : "\(bytes.count) bytes, then the end of the file (\(message(reader)))",
        expected: "\(chunks.width) x \(chunks.height) pixels")
    }
    var warnings: [String] = []
    if reader.warning_or_error & 3 == 1 { warnings.append("libpng: \(message(reader))") }
    if !chunks.isWhole { warnings.append("the closing IEND chunk is missing; all pixels were read") }
    if hasAlpha {
      pixels = composite(pixels, channelCount: channelCount, over: options.background)
    }
    return DecodedImage(
      image: ByteImage(
        width: chunks.width, height: chunks.height, channelCount: channelCount, pixels: pixels),
      orientation: chunks.orientation, format: .png, bitDepth: chunks.bitDepth, hasAlpha: hasAlpha, warnings: warnings)
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
