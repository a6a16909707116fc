import Execution
import Geometry
import Imaging

/// Where the pixels of one image are. Nothing is opened until they are asked for.
public enum ImageSource: Hashable, Sendable {
  /// A file of its own.
  case file(path: String)
  /// Sample `index` of an OpenCV `.vec` file.
  case vecSample(file: VecFile, index: Int)

  /// The image's own file, where it has one.
  public var filePath: String? {
    if case .file(let path) = self { return path }
    return nil
  }

  /// Reads and decodes the image; EXIF orientation is applied unless the options say otherwise.
  /// - Throws: `InputError` with the path and what is wrong.
  public func read(options: ImageReadOptions = ImageReadOptions()) throws -> ByteImage {
    try readWithWarnings(options: options).image
  }

  /// As `read`, with what is not quite right with the file (a truncated JPEG, a wrong suffix).
  public func readWithWarnings(
    options: ImageReadOptions = ImageReadOptions()
  ) throws -> (image: ByteImage, warnings: [String]) {
    switch self {
    case .file(let path):
      let decoded = try ImageFile.read(path, options: options)
      return (decoded.image, decoded.warnings)
    case .vecSample(let file, let index):
      return (try file.sample(at: index), [])
    }
  }

  /// The upright size, from the header alone.
  /// - Throws: as `read`; a fault beyond the header is not seen.
  public func size(options: ImageReadOptions = ImageReadOptions()) throws -> PixelSize {
    switch self {
    case .file(let path): try ImageFile.size(path, options: options)
    case .vecSample(let file, _): file.sampleSize
    }
  }
}
