import Detection
import Execution
import Geometry

/// Everything that a cascade's training needs: data sets and options. What `windhover-train cascade --config` reads, and the
/// `train` part of an experiment (`"family": "cascade"`).
public struct CascadeTrainingJob: TrainingJob {
  public static let family = "cascade"

  /// Photos with objects, or packed samples (`vec:FILE`).
  public var positives: [AnnotatedSource]
  /// Labels of the annotations that are objects; `nil` takes all.
  public var objects: [String]?
  /// Photos whose windows are negatives: without objects, or away from those that are annotated.
  public var negatives: [AnnotatedSource]
  /// Samples to measure the cascade on when it is done, none of them trained on; empty: no measure.
  public var validationPositives: [AnnotatedSource]
  public var validationNegatives: [AnnotatedSource]
  /// The most windows that are looked at to measure false alarms, 1 to 10^9; `nil` is `defaultValidationWindows`. Means
  /// nothing, and is refused, where nothing is measured.
  public var validationWindows: Int?

  public static let defaultValidationWindows = 2_000_000
  /// Annotated photos that confidences are fitted to, none of them trained on; `nil` or empty: no confidences.
  public var calibration: [AnnotatedSource]?
  /// What the options of a file begin with: those that it leaves out.
  public var preset: CascadePreset
  public var options: CascadeTrainerOptions
  /// How objects become windows.
  public var sampling: Sampling
  /// Which windows of the photos are negatives.
  public var lattice: Lattice
  /// Whether entries of the data sets that cannot be read are left out with a warning; `nil` refuses them.
  public var leavesOutFaults: Bool?
  /// Scan options that the model keeps in place of the family's own, for example `{"threshold": -2}`.
  public var scan: JSONTree?

  /// As `PositiveSampleOptions`, without what the training's options say already.
  ///
  /// Where nobody says how many `copies` there are to be, there are none if the objects are enough for a stage, and
  /// otherwise as many as fill a stage, up to ``mostCopiesOfItself``.
  public struct Sampling: Hashable, Codable, Sendable {
    public var fit: PositiveSampleOptions.Fit?
    public var context: Double?
    public var largestEnlargement: Double?
    public var leastVisibleShare: Double?
    public var mirrors: Bool?
    public var copies: Int?
    public var jitterShift: Double?
    public var jitterScale: Double?
    public var jitterRotation: Double?

    public init() {}
  }

  /// As `NegativeWindowOptions`, without what the training's options say already.
  public struct Lattice: Hashable, Codable, Sendable {
    public var scaleFactor: Double?
    public var stride: Int?
    public var overlapLimit: Double?
    public var smallestWindow: PixelSize?
    public var largestWindow: PixelSize?

    public init() {}
  }

  public init(
    positives: [AnnotatedSource], negatives: [AnnotatedSource], preset: CascadePreset = .openCV,
    options: CascadeTrainerOptions? = nil
  ) {
    self.positives = positives
    self.negatives = negatives
    self.preset = preset
    self.options = options ?? preset.options
    validationPositives = []
    validationNegatives = []
    sampling = Sampling()
    lattice = Lattice()
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      positives: try values.decode([AnnotatedSource].self, forKey: .positives),
      negatives: try values.decodeIfPresent([AnnotatedSource].self, forKey: .negatives) ?? [],
      preset: try values.decodeIfPresent(CascadePreset.self, forKey: .preset) ?? .openCV)
    options = try JSONTree.decode(
      values.decodeIfPresent(JSONTree.self, forKey: .options) ?? .object([:]), over: preset.options,
      at: CodingKeys.options)
    validationPositives = try values.decodeIfPresent([AnnotatedSource].self, forKey: .validationPositives) ?? []
    validationNegatives = try values.decodeIfPresent([AnnotatedSource].self, forKey: .validationNegatives) ?? []
    validationWindows = try values.decodeIfPresent(Int.self, forKey: .validationWindows)
    calibration = try values.decodeIfPresent([AnnotatedSource].self, forKey: .calibration)
    objects = try values.decodeIfPresent([String].self, forKey: .objects)
    sampling = try values.decodeIfPresent(Sampling.self, forKey: .sampling) ?? Sampling()
    lattice = try values.decodeIfPresent(Lattice.self, forKey: .lattice) ?? Lattice()
    leavesOutFaults = try values.decodeIfPresent(Bool.self, forKey: .leavesOutFaults)
    scan = try values.decodeIfPresent(JSONTree.self, forKey: .scan)
  }

  /// - Throws: `InputError` for a role without a data set, and for what is said of a measure that cannot be taken.
  func checkRoles() throws {
    func fault(_ field: String, _ problem: String, found: String? = nil, expected: String? = nil) -> InputError {
      InputError(source: "training", field: field, problem: problem, found: found, expected: expected)
    }
    guard !positives.isEmpty else { throw fault("positives", "names no data set") }
    guard !negatives.isEmpty else { throw fault("negatives", "names no data set") }
    guard validationPositives.isEmpty == validationNegatives.isEmpty else {
      throw fault(
        "validation", "needs positives and negatives",
        found: validationPositives.isEmpty ? "negatives alone" : "positives alone")
    }
    guard let validationWindows else { return }
    guard (1...1_000_000_000).contains(validationWindows) else {
      throw fault("validationWindows", "out of range", found: "\(validationWindows)", expected: "1 to 1000000000")
    }
    guard !validationPositives.isEmpty else {
      throw fault(
        "validationWindows", "means nothing without validation sets", found: "\(validationWindows)",
        expected: "validation positives and negatives (--validation, --validation-negatives)")
    }
  }

  /// How objects become windows, in full.
  public var positiveOptions: PositiveSampleOptions {
    var result = PositiveSampleOptions(windowSize: options.windowSize)
    result.seed = options.seed
    result.fit = sampling.fit ?? result.fit
    result.context = sampling.context ?? result.context
    result.largestEnlargement = sampling.largestEnlargement ?? result.largestEnlargement
    result.leastVisibleShare = sampling.leastVisibleShare ?? result.leastVisibleShare
    result.mirrors = sampling.mirrors ?? result.mirrors
    result.copies = sampling.copies ?? result.copies
    result.jitterShift = sampling.jitterShift ?? result.jitterShift
    result.jitterScale = sampling.jitterScale ?? result.jitterScale
    result.jitterRotation = sampling.jitterRotation ?? result.jitterRotation
    return result
  }

  /// Which windows are negatives, in full.
  public var negativeOptions: NegativeWindowOptions {
    var result = NegativeWindowOptions(windowSize: options.windowSize)
    result.seed = options.seed
    result.scaleFactor = lattice.scaleFactor ?? result.scaleFactor
    result.stride = lattice.stride ?? result.stride
    result.overlapLimit = lattice.overlapLimit ?? result.overlapLimit
    result.smallestWindow = lattice.smallestWindow ?? result.smallestWindow
    result.largestWindow = lattice.largestWindow ?? result.largestWindow
    return result
  }
}

extension CascadeTrainingReport: TrainingReport {}
