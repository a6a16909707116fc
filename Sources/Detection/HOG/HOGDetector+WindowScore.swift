import Geometry
import Imaging

extension HOGDetector {
  /// The best score that a component gives to the window around one known object: the positive side of the window protocol.
  ///
  /// The window is placed so that its object region is the box, brought to the region's shape, and is cut as training cuts
  /// it.
  /// - Parameter mapping: how a box of another shape is brought to the region's.
  /// - Precondition: the box and the image have an area.
  public func score(
    of object: Box, in image: ByteImage, mapping: HOGTrainerOptions.BoxMapping = .height
  ) -> Double {
    precondition(object.isFinite && !object.isEmpty && image.width > 0 && image.height > 0)
    let octaves = ImageOctaves(colour == .grey ? image.grey() : image, smallest: PixelSize(width: 16, height: 16))
    let cutter = WindowCutter(features: features)
    return components.map { component in
      let shaped = WindowCutter.shaped(object, to: component.objectSize, by: mapping)
      let values = cutter.descriptor(
        octaves, window: WindowCutter.window(ofObject: shaped, region: component.objectRegion),
        size: component.windowSize)
      return zip(values, component.weights).reduce(Double(component.bias)) { $0 + Double($1.0) * Double($1.1) }
    }.max() ?? -.infinity
  }
}
