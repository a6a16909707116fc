import Execution
import Features
import Geometry
import Imaging
import Learning

/// A sliding-window detector: linear filters over histograms of oriented gradients (Dalal and Triggs 2005), one filter
/// for each component.
///
/// ```swift
/// let detector = try HOGDetector(modelFile: try ModelFile(path: "person.safetensors"))
/// for found in detector.detect(in: image) { print(found.box, found.score) }
/// ```
/// One feature pyramid serves all components. A window's score is the sum of its features times the component's
/// weights, plus its bias; windows at or above the threshold go through suppression.
///
/// **Differences from the paper:** several components; levels are interpolated from halvings of the image; objects
/// that the border cuts are looked for (padding).
///
/// Reference: N. Dalal, B. Triggs, "Histograms of oriented gradients for human detection", CVPR 2005.
public struct HOGDetector: Sendable {
  /// What of an image the features are taken from.
  public enum Colour: String, NamedChoice, Hashable, Sendable {
    /// Luma.
    case grey
    /// The strongest of the red, green and blue gradients at each pixel.
    case rgb
  }

  public let features: HOGFeatures
  public let colour: Colour
  public let components: [HOGComponent]
  /// How the detector is scanned when nothing else is asked for.
  public let scanOptions: ScanOptions
  let bank: FilterBank

  /// - Precondition: there is a component, and each has the rows, columns and channels that `features` gives for its
  ///   window.
  public init(
    features: HOGFeatures, colour: Colour, components: [HOGComponent], scanOptions: ScanOptions = ScanOptions()
  ) {
    precondition(!components.isEmpty, "a detector needs a component")
    for component in components {
      let size = features.windowMapSize(component.windowSize)
      precondition(
        size.rows == component.rows && size.columns == component.columns
          && component.channelCount == features.channelCount, "a component does not have its window's size")
    }
    self.features = features
    self.colour = colour
    self.components = components
    self.scanOptions = scanOptions
    bank = FilterBank(components, channelCount: features.channelCount)
  }

  /// The labels of the components, each once, in the components' order.
  public var labels: [String] {
    var seen = Set<String>()
    return components.map(\.label).filter { seen.insert($0).inserted }
  }

  /// The same detector with other options to scan by.
  public func scanned(by options: ScanOptions) -> HOGDetector {
    HOGDetector(features: features, colour: colour, components: components, scanOptions: options)
  }

  /// The same detector with a calibration for each component.
  public func calibrated(_ calibrations: [PlattScaling?]) -> HOGDetector {
    precondition(calibrations.count == components.count)
    return HOGDetector(
      features: features, colour: colour,
      components: zip(components, calibrations).map { $0.calibrated($1) }, scanOptions: scanOptions)
  }
}
