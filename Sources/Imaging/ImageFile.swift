import Execution
import Foundation
import Geometry

/// What may be read and how.
public struct ImageReadOptions: Hashable, Codable, Sendable {
  /// The most pixels (width times height) that an image may have. Checked against the header before memory is taken.
  public var pixelLimit: Int
  /// Whether the image is turned upright by its EXIF orientation.
  public var appliesOrientation: Bool
  /// The grey level, 0...255, that shows through where an image is transparent; 255 is white.
  public var background: UInt8
  /// What errors call the limit, so that a program can name its own option. No part of what is stored.
  public var pixelLimitName = "ImageReadOptions.pixelLimit"

  private enum CodingKeys: String, CodingKey {
    case pixelLimit, appliesOrientation, background
  }

  public init(pixelLimit: Int = 100_000_000, appliesOrientation: Bool = true, background: UInt8 = 255) {
    precondition(pixelLimit >= 1)
    self.pixelLimit = pixelLimit
    self.appliesOrientation = appliesOrientation
    self.background = background
  }
}

/// The file formats that can be read and written.
public enum ImageFormat: String, Hashable, Codable, Sendable, CaseIterable {
  case png
  case jpeg
  /// Portable bit, grey and pixel maps: P1 to P6.
  case pnm
}

/// An image with what its file says of it.
public struct DecodedImage: Hashable, Sendable {
  /// Upright, unless the options say otherwise: 1 channel for a grey file, 3 for any other.
  public var image: ByteImage
  /// The orientation as stored; `.up` where the file states none.
  public var orientation: Orientation
  public var format: ImageFormat
  /// Bits of a stored sample: 1, 2, 4, 8 or 16. Samples of other depths than 8 are scaled to 0...255.
  public var bitDepth: Int
  /// Whether the file had transparency; it has been composited over the background.
  public var hasAlpha: Bool
  /// What was amiss although the image could be read; each names no file.
  public var warnings: [String]
  /// Whether parts of it are not what was photographed: a file that was damaged or cut short, of which rows are of one grey,
  /// or all is there but coarse (progressive JPEG). A warning says which.
  public var isDamaged = false
}

/// Reads and writes image files: PNG, JPEG and PNM, told apart by content and never by the name's suffix.
///
/// Sample values are taken as they are stored: gamma, chromaticity and colour-profile chunks are not applied, as in
/// Pillow and OpenCV. CMYK and YCCK photos become RGB by the plain product `(1 - C)(1 - K)`, without a profile.
public enum ImageFile {
  /// Reads and decodes a file.
  ///
  /// A JPEG that is cut short gives its usable part and a warning; any other broken file is an error.
  /// - Throws: `InputError` with the path: no such file, not a regular file (a folder, pipe or device is not
  ///   read), empty, no known format, more pixels than `options.pixelLimit`, or broken.
  /// - Complexity: memory of the file (twice for a PNG with text or colour chunks) plus at most 11 bytes a pixel.
  public static func read(_ path: String, options: ImageReadOptions = ImageReadOptions()) throws -> DecodedImage {
    var file = try InputFile(path: path)
    let head = try file.prefix(64)
    let format = try recognize(head, name: path)
    let bytes = try file.all(limit: byteLimit(options), limitName: options.pixelLimitName)
    var decoded = try decode(bytes, as: format, name: path, options: options)
    if let warning = suffixWarning(path, format) { decoded.warnings.insert(warning, at: 0) }
    return decoded
  }

  /// Decodes a file's bytes.
  ///
  /// - Parameter name: what errors call the bytes.
  /// - Throws: as `read`.
  public static func decode(
    _ bytes: [UInt8], name: String, options: ImageReadOptions = ImageReadOptions()
  ) throws -> DecodedImage {
    try decode(bytes, as: recognize(bytes, name: name), name: name, options: options)
  }

  /// The upright size, from the header alone.
  ///
  /// The pixel limit is not applied: nothing is decoded. With `appliesOrientation` off it is the stored size.
  /// - Throws: as `read`; a fault beyond the header is not seen.
  public static func size(_ path: String, options: ImageReadOptions = ImageReadOptions()) throws -> PixelSize {
    var file = try InputFile(path: path)
    let head = try file.prefix(1 << 16)
    let format = try recognize(head, name: path)
    let header: ImageHeader
    if let found = try? self.header(head, as: format, name: path), found.isComplete {
      header = found
    } else {
      header = try self.header(
        file.all(limit: byteLimit(options), limitName: options.pixelLimitName), as: format, name: path)
    }
    return options.appliesOrientation && header.orientation.swapsAxes
      ? PixelSize(width: header.size.height, height: header.size.width) : header.size
  }

  private static func decode(
    _ bytes: [UInt8], as format: ImageFormat, name: String, options: ImageReadOptions
  ) throws -> DecodedImage {
    var decoded =
      switch format {
      case .png: try PNGDecoder.decode(bytes, name: name, options: options)
      case .jpeg: try JPEGDecoder.decode(bytes, name: name, options: options)
      case .pnm: try PNMDecoder.decode(bytes, name: name, options: options)
      }
    if options.appliesOrientation && decoded.orientation != .up {
      decoded.image = decoded.image.oriented(decoded.orientation)
    }
    return decoded
  }

  private static func header(_ bytes: [UInt8], as format: ImageFormat, name: String) throws -> ImageHeader {
    switch format {
    case .png: try PNGChunks(bytes, name: name).imageHeader
    case .jpeg: try JPEGMarkers(bytes, name: name, stopsAtScan: true).imageHeader(name: name)
    case .pnm: try PNMHeader(bytes, name: name).imageHeader
    }
  }

  /// A file cannot usefully hold more than this: 16-bit PNM in text takes at most 18 bytes a pixel.
  private static func byteLimit(_ options: ImageReadOptions) -> Int {
    let (bytes, overflow) = options.pixelLimit.multipliedReportingOverflow(by: 24)
    return overflow ? Int.max : max(bytes, bytes &+ (64 << 20))
  }
}

/// What a header tells.
struct ImageHeader {
  var size: PixelSize
  var orientation: Orientation
  /// Whether the bytes at hand surely hold all that bears on the size and the orientation.
  var isComplete: Bool

  /// Throws where the image has no pixels or more than the limit.
  static func check(width: Int, height: Int, name: String, options: ImageReadOptions) throws {
    guard width > 0 && height > 0 else {
      throw InputError(
        source: name, problem: "has no pixels", found: "\(width) x \(height)", expected: "at least 1 x 1")
    }
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow && pixels <= options.pixelLimit else {
      throw InputError(
        source: name, problem: "has more pixels than the limit",
        found: "\(width) x \(height)" + (overflow ? "" : " = \(pixels)"), expected: "at most \(options.pixelLimit)",
        hint: "raise the pixel limit (\(options.pixelLimitName)) if memory allows, or shrink the image")
    }
  }
}
