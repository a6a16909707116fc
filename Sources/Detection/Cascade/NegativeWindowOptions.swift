import Execution
import Geometry
import Imaging

/// Which windows of the photos are negatives: a lattice of sizes and places.
public struct NegativeWindowOptions: Hashable, Codable, Sendable {
  /// The cascade's window, in pixels.
  public var windowSize: PixelSize
  /// How much smaller each level of a photo is than the one before. The first level is the photo itself; a level's sides are
  /// the photo's divided by the factor's power, rounded as OpenCV rounds them.
  public var scaleFactor: Double
  /// Pixels from one window to the next, on each axis of a level.
  public var stride: Int
  /// How much of an object a negative may hold.
  ///
  /// 0 takes no window that shares any area with an object's box (ignored ones count) or with the window that is cut for it.
  /// Above 0, a window is left out whose intersection over union with an object's window is this or more, or of which a box
  /// that is ignored covers this share or more.
  public var overlapLimit: Double
  /// The narrowest and lowest window in photo pixels; `nil` takes the window's own size on.
  public var smallestWindow: PixelSize?
  /// The widest and highest window in photo pixels; `nil` takes all that fit.
  public var largestWindow: PixelSize?
  /// Seed of the order in which windows are visited.
  public var seed: UInt64

  public init(windowSize: PixelSize) {
    self.windowSize = windowSize
    scaleFactor = 1.2
    stride = 1
    overlapLimit = 0
    smallestWindow = nil
    largestWindow = nil
    seed = 1
  }

  /// - Throws: `InputError` that names the field.
  public func validate(source: String = "negatives") throws {
    func require(_ holds: Bool, _ field: String, _ found: Any, _ expected: String) throws {
      if !holds {
        throw InputError(
          source: source, field: field, problem: "cannot be used", found: "\(found)", expected: expected)
      }
    }
    let sides = 1...PositiveSampleOptions.largestSide
    try require(
      sides.contains(windowSize.width) && sides.contains(windowSize.height), "windowSize",
      "\(windowSize.width) x \(windowSize.height)", "sides of 1 to \(PositiveSampleOptions.largestSide)")
    try require(scaleFactor >= 1.01 && scaleFactor <= 16, "scaleFactor", scaleFactor, "1.01 to 16")
    try require((1...1024).contains(stride), "stride", stride, "1 to 1024")
    try require((0...1).contains(overlapLimit), "overlapLimit", overlapLimit, "0 to 1")
    for (field, size) in [("smallestWindow", smallestWindow), ("largestWindow", largestWindow)] {
      guard let size else { continue }
      try require(size.width >= 1 && size.height >= 1, field, "\(size.width) x \(size.height)", "sides of 1 and more")
    }
  }

  /// The sizes at which a photo is looked at, from its own down.
  func levels(of size: PixelSize) -> [PyramidScales.Level] {
    PyramidScales(
      imageSize: size, windowSize: windowSize, step: scaleFactor, smallestObject: smallestWindow,
      largestObject: largestWindow
    ).levels
  }
}
