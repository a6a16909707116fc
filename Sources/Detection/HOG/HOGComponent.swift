import Execution
import Geometry
import Learning

/// One linear filter of a HOG detector: a view or a pose of one kind of object.
public struct HOGComponent: Hashable, Sendable {
  /// What its detections are called.
  public let label: String
  /// A name among components of one label, for example "left" or "frontal".
  public let name: String
  /// The detection window in pixels at scale 1.
  public let windowSize: PixelSize
  /// The reported box as fractions of the window: `[0, 0, 1, 1]` is the window itself. It may be a part of the window
  /// (a person within a margin of background) or reach beyond it (a head reported for a face).
  public let objectRegion: Box
  /// Rows and columns of the filter: what the features give for a window.
  public let rows: Int
  public let columns: Int
  public let channelCount: Int
  /// `rows x columns x channelCount` weights: channel fastest, then column, then row (the order of a feature map).
  public let weights: [Float]
  /// Added to the weighted sum; the score of a window of zeros.
  public let bias: Float
  /// From raw score to confidence, where it was fitted.
  public let calibration: PlattScaling?
  /// The component whose mirror image this is, where it was not trained by itself.
  public let mirrorOf: Int?

  /// - Precondition: sizes are positive, `weights` has the size that they give, and all numbers are finite.
  public init(
    label: String, name: String = "", windowSize: PixelSize, objectRegion: Box, rows: Int, columns: Int,
    channelCount: Int, weights: [Float], bias: Float, calibration: PlattScaling? = nil, mirrorOf: Int? = nil
  ) {
    precondition(windowSize.width > 0 && windowSize.height > 0 && rows > 0 && columns > 0 && channelCount > 0)
    precondition(weights.count == rows * columns * channelCount)
    precondition(objectRegion.isFinite && !objectRegion.isEmpty)
    precondition(bias.isFinite && weights.allSatisfy(\.isFinite))
    self.label = label
    self.name = name
    self.windowSize = windowSize
    self.objectRegion = objectRegion
    self.rows = rows
    self.columns = columns
    self.channelCount = channelCount
    self.weights = weights
    self.bias = bias
    self.calibration = calibration
    self.mirrorOf = mirrorOf
  }

  /// The reported box's size in pixels at scale 1.
  public var objectSize: (width: Double, height: Double) {
    (objectRegion.width * Double(windowSize.width), objectRegion.height * Double(windowSize.height))
  }

  /// The reported box of a window given in any coordinates.
  public func object(ofWindow window: Box) -> Box {
    Box(
      x: window.x + objectRegion.x * window.width, y: window.y + objectRegion.y * window.height,
      width: objectRegion.width * window.width, height: objectRegion.height * window.height)
  }

  /// The same component with another calibration.
  public func calibrated(_ calibration: PlattScaling?) -> HOGComponent {
    HOGComponent(
      label: label, name: name, windowSize: windowSize, objectRegion: objectRegion, rows: rows, columns: columns,
      channelCount: channelCount, weights: weights, bias: bias, calibration: calibration, mirrorOf: mirrorOf)
  }

  /// The same component under another label.
  public func labelled(_ label: String) -> HOGComponent {
    HOGComponent(
      label: label, name: name, windowSize: windowSize, objectRegion: objectRegion, rows: rows, columns: columns,
      channelCount: channelCount, weights: weights, bias: bias, calibration: calibration, mirrorOf: mirrorOf)
  }

  /// The component of the mirrored object.
  ///
  /// - Parameter channelOrder: where each channel of the mirrored map comes from, as the features give it.
  public func mirrored(channelOrder: [Int], name: String, mirrorOf: Int?) -> HOGComponent {
    precondition(channelOrder.count == channelCount)
    var turned = weights
    for row in 0..<rows {
      for column in 0..<columns {
        let source = (row * columns + (columns - 1 - column)) * channelCount
        let target = (row * columns + column) * channelCount
        for channel in 0..<channelCount { turned[target + channel] = weights[source + channelOrder[channel]] }
      }
    }
    var region = objectRegion
    region.x = 1 - objectRegion.maxX
    return HOGComponent(
      label: label, name: name, windowSize: windowSize, objectRegion: region, rows: rows, columns: columns,
      channelCount: channelCount, weights: turned, bias: bias, calibration: calibration, mirrorOf: mirrorOf)
  }
}
