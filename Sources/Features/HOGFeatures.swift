import Geometry
import Imaging

/// The HOG variant of a detector, with its options.
///
/// Whatever the variant, a detection window takes `windowMapSize` places of the map, and the window at map row `r` and
/// column `c` has its top left pixel at `(c * cellSize, r * cellSize)`, less the padding.
public enum HOGFeatures: Hashable, Sendable {
  case dalalTriggs(DalalTriggsHOG)
  case dalalTriggsStack(DalalTriggsStack)
  case felzenszwalb(FelzenszwalbHOG)
  case felzenszwalbWithPatterns(PatternedHOG)

  /// Whether there are gradients of colour differences, of which a grey image has none.
  public var needsColour: Bool {
    switch self {
    case .dalalTriggs(let hog): hog.colourDifference != nil
    case .dalalTriggsStack(let stack): stack.layers.contains { $0.colourDifference != nil }
    case .felzenszwalb, .felzenszwalbWithPatterns: false
    }
  }

  /// Pixels from one place of the map to the next: the block stride, or the cell's side.
  public var cellSize: Int {
    switch self {
    case .dalalTriggs(let hog): hog.blockStride
    case .dalalTriggsStack(let stack): stack.grid.blockStride
    case .felzenszwalb(let hog): hog.cellSize
    case .felzenszwalbWithPatterns(let hog): hog.cellSize
    }
  }

  public var channelCount: Int {
    switch self {
    case .dalalTriggs(let hog): hog.channelCount
    case .dalalTriggsStack(let stack): stack.channelCount
    case .felzenszwalb: FelzenszwalbHOG.channelCount
    case .felzenszwalbWithPatterns: PatternedHOG.channelCount
    }
  }

  /// Values of one place in memory.
  public var channelStride: Int {
    switch self {
    case .dalalTriggs(let hog): hog.channelStride
    case .dalalTriggsStack(let stack): stack.channelStride
    case .felzenszwalb: FelzenszwalbHOG.channelStride
    case .felzenszwalbWithPatterns: PatternedHOG.channelStride
    }
  }

  /// Side of the square of pixels that a place stands for, from its own top left pixel: a block, or a cell.
  public var placeExtent: Int {
    switch self {
    case .dalalTriggs(let hog): hog.blockSize
    case .dalalTriggsStack(let stack): stack.grid.blockSize
    case .felzenszwalb(let hog): hog.cellSize
    case .felzenszwalbWithPatterns(let hog): hog.cellSize
    }
  }

  /// The features of a whole image.
  ///
  /// - Parameters:
  ///   - image: grey or RGB, of any size.
  ///   - padding: places added on every side of the map, so that windows may reach over the border. Blocks
  ///     (Dalal-Triggs) are then taken from the image mirrored at its border; cells (Felzenszwalb, with patterns or without) are zeros.
  /// - Returns: a map of `mapSize(forImage:padding:)`; it may be empty.
  public func map(of image: ByteImage, padding: Int = 0) -> FeatureMap {
    var map = FeatureMap.empty
    fill(&map, with: image, padding: padding)
    return map
  }

  /// As `map(of:padding:)`, into the memory of an earlier map: fresh memory costs more than a map's computation on some
  /// machines, so a pyramid should use one map's memory for all its levels.
  public func fill(_ map: inout FeatureMap, with image: ByteImage, padding: Int = 0) {
    precondition(padding >= 0)
    switch self {
    case .dalalTriggs(let hog):
      let pixels = padding * hog.blockStride
      hog.fill(&map, with: image, padding: PixelSize(width: pixels, height: pixels))
    case .dalalTriggsStack(let stack):
      let pixels = padding * stack.grid.blockStride
      stack.fill(&map, with: image, padding: PixelSize(width: pixels, height: pixels))
    case .felzenszwalb(let hog):
      hog.fill(&map, with: image, padding: MapSize(rows: padding, columns: padding))
    case .felzenszwalbWithPatterns(let hog):
      hog.fill(&map, with: image, padding: MapSize(rows: padding, columns: padding))
    }
  }

  /// The size of `map(of:padding:)` for an image of a size.
  public func mapSize(forImage size: PixelSize, padding: Int = 0) -> MapSize {
    switch self {
    case .dalalTriggs(let hog):
      guard size.width > 0 && size.height > 0 else { return MapSize(rows: 0, columns: 0) }
      let pixels = 2 * padding * hog.blockStride
      return hog.mapSize(for: PixelSize(width: size.width + pixels, height: size.height + pixels))
    case .dalalTriggsStack(let stack):
      return HOGFeatures.dalalTriggs(stack.grid).mapSize(forImage: size, padding: padding)
    case .felzenszwalb(let hog):
      let cells = hog.mapSize(for: size)
      return MapSize(rows: cells.rows + 2 * padding, columns: cells.columns + 2 * padding)
    case .felzenszwalbWithPatterns(let hog):
      return HOGFeatures.felzenszwalb(hog.gradients).mapSize(forImage: size, padding: padding)
    }
  }

  /// The places that a detection window takes.
  ///
  /// Dalal-Triggs: the whole blocks inside it (64 x 128 pixels: 15 rows of 7). Felzenszwalb: its cells, sides rounded
  /// to the nearest whole cell.
  public func windowMapSize(_ window: PixelSize) -> MapSize {
    mapSize(forImage: window)
  }

  /// The pixels that a window of map places covers: the inverse of `windowMapSize`, up to its rounding.
  public func windowSize(_ places: MapSize) -> PixelSize {
    switch self {
    case .dalalTriggs(let hog):
      PixelSize(
        width: (places.columns - 1) * hog.blockStride + hog.blockSize,
        height: (places.rows - 1) * hog.blockStride + hog.blockSize)
    case .dalalTriggsStack(let stack): HOGFeatures.dalalTriggs(stack.grid).windowSize(places)
    case .felzenszwalb(let hog):
      PixelSize(width: places.columns * hog.cellSize, height: places.rows * hog.cellSize)
    case .felzenszwalbWithPatterns(let hog):
      PixelSize(width: places.columns * hog.cellSize, height: places.rows * hog.cellSize)
    }
  }

  /// Checks options that come from outside.
  public func validate(source: String) throws {
    switch self {
    case .dalalTriggs(let hog): try hog.validate(source: source)
    case .dalalTriggsStack(let stack): try stack.validate(source: source)
    case .felzenszwalb(let hog): try hog.validate(source: source)
    case .felzenszwalbWithPatterns(let hog): try hog.validate(source: source)
    }
  }
}
