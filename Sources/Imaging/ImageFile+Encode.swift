import CPNG
import CTurboJPEG
import Execution
import Foundation

extension ImageFile {
  /// Writes an image in the format that the path's suffix names, whole or not at all.
  ///
  /// - Parameter quality: of JPEG, 1...100; other formats keep every value.
  /// - Throws: `InputError` where the suffix is unknown, the image has no pixels, or the file cannot be written.
  public static func write(_ image: ByteImage, to path: String, quality: Int = 90) throws {
    let suffix = (path as NSString).pathExtension
    guard let format = format(forSuffix: suffix) else {
      throw InputError(
        source: path, problem: "cannot be written as an image", found: suffix.isEmpty ? "no suffix" : ".\(suffix)",
        expected: ".png, .jpg, .jpeg, .ppm, .pgm or .pnm")
    }
    let data =
      switch format {
      case .png: try encodePNG(image, name: path)
      case .jpeg: try encodeJPEG(image, quality: quality, name: path)
      case .pnm: try encodePNM(image, suffix: suffix, name: path)
      }
    try AtomicFile.write(data, to: path)
  }

  /// PNG bytes: 8 bits, grey or RGB.
  ///
  /// - Parameter name: what errors call the image.
  /// - Throws: `InputError` where the image has no pixels or is too large for PNG.
  public static func encodePNG(_ image: ByteImage, name: String = "PNG image") throws -> Data {
    try checkEncodable(image, limit: 1_000_000, name: name)
    var writer = png_image()
    writer.version = png_uint_32(PNG_IMAGE_VERSION)
    writer.width = png_uint_32(image.width)
    writer.height = png_uint_32(image.height)
    writer.format = image.channelCount == 3 ? 2 : 0
    defer { png_image_free(&writer) }
    let raw = image.height * (image.width * image.channelCount + 1)
    // What deflate makes of noise: stored blocks, plus the frames of IDAT chunks.
    var capacity = raw + raw / 64 + 4096
    var bytes: [UInt8] = []
    for _ in 0..<2 {
      var size = png_alloc_size_t(capacity)
      bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
        let isDone =
          png_image_write_to_memory(
            &writer, buffer.baseAddress, &size, 0, image.pixels, png_int_32(image.width * image.channelCount), nil)
          != 0
        filled = isDone ? Int(size) : 0
      }
      if !bytes.isEmpty || Int(size) <= capacity { break }
      capacity = Int(size)
    }
    guard !bytes.isEmpty else {
      throw InputError(source: name, problem: "cannot be encoded as PNG", found: PNGDecoder.message(writer))
    }
    return Data(bytes)
  }

  /// JPEG bytes: baseline, grey or YCbCr with halved colour (4:2:0; 4:4:4 from quality 95 on).
  ///
  /// - Parameter quality: 1...100.
  /// - Throws: `InputError` where the image has no pixels or a side is over 65500.
  public static func encodeJPEG(_ image: ByteImage, quality: Int = 90, name: String = "JPEG image") throws -> Data {
    precondition((1...100).contains(quality), "JPEG quality is 1...100, got \(quality)")
    try checkEncodable(image, limit: 65500, name: name)
    guard let encoder = tjInitCompress() else {
      throw InputError(source: name, problem: "cannot be encoded", found: "no memory for the JPEG encoder")
    }
    defer { tjDestroy(encoder) }
    var encoded: UnsafeMutablePointer<UInt8>?
    var size: UInt = 0
    defer { tjFree(encoded) }
    let isGrey = image.channelCount == 1
    let sampling = isGrey ? TJSAMP_GRAY : quality >= 95 ? TJSAMP_444 : TJSAMP_420
    let status = tjCompress2(
      encoder, image.pixels, Int32(image.width), Int32(image.width * image.channelCount), Int32(image.height),
      Int32((isGrey ? TJPF_GRAY : TJPF_RGB).rawValue), &encoded, &size, Int32(sampling.rawValue), Int32(quality), 0)
    guard status == 0, let encoded else {
      throw InputError(
        source: name, problem: "cannot be encoded as JPEG", found: String(cString: tjGetErrorStr2(encoder)))
    }
    return Data(bytes: encoded, count: Int(size))
  }

  /// Binary PGM or PPM bytes, as the number of channels asks; a `.ppm` is always RGB, a `.pgm` always grey.
  private static func encodePNM(_ image: ByteImage, suffix: String, name: String) throws -> Data {
    try checkEncodable(image, limit: Int.max, name: name)
    guard suffix.lowercased() != "pbm" else {
      throw InputError(
        source: name, problem: "cannot be written as an image", found: ".pbm (bits only)", expected: ".pgm or .ppm")
    }
    let stored =
      switch suffix.lowercased() {
      case "ppm": image.rgb()
      case "pgm": image.grey()
      default: image
      }
    return Data("P\(stored.channelCount == 1 ? 5 : 6)\n\(stored.width) \(stored.height)\n255\n".utf8)
      + Data(stored.pixels)
  }

  private static func checkEncodable(_ image: ByteImage, limit: Int, name: String) throws {
    guard image.width > 0 && image.height > 0 else {
      throw InputError(
        source: name, problem: "cannot be written", found: "an image of \(image.width) x \(image.height)",
        expected: "at least one pixel")
    }
    guard max(image.width, image.height) <= limit else {
      throw InputError(
        source: name, problem: "is too large for its format", found: "\(image.width) x \(image.height)",
        expected: "sides of at most \(limit)")
    }
  }
}
