import Execution
import Foundation

extension ImageFile {
  /// The format that the first bytes tell.
  ///
  /// - Throws: `InputError` that names the other format where the bytes are of one that is known but not read.
  static func recognize(_ bytes: [UInt8], name: String) throws -> ImageFormat {
    if bytes.starts(with: PNGChunks.signature) { return .png }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.count >= 3, bytes[0] == UInt8(ascii: "P"), (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(bytes[1]),
      PNMHeader.isSpace(bytes[2]) || bytes[2] == UInt8(ascii: "#")
    {
      return .pnm
    }
    guard !bytes.isEmpty else {
      throw InputError(source: name, problem: "is empty", found: "0 bytes", expected: "a PNG, JPEG or PNM image")
    }
    throw InputError(
      source: name, problem: "is no image that can be read", found: describe(bytes),
      expected: "a PNG, JPEG or PNM image")
  }

  /// A warning where the suffix belongs to another format; unknown suffixes say nothing.
  static func suffixWarning(_ path: String, _ format: ImageFormat) -> String? {
    let suffix = (path as NSString).pathExtension.lowercased()
    let known = ["png", "gif", "bmp", "tif", "tiff", "webp"].contains(suffix) || Self.format(forSuffix: suffix) != nil
    guard known, Self.format(forSuffix: suffix) != format else { return nil }
    return "is named .\(suffix) but holds \(format.rawValue.uppercased())"
  }

  /// The format that a suffix (without the point, any case) stands for.
  public static func format(forSuffix suffix: String) -> ImageFormat? {
    switch suffix.lowercased() {
    case "png": .png
    case "jpg", "jpeg", "jpe", "jfif": .jpeg
    case "pnm", "pbm", "pgm", "ppm": .pnm
    default: nil
    }
  }

  /// Names what the bytes seem to be, for an error.
  private static func describe(_ bytes: [UInt8]) -> String {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: Array(text.utf8))
    }
    if has("GIF8") { return "a GIF image" }
    if has("BM") { return "a BMP image" }
    if has("II*\0") || has("MM\0*") { return "a TIFF image" }
    if has("RIFF") && has("WEBP", at: 8) { return "a WebP image" }
    if has("ftyp", at: 4) { return "a HEIF, AVIF or video file" }
    if has("P7") { return "a PAM image" }
    if has("<?xml") || has("<svg") { return "an XML or SVG document" }
    let shown = bytes.prefix(8).map { String(format: "%02x", $0) }.joined(separator: " ")
    return "\(bytes.count < 64 ? "\(bytes.count) bytes that begin" : "bytes that begin") \(shown)"
  }
}
