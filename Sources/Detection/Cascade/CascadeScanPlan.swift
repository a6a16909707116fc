import Geometry

#if canImport(Glibc)
  import Glibc
#endif

/// One level of a cascade's scan: the image at one scale and the places that are looked at.
struct CascadeLevel: Hashable, Sendable {
  let size: PixelSize
  /// Level pixels from one window to the next, on both axes.
  let stride: Int
  /// Windows a row and rows of windows.
  let columns: Int
  let rows: Int
  /// Image pixels for one level pixel, as asked for.
  let scale: Float
}

/// Which levels an image is scanned at.
struct CascadeScanPlan: Sendable {
  let imageSize: PixelSize
  let windowSize: PixelSize
  let rule: ScanOptions.LevelRule
  let objectRegion: Box
  let levels: [CascadeLevel]

  init(imageSize: PixelSize, detector: CascadeDetector, options: ScanOptions) {
    self.imageSize = imageSize
    windowSize = detector.windowSize
    rule = options.levelRule
    objectRegion = detector.objectRegion
    if imageSize.width < 1 || imageSize.height < 1 {
      levels = []
    } else if options.levelRule == .openCV {
      // A height alone is given: a square window has that width too, and others may be of any.
      func size(_ height: Double?, _ rule: FloatingPointRoundingRule) -> PixelSize {
        let height = Int(min(height ?? 0, 1e9).rounded(rule))
        return PixelSize(width: detector.windowSize.width == detector.windowSize.height ? height : 0, height: height)
      }
      var largest = size(options.maximumHeight, .down)
      if options.maximumHeight != nil, largest.width == 0 { largest.width = imageSize.width }
      levels = CascadeScanPlan.openCVLevels(
        imageSize, detector.windowSize, scaleFactor: options.scaleFactor,
        smallest: size(options.minimumHeight, .up), largest: largest)
    } else {
      levels = CascadeScanPlan.exactLevels(imageSize, detector, options)
    }
  }

  /// As `detectMultiScale` is called, with sizes of windows; 0 of `largest` means no limit.
  init(
    imageSize: PixelSize, detector: CascadeDetector, scaleFactor: Double, smallest: PixelSize, largest: PixelSize
  ) {
    self.imageSize = imageSize
    windowSize = detector.windowSize
    rule = .openCV
    objectRegion = detector.objectRegion
    levels = CascadeScanPlan.openCVLevels(
      imageSize, detector.windowSize, scaleFactor: scaleFactor, smallest: smallest, largest: largest)
  }

  /// What is reported for a window, in pixels of the image.
  func box(level: CascadeLevel, row: Int, column: Int) -> Box {
    let x = column * level.stride
    let y = row * level.stride
    switch rule {
    case .openCV:
      // Single precision, as there.
      func rounded(_ value: Int) -> Double { Double((Float(value) * level.scale).rounded(.toNearestOrEven)) }
      return Box(x: rounded(x), y: rounded(y), width: rounded(windowSize.width), height: rounded(windowSize.height))
    case .exact:
      let factorX = Double(imageSize.width) / Double(level.size.width)
      let factorY = Double(imageSize.height) / Double(level.size.height)
      return Box(
        x: (Double(x) + objectRegion.x * Double(windowSize.width)) * factorX,
        y: (Double(y) + objectRegion.y * Double(windowSize.height)) * factorY,
        width: objectRegion.width * Double(windowSize.width) * factorX,
        height: objectRegion.height * Double(windowSize.height) * factorY)
    }
  }

  private static func exactLevels(
    _ imageSize: PixelSize, _ detector: CascadeDetector, _ options: ScanOptions
  ) -> [CascadeLevel] {
    let window = detector.windowSize
    let height = detector.objectRegion.height * Double(window.height)
    let limit =
      switch options.upsampling {
      case .none: 1.0
      case .byTwo: 2.0
      case .automatic: options.minimumHeight.map { $0 < height ? 2.0 : 1.0 } ?? 1.0
      }
    // The first level shows the smallest wanted object at exactly the window's size.
    var scale = min(limit, options.minimumHeight.map { height / $0 } ?? limit)
    // A hair of tolerance keeps the level that equals a limit up to rounding.
    let slowest = options.maximumHeight.map { height / $0 * (1 - 1e-9) } ?? 0
    var levels: [CascadeLevel] = []
    while scale >= slowest {
      let size = PixelSize(
        width: Int((Double(imageSize.width) * scale).rounded()),
        height: Int((Double(imageSize.height) * scale).rounded()))
      guard size.width >= window.width && size.height >= window.height else { break }
      levels.append(
        CascadeLevel(
          size: size, stride: options.stride, columns: (size.width - window.width) / options.stride + 1,
          rows: (size.height - window.height) / options.stride + 1, scale: Float(1 / scale)))
      scale /= options.scaleFactor
    }
    return levels
  }

  /// `CascadeClassifier::detectMultiScale`'s levels: scales by repeated multiplication kept in single precision, sizes
  /// rounded half to even, every second place below a scale of 2.
  private static func openCVLevels(
    _ imageSize: PixelSize, _ window: PixelSize, scaleFactor: Double, smallest: PixelSize, largest: PixelSize
  ) -> [CascadeLevel] {
    guard imageSize.width >= window.width && imageSize.height >= window.height else { return [] }
    let largest = largest.width == 0 || largest.height == 0 ? imageSize : largest
    var all: [Float] = []
    var factor = 1.0
    while true {
      let width = (Double(window.width) * factor).rounded(.toNearestOrEven)
      let height = (Double(window.height) * factor).rounded(.toNearestOrEven)
      if width > Double(imageSize.width) || height > Double(imageSize.height) { break }
      all.append(Float(factor))
      factor *= scaleFactor
    }
    func size(_ scale: Float) -> PixelSize {
      PixelSize(
        width: Int((Float(window.width) * scale).rounded(.toNearestOrEven)),
        height: Int((Float(window.height) * scale).rounded(.toNearestOrEven)))
    }
    var scales: [Float] = []
    for scale in all {
      let size = size(scale)
      if size.width > largest.width || size.height > largest.height { break }
      if size.width >= smallest.width && size.height >= smallest.height { scales.append(scale) }
    }
    if scales.isEmpty {
      // Where no scale is within the limits OpenCV takes the one nearest to the smallest size.
      func distance(_ scale: Float) -> Int {
        let size = size(scale)
        let (dx, dy) = (smallest.width - size.width, smallest.height - size.height)
        return dx * dx + dy * dy
      }
      if let nearest = all.min(by: { distance($0) < distance($1) }) { scales.append(nearest) }
    }
    var stripes: Int?
    return scales.map { scale in
      let size = PixelSize(
        width: Int((Float(imageSize.width) / scale).rounded(.toNearestOrEven)),
        height: Int((Float(imageSize.height) / scale).rounded(.toNearestOrEven)))
      let stride = scale >= 2 ? 1 : 2
      let working = PixelSize(
        width: max(size.width + 1 - window.width, 0), height: max(size.height + 1 - window.height, 0))
      // OpenCV cuts the rows of all levels into as many stripes as the first has; a last row that fills no stripe falls off.
      let count = stripes ?? (working.width + 31) / 32
      stripes = count
      let stripe = count == 0 ? 0 : max((working.height / stride + count - 1) / count, 1) * stride
      let height = min(working.height, stripe * count)
      return CascadeLevel(
        size: size, stride: stride, columns: (working.width + stride - 1) / stride,
        rows: (height + stride - 1) / stride, scale: scale)
    }
  }
}
