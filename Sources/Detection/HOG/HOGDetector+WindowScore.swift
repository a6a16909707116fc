import Features
import Geometry
import Imaging

extension HOGDetector {
  /// The best score that a component gives to the window around one known object: the positive side of the window protocol.
  ///
  /// The window is cut as training cuts it: placed so that its object region has the box's centre and height, resampled to
  /// the window's size, with its neighbourhood for the gradients at its border.
  public func score(of object: Box, in image: ByteImage) -> Double {
    precondition(object.isFinite && !object.isEmpty, "an object has an area")
    let source = colour == .grey ? image.grey() : image
    let margin = features.cellSize
    var best = -Double.infinity
    for component in components {
      let scale = object.height / (component.objectRegion.height * Double(component.windowSize.height))
      let size = component.windowSize
      let width = Double(size.width) * scale
      let height = Double(size.height) * scale
      let window = Box(
        center: Point(
          x: object.center.x + (0.5 - component.objectRegion.center.x) * width,
          y: object.center.y + (0.5 - component.objectRegion.center.y) * height),
        width: width + 2 * Double(margin) * scale, height: height + 2 * Double(margin) * scale)
      let cut = source.crop(
        window, to: PixelSize(width: size.width + 2 * margin, height: size.height + 2 * margin))
      let map = features.map(of: cut)
      let values = map.part(row: 1, column: 1, rows: component.rows, columns: component.columns)
      let score = zip(values, component.weights).reduce(Double(component.bias)) { $0 + Double($1.0) * Double($1.1) }
      best = max(best, score)
    }
    return best
  }
}
