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
    let check = FieldCheck(source: source, problem: "cannot be used")
    try PositiveSampleOptions.checkWindow(windowSize, check)
    try check.require(scaleFactor >= 1.01 && scaleFactor <= 16, "scaleFactor", scaleFactor, "1.01 to 16")
    try check.require((1...1024).contains(stride), "stride", stride, "1 to 1024")
    try check.require((0...1).contains(overlapLimit), "overlapLimit", overlapLimit, "0 to 1")
    if let size = smallestWindow {
      try check.require(
        size.width >= 1 && size.height >= 1, "smallestWindow", "\(size.width) x \(size.height)", "sides of 1 and more")
    }
    if let size = largestWindow {
      let least = PixelSize(
        width: max(windowSize.width, smallestWindow?.width ?? 1),
        height: max(windowSize.height, smallestWindow?.height ?? 1))
      try check.require(
        size.width >= least.width && size.height >= least.height, "largestWindow", "\(size.width) x \(size.height)",
        "at least \(least.width) x \(least.height): photos are not enlarged, and no less than smallestWindow")
    }
  }

  /// The limits of windows, for messages: "of at least 40 x 40 (smallestWindow)".
  var limitWords: String {
    [("at least", smallestWindow, "smallestWindow"), ("at most", largestWindow, "largestWindow")].compactMap {
      words, size, name in size.map { "of \(words) \($0.width) x \($0.height) (\(name))" }
    }.joined(separator: " and ")
  }

  /// The sizes at which a photo is looked at, from its own down.
  func levels(of size: PixelSize) -> [PyramidScales.Level] {
    PyramidScales(
      imageSize: size, windowSize: windowSize, step: scaleFactor, smallestObject: smallestWindow,
      largestObject: largestWindow
    ).levels
  }
}
