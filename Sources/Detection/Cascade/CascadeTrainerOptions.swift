import Execution
import Features
import Geometry
import Learning

/// How a cascade is trained; the defaults are those of `opencv_traincascade`.
public struct CascadeTrainerOptions: Hashable, Sendable, Codable {
  /// What a cascade's features are.
  public enum Features: String, NamedChoice, Hashable, Sendable {
    case haarBasic = "haar-basic"
    case haarCore = "haar-core"
    case haarAll = "haar-all"
    case lbp

    /// All of them that fit in a window, in OpenCV's order.
    public func all(in window: PixelSize) -> CascadeFeatures {
      switch self {
      case .haarBasic: .haar(HaarFeatureSet.basic.features(in: window))
      case .haarCore: .haar(HaarFeatureSet.core.features(in: window))
      case .haarAll: .haar(HaarFeatureSet.all.features(in: window))
      case .lbp: .blockPatterns(BlockPattern.all(in: window))
      }
    }

    /// How many there are in a window.
    /// - Complexity: O(area of the window); nothing is listed.
    public func count(in window: PixelSize) -> Int {
      switch self {
      case .haarBasic: HaarFeatureSet.basic.featureCount(in: window)
      case .haarCore: HaarFeatureSet.core.featureCount(in: window)
      case .haarAll: HaarFeatureSet.all.featureCount(in: window)
      case .lbp: BlockPattern.count(in: window)
      }
    }

    /// Memory that a feature takes, rounded up: of a Haar feature its entry in a list (16), its boxes on the heap (128 or
    /// 160), its corners (up to 9, 8 bytes each), its start and its binning (12); of a pattern its entry, and 8 for growth.
    var bytesEach: Int { self == .lbp ? 40 : 248 }
  }

  /// What detections are called: not blank.
  public var label: String
  /// The detection window in pixels.
  public var windowSize: PixelSize
  public var features: Features
  public var boosting: BoostingOptions
  /// The share of all features that a stage's trees choose among, drawn anew for each stage: a quarter trains nearly as well as
  /// all, in a quarter of the time (Escudero et al., "Boosting applied to word sense disambiguation", ECML 2000, whose
  /// LazyBoosting draws for each tree). `nil` is all.
  public var featureShare: Double?
  /// The most stages (of a soft cascade: rounds of bootstrapping).
  public var stageCount: Int
  /// The share of positives that each stage must let pass.
  public var hitRate: Double
  /// The share of negatives that each stage may let pass: trees are added until it is no more.
  public var falseAlarmRate: Double
  /// What single stages have in place of the rates above and of the boosting's greatest number of trees: the first element is
  /// of the first stages, and so on; stages behind the last element have what the options say. `nil` is of no stage.
  public var stagePlan: [StageRule]?
  /// Training ends when the cascade lets no greater share of all windows pass; `nil` is `falseAlarmRate` to the power of
  /// `stageCount`.
  public var falseAlarmGoal: Double?
  /// Positives of a stage; where fewer are left, fewer.
  public var positiveCount: Int
  /// Negatives of a stage. Where stages have rejected so many positives that they can no longer all be replaced, fewer in
  /// proportion: a stage of many negatives and few positives rejects too many of the latter.
  public var negativeCount: Int
  /// One boosted classifier with a rejection trace in place of stages.
  public var isSoft: Bool
  /// The most memory in megabytes (10^6 bytes) for samples, their integral images and features' bytes.
  public var memory: Int
  public var seed: UInt64

  public init(
    label: String = "object", windowSize: PixelSize = PixelSize(width: 24, height: 24), features: Features = .haarBasic
  ) {
    self.label = label
    self.windowSize = windowSize
    self.features = features
    boosting = BoostingOptions()
    featureShare = nil
    stageCount = 20
    hitRate = 0.995
    falseAlarmRate = 0.5
    stagePlan = nil
    falseAlarmGoal = nil
    positiveCount = 2000
    negativeCount = 1000
    isSoft = false
    memory = 2048
    seed = 1
  }

  /// Reads an object; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    label = try values.decodeIfPresent(String.self, forKey: .label) ?? label
    windowSize = try values.decodeIfPresent(PixelSize.self, forKey: .windowSize) ?? windowSize
    features = try values.decodeIfPresent(Features.self, forKey: .features) ?? features
    boosting = try values.decodeIfPresent(BoostingOptions.self, forKey: .boosting) ?? boosting
    featureShare = try values.decodeIfPresent(Double.self, forKey: .featureShare)
    stageCount = try values.decodeIfPresent(Int.self, forKey: .stageCount) ?? stageCount
    hitRate = try values.decodeIfPresent(Double.self, forKey: .hitRate) ?? hitRate
    falseAlarmRate = try values.decodeIfPresent(Double.self, forKey: .falseAlarmRate) ?? falseAlarmRate
    stagePlan = try values.decodeIfPresent([StageRule].self, forKey: .stagePlan)
    falseAlarmGoal = try values.decodeIfPresent(Double.self, forKey: .falseAlarmGoal)
    positiveCount = try values.decodeIfPresent(Int.self, forKey: .positiveCount) ?? positiveCount
    negativeCount = try values.decodeIfPresent(Int.self, forKey: .negativeCount) ?? negativeCount
    isSoft = try values.decodeIfPresent(Bool.self, forKey: .isSoft) ?? isSoft
    memory = try values.decodeIfPresent(Int.self, forKey: .memory) ?? memory
    seed = try values.decodeIfPresent(UInt64.self, forKey: .seed) ?? seed
  }

  /// The share of windows at which the cascade is good enough.
  public var goal: Double {
    falseAlarmGoal ?? (1...max(stageCount, 1)).reduce(1) { $0 * rule(ofStage: $1).falseAlarmRate }
  }

  /// Checks ranges.
  /// - Throws: `InputError` that names the field.
  public func validate(source: String = "training options") throws {
    let range = FieldCheck(source: source)
    func check(_ field: String, _ isValid: Bool, _ found: Any, _ expected: String) throws {
      try range.require(isValid, field, found, expected)
    }
    try check(
      "label", label.contains { !$0.isWhitespace }, "\"\(label)\"", "a name that is not blank")
    let size = "\(windowSize.width) x \(windowSize.height)"
    // A scan normalises by what lies inside a border of one pixel.
    try check("windowSize", windowSize.width >= 3 && windowSize.height >= 3, size, "at least 3 x 3 pixels")
    try check(
      "windowSize",
      windowSize.width <= 1024 && windowSize.height <= 1024
        && windowSize.width * windowSize.height <= CascadeTrainerOptions.largestArea, size,
      "at most \(CascadeTrainerOptions.largestArea) pixels")
    try boosting.validate(source: source)
    if let featureShare {
      try check("featureShare", featureShare > 0 && featureShare <= 1, featureShare, "more than 0, at most 1")
    }
    try check("stageCount", (1...1000).contains(stageCount), stageCount, "1 to 1000")
    try check("hitRate", hitRate > 0 && hitRate < 1, hitRate, "more than 0, less than 1")
    try check("falseAlarmRate", falseAlarmRate > 0 && falseAlarmRate < 1, falseAlarmRate, "more than 0, less than 1")
    for (index, rule) in (stagePlan ?? []).enumerated() {
      func checkRule(_ name: String, _ isValid: Bool, _ found: Any?, _ expected: String) throws {
        try check("stagePlan[\(index)].\(name)", isValid, found ?? "-", expected)
      }
      try checkRule("stages", (1...1000).contains(rule.stages), rule.stages, "1 to 1000")
      let rates = 0.0...1.0
      try checkRule(
        "hitRate", rule.hitRate.map { rates.contains($0) && $0 > 0 && $0 < 1 } ?? true, rule.hitRate,
        "more than 0, less than 1")
      try checkRule(
        "falseAlarmRate", rule.falseAlarmRate.map { rates.contains($0) && $0 > 0 && $0 < 1 } ?? true,
        rule.falseAlarmRate, "more than 0, less than 1")
      try checkRule(
        "maximumTreeCount", (1...100_000).contains(rule.maximumTreeCount ?? 1), rule.maximumTreeCount, "1 to 100000")
    }
    if let falseAlarmGoal {
      try check("falseAlarmGoal", falseAlarmGoal >= 0 && falseAlarmGoal < 1, falseAlarmGoal, "0 to less than 1")
    }
    try check("positiveCount", (2...10_000_000).contains(positiveCount), positiveCount, "2 to 10000000")
    try check("negativeCount", (2...10_000_000).contains(negativeCount), negativeCount, "2 to 10000000")
    let megabytes = CascadeTrainerOptions.memoryRange
    try check(
      "memory", megabytes.contains(memory), memory, "\(megabytes.lowerBound) to \(megabytes.upperBound) MB")
    let needed = sampleBytes + featureBytes + 8_000_000
    guard memory * 1_000_000 >= needed else {
      throw InputError(
        source: source, field: "memory", problem: "out of range", found: "\(memory) MB",
        expected:
          "at least \((needed + 999_999) / 1_000_000) MB for \(positiveCount) + \(negativeCount) samples of \(size) "
          + "and \(features.count(in: windowSize)) features",
        hint: featureBytes > sampleBytes
          ? "a smaller window or another set of features (lbp has the fewest) takes less" : "fewer samples take less")
    }
  }

  /// What `memory` may be, in megabytes.
  public static let memoryRange = 16...1_000_000

  /// Larger windows' sums are not exact in single precision.
  static let largestArea = 65_025

  /// Bytes of a stage's samples, in the lists they are gathered in and in one piece.
  var sampleBytes: Int { 2 * (positiveCount + negativeCount) * windowSize.width * windowSize.height }

  /// Bytes of all features of the window as they are listed and as they are computed by, and of what boosting keeps of each,
  /// whatever the number of samples.
  var featureBytes: Int { features.count(in: windowSize) * features.bytesEach }
}
