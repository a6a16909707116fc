import Execution
import Features
import Geometry
import Imaging

/// Cuts single windows from an image and takes their features as a scan would find them there.
struct WindowCutter: Sendable {
  let features: HOGFeatures

  /// Cells around a window that its features depend on: blocks look as far beyond their border as gradients reach; a
  /// Felzenszwalb cell is normalised by its neighbours, to whose votes the pixels half a cell further on contribute.
  private var marginCells: Int {
    switch features {
    case .dalalTriggs(let hog): WindowCutter.cells(hog.reach, of: hog.blockStride)
    case .dalalTriggsStack(let stack):
      WindowCutter.cells(stack.layers.map(\.reach).max() ?? 1, of: features.cellSize)
    case .felzenszwalb, .felzenszwalbWithPatterns: 2
    }
  }

  private static func cells(_ pixels: Int, of size: Int) -> Int { (pixels + size - 1) / size }

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
  ///   - appearance: how the cut is turned and made worse.
  ///   - pivot: about what the window is turned; `nil` is its own centre.
  ///   - noise: where the noise is drawn from.
  func descriptor(
    _ octaves: ImageOctaves, window: Box, size: PixelSize, mirrored: Bool = false,
    appearance: SampleAppearance = SampleAppearance(), pivot: Point? = nil, noise: RandomStream? = nil
  ) -> [Float] {
    let margin = marginCells * features.cellSize
    let grownSize = PixelSize(width: size.width + 2 * margin, height: size.height + 2 * margin)
    let grown = Box(
      center: window.center, width: window.width * Double(grownSize.width) / Double(size.width),
      height: window.height * Double(grownSize.height) / Double(size.height))
    let cutSize =
      appearance.resolution == 1
      ? grownSize
      : PixelSize(
        width: max(1, Int((Double(grownSize.width) * appearance.resolution).rounded())),
        height: max(1, Int((Double(grownSize.height) * appearance.resolution).rounded())))
    var cut =
      appearance.rotation == 0
      ? octaves.window(grown, size: cutSize)
      : octaves.window(grown, size: cutSize, rotation: appearance.rotation, pivot: pivot ?? grown.center)
    if appearance.contrast != 1 || appearance.noise > 0 {
      var random = noise ?? RandomStream(seed: 0)
      cut = cut.degraded(contrast: appearance.contrast, noise: appearance.noise, using: &random)
    }
    if cutSize != grownSize { cut = cut.resized(to: grownSize, method: .bilinear) }
    let map = features.map(of: mirrored ? cut.mirrored() : cut)
    let places = features.windowMapSize(size)
    return map.part(row: marginCells, column: marginCells, rows: places.rows, columns: places.columns)
  }
}

extension ByteImage {
  /// The image with its contrast about mid-grey multiplied and Gaussian noise added, each sample by itself.
  func degraded(contrast: Double, noise: Double, using random: inout RandomStream) -> ByteImage {
    let changed = pixels.map { value -> UInt8 in
      let level = 127.5 + (Double(value) - 127.5) * contrast + (noise > 0 ? noise * random.gaussian() : 0)
      return UInt8(max(0, min(255, level.rounded())))
    }
    return ByteImage(width: width, height: height, channelCount: channelCount, pixels: changed)
  }
}
