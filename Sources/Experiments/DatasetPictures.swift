import DatasetReaders
import Evaluation
import Foundation
import Geometry
import Imaging

/// Pictures of a page's galleries, cut from a data set's images.
public struct DatasetPictures: GalleryImageProvider {
  private let sources: [String: ImageSource]

  public init(_ dataset: Dataset) {
    sources = Dictionary(
      zip(dataset.images.lazy.map(\.name), dataset.sources), uniquingKeysWith: { first, _ in first })
  }

  /// The region as JPEG, border pixels repeated; `nil` where the image cannot be read, or the region is far outside it.
  public func picture(of region: Box, in image: AnnotatedImage, side: Int) -> Data? {
    guard let source = sources[image.name], let pixels = try? source.read(), pixels.width > 0, pixels.height > 0,
      region.isFinite, !region.isEmpty, Box(pixels.size).intersectionArea(region) > 0, region.width < 1e6,
      region.height < 1e6
    else { return nil }
    return try? ImageFile.encodeJPEG(pixels.crop(region, to: PixelSize(width: side, height: side)), quality: 80)
  }
}
