import Execution
import Geometry
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// How one copy of an object differs from it.
struct PositiveJitter: Sendable {
  /// Shares of the region's sides.
  var shiftX: Double
  var shiftY: Double
  var scale: Double
  /// Radians, clockwise as seen.
  var rotation: Double
  var isMirrored: Bool
  /// Radians about the horizontal and the upright axis.
  var tiltX: Double
  var tiltY: Double
  /// From where it is seen, in longer sides of the object.
  var distance: Double
  var tone: ToneChange

  /// Draws a jitter; the order of the draws is fixed.
  init(_ options: PositiveSampleOptions, using random: inout RandomStream) {
    let degree = Double.pi / 180
    shiftX = random.uniform(in: -1..<1) * options.jitterShift
    shiftY = random.uniform(in: -1..<1) * options.jitterShift
    scale = exp(random.uniform(in: -1..<1) * log(1 + options.jitterScale))
    rotation = random.uniform(in: -1..<1) * options.jitterRotation * degree
    let coin = random.uniform() < 0.5
    isMirrored = options.mirrors && coin
    let nod = random.uniform(in: -1..<1)
    tiltX = nod * options.jitterTiltX * degree
    tiltY = random.uniform(in: -1..<1) * options.jitterTiltY * degree * (options.jitterTiltX > 0 ? 1 - abs(nod) : 1)
    distance = random.uniform(in: 2..<4)
    let shift = random.uniform(in: -1..<1) * options.jitterIntensity
    let negative = random.uniform() < 0.5
    tone = ToneChange(
      shift: shift, isInverted: options.inversion == .always || (options.inversion == .random && negative))
  }

  var isTilted: Bool { tiltX != 0 || tiltY != 0 }

  func apply(to region: Box) -> Box {
    region.translated(x: shiftX * region.width, y: shiftY * region.height).resized(by: scale)
  }

  /// How the plane of an object looks, the object's centre at the origin.
  ///
  /// The turn is the opposite of `rotation`, which says how the window lies on the object.
  func view(of object: Box) -> Homography {
    .view(rotation: (tiltX, tiltY, -rotation), distance: distance * max(object.width, object.height))
  }
}
