import Geometry

/// An image at the sizes of a `PyramidScales`, each made from the original when it is asked for.
///
/// No level is kept: memory is that of the levels in hand. Levels are made from the original rather than from one
/// another, so an error does not build up, and any one can be had without the others.
public struct ImagePyramid: Sendable {
  public let image: ByteImage
  public let scales: PyramidScales
  public let method: ResizeMethod

  /// - Precondition: the scales are for an image of this size.
  public init(_ image: ByteImage, scales: PyramidScales, method: ResizeMethod = .bilinear) {
    precondition(image.size == scales.imageSize, "scales for \(scales.imageSize), image of \(image.size)")
    self.image = image
    self.scales = scales
    self.method = method
  }

  public var count: Int { scales.levels.count }

  /// The image at level `index`; the original itself where the level has its size.
  public func level(_ index: Int) -> ByteImage {
    image.resized(to: scales.levels[index].size, method: method)
  }
}
