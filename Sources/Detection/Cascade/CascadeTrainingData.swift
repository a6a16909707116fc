import Execution
import Geometry

/// What a cascade is trained from.
public struct CascadeTrainingData: Sendable {
  public var positives: any PositiveSamples
  public var negatives: NegativeWindows
  /// A digest of both, by which a resumed training knows its data.
  public var checksum: String
  /// Samples to measure the cascade on when it is done, none of them trained on.
  public var validation: Validation?

  public struct Validation: Sendable {
    public var positives: any PositiveSamples
    public var negatives: NegativeWindows
    /// The most windows that are looked at.
    public var windowLimit: Int

    public init(positives: any PositiveSamples, negatives: NegativeWindows, windowLimit: Int = 2_000_000) {
      self.positives = positives
      self.negatives = negatives
      self.windowLimit = windowLimit
    }
  }

  public init(
    positives: any PositiveSamples, negatives: NegativeWindows, checksum: String, validation: Validation? = nil
  ) {
    self.positives = positives
    self.negatives = negatives
    self.checksum = checksum
    self.validation = validation
  }

  /// - Throws: `InputError` where there is nothing to train on, or windows have another size.
  func check(_ options: CascadeTrainerOptions) throws {
    let wanted = options.windowSize
    func same(_ size: PixelSize, _ source: String) throws {
      guard size != wanted else { return }
      throw InputError(
        source: source, field: "windowSize", problem: "is not that of the training",
        found: "\(size.width) x \(size.height)", expected: "\(wanted.width) x \(wanted.height)")
    }
    try same(positives.windowSize, "positives")
    try same(negatives.options.windowSize, "negatives")
    if let validation {
      try same(validation.positives.windowSize, "validation positives")
      try same(validation.negatives.options.windowSize, "validation negatives")
      try validation.negatives.requireWindows()
      guard validation.windowLimit >= 1 else {
        throw InputError(
          source: "validation", field: "windowLimit", problem: "out of range", found: "\(validation.windowLimit)",
          expected: "1 or more")
      }
    }
    guard positives.count > 0 else { throw InputError(source: "positives", problem: "there are none") }
    try negatives.requireWindows()
  }
}
