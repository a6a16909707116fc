import Execution
import Geometry

#if canImport(Glibc)
  import Glibc
#endif

/// One level of a scan: the image at one scale, padded, cut into cells.
struct ScanLevel: Hashable, Sendable {
  /// Level pixels for one image pixel, as asked for.
  let nominalScale: Double
  /// The resized image.
  let size: PixelSize
  /// Pixels added on the left and at the top.
  let padding: Int
  /// The resized image with padding on all sides.
  let paddedSize: PixelSize
  /// Which components are scanned for here: those whose boxes have a wanted size.
  let active: [Bool]
}

/// Which levels an image is scanned at.
struct ScanPlan: Sendable {
  let imageSize: PixelSize
  let cellSize: Int
  let rule: ScanOptions.LevelRule
  let levels: [ScanLevel]

  /// OpenCV's own limit (`HOGDescriptor::DEFAULT_NLEVELS`).
  static let openCVLevelLimit = 64

  init(imageSize: PixelSize, cellSize: Int, components: [HOGComponent], options: ScanOptions) {
    self.imageSize = imageSize
    self.cellSize = cellSize
    rule = options.levelRule
    levels =
      imageSize.width < 1 || imageSize.height < 1
      ? []
      : options.levelRule == .openCV
        ? ScanPlan.openCVLevels(imageSize, cellSize, components, options)
        : ScanPlan.exactLevels(imageSize, cellSize, components, options)
  }

  /// The window at a place of the level's feature map, in pixels of the image.
  func window(level: ScanLevel, row: Int, column: Int, windowSize: PixelSize) -> Box {
    let x = Double(column * cellSize - level.padding)
    let y = Double(row * cellSize - level.padding)
    switch rule {
    case .exact:
      let factorX = Double(imageSize.width) / Double(level.size.width)
      let factorY = Double(imageSize.height) / Double(level.size.height)
      return Box(
        x: x * factorX, y: y * factorY, width: Double(windowSize.width) * factorX,
        height: Double(windowSize.height) * factorY)
    case .openCV:
      let factor = 1 / level.nominalScale
      return Box(
        x: (x * factor).rounded(.toNearestOrEven), y: (y * factor).rounded(.toNearestOrEven),
        width: (Double(windowSize.width) * factor).rounded(.toNearestOrEven),
        height: (Double(windowSize.height) * factor).rounded(.toNearestOrEven))
    }
  }

  private static func exactLevels(
    _ imageSize: PixelSize, _ cellSize: Int, _ components: [HOGComponent], _ options: ScanOptions
  ) -> [ScanLevel] {
    let heights = components.map { $0.objectSize.height }
    guard let leastHeight = heights.min(), let greatestHeight = heights.max() else { return [] }
    let limit =
      switch options.upsampling {
      case .none: 1.0
      case .byTwo: 2.0
      case .automatic: options.minimumHeight.map { $0 < greatestHeight ? 2.0 : 1.0 } ?? 1.0
      }
    // The first level shows the smallest wanted box of the tallest component at exactly its own size.
    var scale = min(limit, options.minimumHeight.map { greatestHeight / $0 } ?? limit)
    // A hair of tolerance keeps the level that equals a limit up to rounding.
    let tolerance = 1e-9
    let slowest = options.maximumHeight.map { leastHeight / $0 * (1 - tolerance) } ?? 0
    var levels: [ScanLevel] = []
    while scale >= slowest {
      let size = PixelSize(
        width: max(1, Int((Double(imageSize.width) * scale).rounded())),
        height: max(1, Int((Double(imageSize.height) * scale).rounded())))
      let padding = options.padding * cellSize
      // The right and bottom edges are filled up to whole cells, so that no stripe of the image goes unseen.
      let padded = PixelSize(
        width: (size.width + cellSize - 1) / cellSize * cellSize + 2 * padding,
        height: (size.height + cellSize - 1) / cellSize * cellSize + 2 * padding)
      let fits = components.map { $0.windowSize.width <= padded.width && $0.windowSize.height <= padded.height }
      // Padding alone must not keep the pyramid alive: at least half of the window shows the image on both axes.
      let shows = components.map { $0.windowSize.width <= 2 * size.width && $0.windowSize.height <= 2 * size.height }
      guard zip(fits, shows).contains(where: { $0 && $1 }) else { break }
      let active = components.indices.map { index in
        let height = heights[index] / scale
        return fits[index] && shows[index] && height >= (options.minimumHeight ?? 0) * (1 - tolerance)
          && height <= (options.maximumHeight ?? .infinity) * (1 + tolerance)
      }
      if active.contains(true) {
        levels.append(
          ScanLevel(nominalScale: scale, size: size, padding: padding, paddedSize: padded, active: active))
      }
      scale /= options.scaleFactor
    }
    return levels
  }

  private static func openCVLevels(
    _ imageSize: PixelSize, _ cellSize: Int, _ components: [HOGComponent], _ options: ScanOptions
  ) -> [ScanLevel] {
    guard let width = components.map(\.windowSize.width).min(),
      let height = components.map(\.windowSize.height).min()
    else { return [] }
    var levels: [ScanLevel] = []
    var divisor = 1.0
    for index in 0..<openCVLevelLimit {
      let size = PixelSize(
        width: Int((Double(imageSize.width) / divisor).rounded(.toNearestOrEven)),
        height: Int((Double(imageSize.height) / divisor).rounded(.toNearestOrEven)))
      // The first level is scanned even where the image alone is smaller than the window: padding may make it fit.
      if index > 0 && (size.width < width || size.height < height) { break }
      let padding = options.padding * cellSize
      let padded = PixelSize(width: size.width + 2 * padding, height: size.height + 2 * padding)
      let active = components.map { component in
        let boxHeight = component.objectSize.height * divisor
        return component.windowSize.width <= padded.width && component.windowSize.height <= padded.height
          && boxHeight >= (options.minimumHeight ?? 0) && boxHeight <= (options.maximumHeight ?? .infinity)
      }
      if active.contains(true) {
        levels.append(
          ScanLevel(nominalScale: 1 / divisor, size: size, padding: padding, paddedSize: padded, active: active))
      }
      if size.width < width || size.height < height { break }
      divisor *= options.scaleFactor
    }
    return levels
  }
}
