import Features
import Geometry
import Imaging

/// Cuts single windows from an image and takes their features as a scan would find them there.
struct WindowCutter: Sendable {
  let features: HOGFeatures

  /// Cells around a window that its features depend on: blocks look one pixel beyond their border; a Felzenszwalb cell is
  /// normalised by its neighbours, to whose votes the pixels half a cell further on contribute.
  private var marginCells: Int {
    switch features {
    case .dalalTriggs: 1
    case .felzenszwalb: 2
    }
  }

  /// The box of the window whose object region (in fractions of the window) is `object`.
  static func window(ofObject object: Box, region: Box) -> Box {
    let width = object.width / region.width
    let height = object.height / region.height
    return Box(x: object.x - region.x * width, y: object.y - region.y * height, width: width, height: height)
  }

  /// A box brought to the shape of another size about its centre, its height kept or its width or area.
  static func shaped(_ box: Box, to size: (width: Double, height: Double), by mapping: HOGTrainerOptions.BoxMapping)
    -> Box
  {
    let scale =
      switch mapping {
      case .height: box.height / size.height
      case .width: box.width / size.width
      case .area: (box.area / (size.width * size.height)).squareRoot()
      }
    return Box(center: box.center, width: size.width * scale, height: size.height * scale)
  }

  /// The features of a window, without padding between places: channel fastest, then column, then row.
  ///
  /// - Parameters:
  ///   - window: in pixels of the full image; outside it the border is repeated.
  ///   - size: the detection window's.
  ///   - mirrored: take the window's mirror image.
  func descriptor(_ octaves: ImageOctaves, window: Box, size: PixelSize, mirrored: Bool = false) -> [Float] {
    let margin = marginCells * features.cellSize
    let grownSize = PixelSize(width: size.width + 2 * margin, height: size.height + 2 * margin)
    let grown = Box(
      center: window.center, width: window.width * Double(grownSize.width) / Double(size.width),
      height: window.height * Double(grownSize.height) / Double(size.height))
    let cut = octaves.window(grown, size: grownSize)
    let map = features.map(of: mirrored ? cut.mirrored() : cut)
    let places = features.windowMapSize(size)
    return map.part(row: marginCells, column: marginCells, rows: places.rows, columns: places.columns)
  }
}
