import Foundation
import Geometry

/// The sizes at which one detection window is slid over an image to find objects of all sizes.
///
/// Level `k` has the scale `2^upsamplingOctaves / step^k`. A level's size is the image's times its scale, each side
/// rounded to the nearest whole number, halves to the even one (OpenCV's `cvRound`), and is at least 1. Rounding makes
/// the true scales of the two axes differ slightly from the level's: each level tells them, and boxes map back by them.
public struct PyramidScales: Hashable, Sendable {
  /// One size of the image.
  public struct Level: Hashable, Sendable {
    /// The scale before rounding: level pixels for each image pixel.
    public let scale: Double
    /// The level's size in whole pixels.
    public let size: PixelSize
    /// Level columns for each image column, after rounding.
    public let scaleX: Double
    /// Level rows for each image row, after rounding.
    public let scaleY: Double

    public init(scale: Double, imageSize: PixelSize) {
      precondition(scale > 0 && imageSize.width > 0 && imageSize.height > 0)
      func side(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded(.toNearestOrEven))) }
      self.scale = scale
      size = PixelSize(width: side(imageSize.width), height: side(imageSize.height))
      scaleX = Double(size.width) / Double(imageSize.width)
      scaleY = Double(size.height) / Double(imageSize.height)
    }

    /// A box of this level in the image's coordinates.
    public func toImage(_ box: Box) -> Box { box.scaled(x: 1 / scaleX, y: 1 / scaleY) }

    /// A box of the image in this level's coordinates.
    public func fromImage(_ box: Box) -> Box { box.scaled(x: scaleX, y: scaleY) }
  }

  public let imageSize: PixelSize
  /// From the largest size (smallest objects) down; empty where the window fits no level.
  public let levels: [Level]

  /// Levels whose scales fall by a factor from one to the next.
  ///
  /// - Parameters:
  ///   - imageSize: columns and rows of the upright image; without pixels there are no levels.
  ///   - windowSize: the detection window in level pixels.
  ///   - step: how much smaller each level is than the one before, above 1; OpenCV's usual values are 1.05 and 1.1.
  ///   - smallestObject: levels on which a whole window is narrower or lower than this in the image are left out. It
  ///     is the size of the *window*: where the object fills only part of it, add the margin.
  ///   - largestObject: levels on which a window is wider or higher than this in the image are left out.
  ///   - upsamplingOctaves: how many times the image is doubled for objects smaller than the window; may be a fraction.
  ///   - padding: level pixels that the detector adds on each side; a level is kept while the window fits with them.
  public init(
    imageSize: PixelSize, windowSize: PixelSize, step: Double, smallestObject: PixelSize? = nil,
    largestObject: PixelSize? = nil, upsamplingOctaves: Double = 0,
    padding: PixelSize = PixelSize(width: 0, height: 0)
  ) {
    precondition(step.isFinite && step > 1, "the scale step must be above 1, got \(step)")
    let first = pow(2, upsamplingOctaves)
    self.init(
      imageSize: imageSize, windowSize: windowSize, smallestObject: smallestObject, largestObject: largestObject,
      upsamplingOctaves: upsamplingOctaves, padding: padding, scale: { first / pow(step, Double($0)) })
  }

  /// Levels with a number of scales an octave: the step is `2^(1 / scalesPerOctave)`. See the other initializer.
  ///
  /// Whole octaves halve exactly.
  /// - Precondition: `scalesPerOctave` is at least 1.
  public init(
    imageSize: PixelSize, windowSize: PixelSize, scalesPerOctave: Int, smallestObject: PixelSize? = nil,
    largestObject: PixelSize? = nil, upsamplingOctaves: Double = 0,
    padding: PixelSize = PixelSize(width: 0, height: 0)
  ) {
    precondition(scalesPerOctave >= 1, "at least one scale an octave, got \(scalesPerOctave)")
    self.init(
      imageSize: imageSize, windowSize: windowSize, smallestObject: smallestObject, largestObject: largestObject,
      upsamplingOctaves: upsamplingOctaves, padding: padding,
      scale: { pow(2, upsamplingOctaves - Double($0) / Double(scalesPerOctave)) })
  }

  private init(
    imageSize: PixelSize, windowSize: PixelSize, smallestObject: PixelSize?, largestObject: PixelSize?,
    upsamplingOctaves: Double, padding: PixelSize, scale: (Int) -> Double
  ) {
    precondition(windowSize.width > 0 && windowSize.height > 0, "a window has at least one pixel, got \(windowSize)")
    precondition(
      upsamplingOctaves.isFinite && upsamplingOctaves >= 0,
      "up-sampling octaves may not be negative, got \(upsamplingOctaves)")
    precondition(padding.width >= 0 && padding.height >= 0)
    self.imageSize = imageSize
    guard imageSize.width > 0 && imageSize.height > 0 else {
      levels = []
      return
    }
    // A hair of slack: a window of exactly the wished-for size must not fall to rounding.
    let slack = 1e-9
    var levels: [Level] = []
    for k in 0... {
      let level = Level(scale: scale(k), imageSize: imageSize)
      let fits =
        level.size.width + 2 * padding.width >= windowSize.width
        && level.size.height + 2 * padding.height >= windowSize.height
      // Padding alone can hold the window for ever: a level of one pixel is the last.
      guard fits, level.scale * Double(max(imageSize.width, imageSize.height)) >= 1 else { break }
      let across = Double(windowSize.width) / level.scale
      let down = Double(windowSize.height) / level.scale
      if let largest = largestObject,
        across > Double(largest.width) * (1 + slack) || down > Double(largest.height) * (1 + slack)
      {
        break
      }
      if let smallest = smallestObject,
        across < Double(smallest.width) * (1 - slack) || down < Double(smallest.height) * (1 - slack)
      {
        continue
      }
      levels.append(level)
    }
    self.levels = levels
  }
}
