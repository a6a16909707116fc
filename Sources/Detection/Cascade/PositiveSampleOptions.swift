import Execution
import Geometry

/// How the objects of annotated photos become windows of a cascade's size.
public struct PositiveSampleOptions: Hashable, Codable, Sendable {
  /// How a box of another shape than the window's is fitted to it, about its centre.
  public enum Fit: String, NamedChoice, Hashable, Sendable {
    /// The window-shaped box of the same area.
    case area
    /// The window-shaped box of the same width.
    case width
    /// The window-shaped box of the same height.
    case height
    /// The least window-shaped box that holds the whole box.
    case cover
    /// The box itself, both axes brought to the window's by factors of their own: as `opencv_createsamples` does.
    case stretch
  }

  /// Whether samples are shown as negatives: 255 less the grey value.
  public enum Inversion: String, NamedChoice, Hashable, Sendable {
    case never
    case always
    /// Copies alone, each with a chance of one half.
    case random
  }

  /// The cascade's window, in pixels.
  public var windowSize: PixelSize
  public var fit: Fit
  /// The factor by which the fitted box is grown about its centre before it is cut: 1 cuts the box, 1.2 takes a margin of a
  /// tenth of it on each side.
  public var context: Double
  /// An object whose window would have to be enlarged more than this, on either axis, is left out: 1 takes none that is
  /// smaller than the window.
  public var largestEnlargement: Double
  /// An object of whose box a smaller share than this lies in the photo is left out. What lies outside is filled with the
  /// nearest border pixels.
  public var leastVisibleShare: Double
  /// Whether each object gives its mirror image too.
  public var mirrors: Bool
  /// Jittered copies of each object, besides itself and its mirror image. A source may say otherwise for a photo.
  public var copies: Int
  /// A copy's shift on each axis: uniform within this share of the window's side, both ways.
  public var jitterShift: Double
  /// A copy's size: uniform in the logarithm within a factor of 1 plus this, both ways.
  public var jitterScale: Double
  /// A copy's rotation in the picture: uniform within so many degrees, both ways.
  public var jitterRotation: Double
  /// A copy's turn about its horizontal axis (it nods): uniform within so many degrees, both ways, 0 to 75.
  public var jitterTiltX: Double
  /// A copy's turn about its upright axis (it shakes its head): uniform within so many degrees, both ways, 0 to 75. Where it
  /// is turned about the horizontal axis too, within the share of this that is left of that turn's own limit: the two
  /// together stay as far from edge-on as each alone.
  public var jitterTiltY: Double
  /// Added to all grey values of a copy: uniform within so many levels, both ways; the sums are kept within 0...255.
  public var jitterIntensity: Double
  /// Whether samples are shown as negatives.
  public var inversion: Inversion
  /// Seed of the copies and of the order of the samples.
  public var seed: UInt64

  public init(windowSize: PixelSize) {
    self.windowSize = windowSize
    fit = .area
    context = 1
    largestEnlargement = 1.25
    leastVisibleShare = 0.5
    mirrors = false
    copies = 0
    jitterShift = 0.05
    jitterScale = 0.1
    jitterRotation = 5
    jitterTiltX = 0
    jitterTiltY = 0
    jitterIntensity = 0
    inversion = .never
    seed = 1
  }

  /// - Throws: `InputError` that names the field.
  public func validate(source: String = "samples") throws {
    let check = FieldCheck(source: source, problem: "cannot be used")
    try PositiveSampleOptions.checkWindow(windowSize, check)
    try check.require(context >= 0.1 && context <= 10, "context", context, "0.1 to 10")
    try check.require(
      largestEnlargement >= 0.1 && largestEnlargement <= 100, "largestEnlargement", largestEnlargement, "0.1 to 100")
    try check.require((0...1).contains(leastVisibleShare), "leastVisibleShare", leastVisibleShare, "0 to 1")
    try check.require((0...10_000).contains(copies), "copies", copies, "0 to 10000")
    try check.require((0...1).contains(jitterShift), "jitterShift", jitterShift, "0 to 1")
    try check.require((0...1).contains(jitterScale), "jitterScale", jitterScale, "0 to 1")
    try check.require((0...180).contains(jitterRotation), "jitterRotation", jitterRotation, "0 to 180 degrees")
    try check.require((0...75).contains(jitterTiltX), "jitterTiltX", jitterTiltX, "0 to 75 degrees")
    try check.require((0...75).contains(jitterTiltY), "jitterTiltY", jitterTiltY, "0 to 75 degrees")
    try check.require((0...255).contains(jitterIntensity), "jitterIntensity", jitterIntensity, "0 to 255")
  }

  private static let largestSide = 1024

  /// What the size of a window may be, of positives and negatives alike.
  static func checkWindow(_ size: PixelSize, _ check: FieldCheck) throws {
    let sides = 1...largestSide
    try check.require(
      sides.contains(size.width) && sides.contains(size.height), "windowSize", "\(size.width) x \(size.height)",
      "sides of 1 to \(largestSide)")
  }

  /// The part of a photo that becomes the window for an object, before any jitter.
  ///
  /// - Precondition: the box is finite and not empty.
  public func region(of box: Box) -> Box {
    precondition(box.isFinite && !box.isEmpty)
    let width = Double(windowSize.width)
    let height = Double(windowSize.height)
    func shaped(_ scale: Double) -> Box { Box(center: box.center, width: width * scale, height: height * scale) }
    let fitted =
      switch fit {
      case .area: shaped((box.area / (width * height)).squareRoot())
      case .width: shaped(box.width / width)
      case .height: shaped(box.height / height)
      case .cover: shaped(max(box.width / width, box.height / height))
      case .stretch: box
      }
    return context == 1 ? fitted : fitted.resized(by: context)
  }
}
