import Execution
import Geometry

#if canImport(Glibc)
  import Glibc
#endif

extension HOGTrainerOptions {
  /// How copies of a positive are made to look like worse photos of it.
  ///
  /// A detector that is trained on clear faces alone misses small, faint and noisy ones. Each copy is cut at a resolution
  /// drawn here, its contrast is lowered, noise is added, and it is then enlarged to the window: as a scan sees an object
  /// that is smaller than the window, in an enlarged photo. The object itself (not a copy) stays as it is.
  public struct Degradation: Hashable, Sendable, Codable {
    /// Share of the copies that are cut at a lower resolution, 0 to 1.
    public var lowResolutionShare: Double
    /// Least resolution as a share of the window's, 0.1 to 1; drawn log-uniformly between this and 1.
    public var leastResolution: Double
    /// Least contrast as a share of the photo's, above 0 to 1; drawn log-uniformly between this and 1, about mid-grey.
    public var leastContrast: Double
    /// Greatest standard deviation of the Gaussian noise, in steps of 0...255; drawn uniformly between 0 and this.
    public var greatestNoise: Double

    public init(
      lowResolutionShare: Double = 0.6, leastResolution: Double = 0.5, leastContrast: Double = 0.5,
      greatestNoise: Double = 8
    ) {
      self.lowResolutionShare = lowResolutionShare
      self.leastResolution = leastResolution
      self.leastContrast = leastContrast
      self.greatestNoise = greatestNoise
    }

    func validate(source: String) throws {
      func require(_ holds: Bool, _ field: String, _ found: Double, _ expected: String) throws {
        if !holds {
          throw InputError(
            source: source, field: "degradation.\(field)", problem: "cannot be used", found: "\(found)",
            expected: expected)
        }
      }
      try require((0...1).contains(lowResolutionShare), "lowResolutionShare", lowResolutionShare, "0 to 1")
      try require((0.1...1).contains(leastResolution), "leastResolution", leastResolution, "0.1 to 1")
      try require(leastContrast > 0 && leastContrast <= 1, "leastContrast", leastContrast, "above 0, at most 1")
      try require((0...128).contains(greatestNoise), "greatestNoise", greatestNoise, "0 to 128")
    }
  }

  /// Which landmarks tell how far an object is tilted: it is cut so that the line from the first group's centre to the
  /// second's runs to the right. An object without these landmarks is cut as it stands.
  public struct Levelling: Hashable, Sendable, Codable {
    /// Names of the landmarks on the left of the upright object in the image (of a face: its right eye).
    public var left: [String]
    public var right: [String]

    public init(left: [String], right: [String]) {
      self.left = left
      self.right = right
    }

    /// The tilt in radians, clockwise as seen; `nil` where a landmark is missing or the two centres are one point.
    func tilt(of annotation: Annotation) -> Double? {
      func centre(_ names: [String]) -> Point? {
        var sum = Point(x: 0, y: 0)
        for name in names {
          guard let point = annotation.landmarks.first(where: { $0.name == name })?.point else { return nil }
          sum.x += point.x / Double(names.count)
          sum.y += point.y / Double(names.count)
        }
        return sum
      }
      guard let from = centre(left), let to = centre(right), from != to else { return nil }
      return atan2(to.y - from.y, to.x - from.x)
    }

    func validate(source: String) throws {
      for (name, list) in [("left", left), ("right", right)] where list.isEmpty {
        throw InputError(
          source: source, field: "levelling.\(name)", problem: "is empty", expected: "names of landmarks")
      }
    }
  }
}

/// How one copy of a positive is cut.
struct SampleAppearance: Sendable {
  /// Radians, clockwise as seen: an object tilted by this comes out upright.
  var rotation = 0.0
  /// Of the window's: 0.5 is cut at half the pixels an axis and enlarged.
  var resolution = 1.0
  var contrast = 1.0
  var noise = 0.0

  /// Draws an appearance; the order of the draws is fixed.
  init(_ degradation: HOGTrainerOptions.Degradation, using random: inout RandomStream) {
    let isLow = random.uniform() < degradation.lowResolutionShare
    let share = random.uniform()
    resolution = isLow ? pow(degradation.leastResolution, share) : 1
    contrast = pow(degradation.leastContrast, random.uniform())
    noise = degradation.greatestNoise * random.uniform()
  }

  init() {}
}
