import DatasetReaders
import Detection
import Execution
import Geometry
import Imaging

/// A data set as detector training wants it.
public struct DatasetTrainingSource: TrainingImageSource {
  public let dataset: Dataset
  private let imageOptions: ImageReadOptions

  public init(_ dataset: Dataset, imageOptions: ImageReadOptions = ImageReadOptions()) {
    self.dataset = dataset
    self.imageOptions = imageOptions
  }

  public var count: Int { dataset.images.count }

  public func name(at index: Int) -> String { dataset.images[index].name }

  public func group(at index: Int) -> String { dataset.group(at: index) }

  public func annotations(at index: Int) -> [Annotation] { dataset.images[index].annotations }

  public func image(at index: Int) throws -> ByteImage { try dataset.image(at: index, options: imageOptions) }
}
