import DatasetReaders
import Detection
import Execution
import Geometry
import Imaging

/// A data set as detector training wants it.
public struct DatasetTrainingSource: TrainingImageSource {
  public let dataset: Dataset
  private let imageOptions: ImageReadOptions
  private let uses: [AnnotatedSource.Use]

  /// - Parameter uses: how each image is used, in the set's order; `nil` takes all in the same way.
  /// - Precondition: there is one for each image.
  public init(
    _ dataset: Dataset, uses: [AnnotatedSource.Use]? = nil, imageOptions: ImageReadOptions = ImageReadOptions()
  ) {
    precondition(uses.map { $0.count == dataset.images.count } ?? true)
    self.dataset = dataset
    self.uses = uses ?? Array(repeating: AnnotatedSource.Use(), count: dataset.images.count)
    self.imageOptions = imageOptions
  }

  public var count: Int { dataset.images.count }

  public func name(at index: Int) -> String { dataset.images[index].name }

  public func group(at index: Int) -> String { dataset.group(at: index) }

  public func annotations(at index: Int) -> [Annotation] { dataset.images[index].annotations }

  /// How the image is used.
  func use(at index: Int) -> AnnotatedSource.Use { uses[index] }

  public func copies(at index: Int) -> Int? { uses[index].copies }

  public func allowsNegatives(at index: Int) -> Bool { uses[index].mines ?? true }

  public func origin(at index: Int) -> FileLine? { dataset.images[index].origin }

  public func image(at index: Int) throws -> ByteImage { try dataset.image(at: index, options: imageOptions) }

  public func photo(at index: Int) throws -> TrainingPhoto {
    guard let path = dataset.sources[index].filePath else { return TrainingPhoto(try image(at: index)) }
    let decoded = try ImageFile.read(path, options: imageOptions)
    return TrainingPhoto(
      decoded.image, damage: decoded.isDamaged ? decoded.warnings.joined(separator: "; ") : nil)
  }
}
