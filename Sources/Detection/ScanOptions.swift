import Execution

#if canImport(Glibc)
  import Glibc
#endif

/// How a sliding-window detector goes over an image.
///
/// The options serve all families. One that a family does not know is refused by its
/// ``ObjectDetector/validate(_:source:)``, unless it has the value that means "off".
public struct ScanOptions: Hashable, Sendable, Codable {
  /// Whether the image may be enlarged to find objects smaller than the window's.
  public enum Upsampling: String, NamedChoice, Hashable, Sendable {
    /// Never: the smallest object is the window's own.
    case none
    /// Up to twice as wide and high.
    case byTwo
    /// Up to twice, and only as far as `minimumHeight` asks for.
    case automatic
  }

  /// How levels of the pyramid are sized and windows are mapped back.
  public enum LevelRule: String, NamedChoice, Hashable, Sendable {
    /// Boxes are exact: each axis is scaled by the level's true ratio, and padding repeats the border's pixels.
    case exact
    /// OpenCV's `detectMultiScale`, of the class that the family answers to. For HOG: levels by plain bilinear interpolation of the full image, sizes and boxes rounded
    /// to whole pixels (half to even) by the nominal scale, padding by reflection, at most 64 levels; at last boxes are
    /// cut at the image's border.
    case openCV
  }

  /// Windows that score at least this are detections.
  public var threshold: Double
  /// Least height of a reported box in pixels of the image; `nil` takes the window's.
  public var minimumHeight: Double?
  /// Greatest height of a reported box in pixels; `nil` goes on until the window no longer fits.
  public var maximumHeight: Double?
  /// Ratio of the sizes of neighbouring levels, more than 1.
  public var scaleFactor: Double
  public var upsampling: Upsampling
  /// Steps from one window to the next on both axes, in the family's unit: HOG's is the cell.
  public var stride: Int
  /// Added on all four sides of every level, so that objects which the border cuts are found; in the unit of `stride`.
  public var padding: Int
  public var levelRule: LevelRule
  /// How many neighbouring levels share one computed feature map: the middle one's is computed, the others' are
  /// interpolated from it. 1, the default, computes all. 2 or 3 at a step of 1.05 save a third to a half of a scan's
  /// time and miss some objects that all levels find (`Benchmarks/README.md` has both measured). After Dollár et al.,
  /// PAMI 2014.
  public var sharedLevels: Int = 1
  /// How many of a cascade's last stages a window's score adds up, each stage's sum less its threshold: `nil` or 1 is
  /// the last stage's alone, more than there are is all. What passes, and where, is the same; `threshold` then is what the
  /// sum must reach. A stage was boosted against the windows that the stages before let pass, so that the last few, which
  /// saw few samples each, together order what is left better than the last one does
  /// (`Experiments/faces/README.md` has it measured, OpenCV's cascade among them).
  public var scoredStages: Int?
  public var suppression: Suppression
  /// The best so many are kept after suppression; `nil` keeps all.
  public var maximumDetections: Int?

  public init(
    threshold: Double = 0, minimumHeight: Double? = nil, maximumHeight: Double? = nil, scalesPerOctave: Int = 8,
    upsampling: Upsampling = .automatic, stride: Int = 1, padding: Int = 2, levelRule: LevelRule = .exact,
    suppression: Suppression = .greedy(GreedySuppression()), maximumDetections: Int? = nil
  ) {
    self.threshold = threshold
    self.minimumHeight = minimumHeight
    self.maximumHeight = maximumHeight
    self.scaleFactor = exp2(1 / Double(scalesPerOctave))
    self.upsampling = upsampling
    self.stride = stride
    self.padding = padding
    self.levelRule = levelRule
    self.suppression = suppression
    self.maximumDetections = maximumDetections
  }

  /// What `HOGDescriptor::detectMultiScale` does when called without options: stride one cell of 8 pixels, no padding,
  /// step 1.05, grouping by 2.
  public static var openCV: ScanOptions {
    var options = ScanOptions(upsampling: .none, padding: 0, levelRule: .openCV)
    options.scaleFactor = 1.05
    options.suppression = .groupRectangles(RectangleGrouping())
    return options
  }

  /// Checks ranges.
  /// - Parameter source: what the error is said to come from, for example an option file.
  /// - Throws: `InputError` that names the field.
  public func validate(source: String = "scan options") throws {
    let check = FieldCheck(source: source)
    try check.require(threshold.isFinite, "threshold", threshold, "a finite number")
    if let minimumHeight {
      try check.require(
        minimumHeight > 0 && minimumHeight.isFinite, "minimumHeight", minimumHeight, "more than 0 pixels")
    }
    if let maximumHeight {
      try check.require(
        maximumHeight.isFinite && maximumHeight >= (minimumHeight ?? 0) && maximumHeight > 0, "maximumHeight",
        maximumHeight, "at least the minimum height")
    }
    try check.require(scaleFactor >= 1.001 && scaleFactor <= 16, "scaleFactor", scaleFactor, "1.001 to 16")
    try check.require((1...64).contains(stride), "stride", stride, "1 to 64 steps")
    try check.require((0...64).contains(padding), "padding", padding, "0 to 64 steps")
    try check.require(
      sharedLevels == 1 || (levelRule == .exact && (1...16).contains(sharedLevels)), "sharedLevels", sharedLevels,
      levelRule == .exact ? "1 to 16 levels" : "1 with OpenCV's levels")
    try check.require((1...1000).contains(scoredStages ?? 1), "scoredStages", scoredStages ?? 1, "1 to 1000 stages")
    if let maximumDetections {
      try check.require(maximumDetections >= 0, "maximumDetections", maximumDetections, "0 or more")
    }
    if case .greedy(let greedy) = suppression {
      try check.require((0...1).contains(greedy.overlap), "suppression.overlap", greedy.overlap, "0 to 1")
      if let across = greedy.acrossLabels {
        try check.require((0...1).contains(across), "suppression.acrossLabels", across, "0 to 1")
      }
      try check.require(
        greedy.accumulation >= 0 && greedy.accumulation.isFinite, "suppression.accumulation", greedy.accumulation,
        "0 or more")
      try check.require(
        greedy.accumulationFloor?.isFinite ?? true, "suppression.accumulationFloor", greedy.accumulationFloor ?? 0,
        "a finite number")
    }
    if case .groupRectangles(let grouping) = suppression {
      try check.require(grouping.threshold >= 0, "suppression.threshold", grouping.threshold, "0 or more")
      try check.require((0...1).contains(grouping.epsilon), "suppression.epsilon", grouping.epsilon, "0 to 1")
    }
  }

  /// The options that matter most, in a line.
  public var summary: String {
    "scan: threshold \(threshold), scale factor \((scaleFactor * 1000).rounded() / 1000), upsampling "
      + upsampling.rawValue
  }

  private enum CodingKeys: String, CodingKey {
    case threshold, minimumHeight, maximumHeight, scaleFactor, upsampling, stride, padding, levelRule, suppression
    case maximumDetections, sharedLevels, scoredStages
  }

  /// Writes an object. Options that came after the first model files are left out where they have their default, so that
  /// the same model keeps the same bytes.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(threshold, forKey: .threshold)
    try values.encodeIfPresent(minimumHeight, forKey: .minimumHeight)
    try values.encodeIfPresent(maximumHeight, forKey: .maximumHeight)
    try values.encode(scaleFactor, forKey: .scaleFactor)
    try values.encode(upsampling, forKey: .upsampling)
    try values.encode(stride, forKey: .stride)
    try values.encode(padding, forKey: .padding)
    try values.encode(levelRule, forKey: .levelRule)
    try values.encode(suppression, forKey: .suppression)
    try values.encodeIfPresent(maximumDetections, forKey: .maximumDetections)
    if sharedLevels != 1 { try values.encode(sharedLevels, forKey: .sharedLevels) }
    try values.encodeIfPresent(scoredStages, forKey: .scoredStages)
  }

  /// Reads an object; what is left out takes its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    threshold = try values.decodeIfPresent(Double.self, forKey: .threshold) ?? threshold
    minimumHeight = try values.decodeIfPresent(Double.self, forKey: .minimumHeight)
    maximumHeight = try values.decodeIfPresent(Double.self, forKey: .maximumHeight)
    scaleFactor = try values.decodeIfPresent(Double.self, forKey: .scaleFactor) ?? scaleFactor
    upsampling = try values.decodeIfPresent(Upsampling.self, forKey: .upsampling) ?? upsampling
    stride = try values.decodeIfPresent(Int.self, forKey: .stride) ?? stride
    padding = try values.decodeIfPresent(Int.self, forKey: .padding) ?? padding
    levelRule = try values.decodeIfPresent(LevelRule.self, forKey: .levelRule) ?? levelRule
    suppression = try values.decodeIfPresent(Suppression.self, forKey: .suppression) ?? suppression
    maximumDetections = try values.decodeIfPresent(Int.self, forKey: .maximumDetections)
    sharedLevels = try values.decodeIfPresent(Int.self, forKey: .sharedLevels) ?? sharedLevels
    scoredStages = try values.decodeIfPresent(Int.self, forKey: .scoredStages)
    try validate()
  }
}
