import Execution

/// Which files are images, by their suffix or their first bytes.
enum ImageNames {
  /// Suffixes of formats that Imaging decodes.
  static let readable: Set<String> = ["jpg", "jpeg", "jpe", "jfif", "png", "pnm", "pbm", "pgm", "ppm"]
  /// Suffixes of image formats that it does not.
  static let unreadable: Set<String> = [
    "gif", "bmp", "tif", "tiff", "webp", "heic", "heif", "avif", "jp2", "pcx", "tga", "svg", "psd", "raw",
  ]
  /// The suffixes that are tried, in this order, where a file is not there under the suffix of its annotation.
  static let substitutes = ["jpg", "png", "jpeg", "ppm", "pgm", "JPG", "PNG", "JPEG"]

  enum Kind { case readable, unsupported, other }

  /// By suffix; a file without a known suffix by its first bytes.
  static func kind(of path: String) -> Kind {
    let suffix = lowercasedSuffix(path)
    if readable.contains(suffix) { return .readable }
    if unreadable.contains(suffix) { return .unsupported }
    let head = FileBytes.prefix(of: path, count: 8)
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .readable }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .readable }
    if head.count >= 3, head[0] == UInt8(ascii: "P"), (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(head[1]),
      [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "#")].contains(head[2])
    {
      return .readable
    }
    return .other
  }

  /// The file at `path`, or one beside it of the same name with another image suffix (or with one, where `path` has none);
  /// `nil` where there is none.
  static func find(_ path: String) -> String? {
    if FileBytes.isFile(path) { return path }
    // What follows a dot is part of the name unless it is a suffix: "a.jpg 1 0 0 9 9" is not a.jpg.
    let stem = isImageSuffix(lowercasedSuffix(path)) ? withoutSuffix(path) : path
    return substitutes.lazy.map { "\(stem).\($0)" }.first { $0 != path && FileBytes.isFile($0) }
  }
}

extension ImageNames {
  static func isImageSuffix(_ suffix: String) -> Bool { readable.contains(suffix) || unreadable.contains(suffix) }
}
