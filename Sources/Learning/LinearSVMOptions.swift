import Execution

/// How a linear SVM is trained.
public struct LinearSVMOptions: Hashable, Codable, Sendable {
  /// The penalty of a margin `m = y (w . x + b)` below 1.
  public enum Loss: String, NamedChoice, Hashable, Sendable {
    /// `max(0, 1 - m)`: L1 loss.
    case hinge
    /// `max(0, 1 - m)^2`: L2 loss.
    case squaredHinge
  }

  public var loss: Loss
  /// The price C of a unit of loss, 1e-9 to 1e9. 0.01 is the value of Dalal and Triggs (2005) for HOG.
  public var cost: Double
  /// Multiplies the cost of positive samples; 1e-9 to 1e9.
  public var positiveWeight: Double
  /// Multiplies the cost of negative samples; 1e-9 to 1e9.
  public var negativeWeight: Double
  /// The value of the constant feature whose weight makes the bias, or `nil` for no bias. The bias is regularised like
  /// every weight, less so the larger this value, which is at most 1e6.
  public var biasScale: Double?
  /// Training may end when the largest and smallest projected gradient of the dual differ by no more than this
  /// (liblinear's criterion). It says little about the objective: see `relativeGap`.
  public var tolerance: Double
  /// Training goes on, with ever smaller tolerance, until the duality gap is at most this share of the primal objective,
  /// which is then no further from the best one; `nil` leaves it to `tolerance` alone, as liblinear does. Above 512 features
  /// the inner loop is in single precision, and with a large cost a gap below 1e-4 may be out of its reach.
  public var relativeGap: Double?
  /// Passes after which training ends unconverged.
  public var maximumIterations: Int
  /// Sets samples aside that seem to stay at a bound. Changes the time taken, not the answer within `tolerance`.
  public var shrinking: Bool

  public init(
    loss: Loss = .hinge, cost: Double = 0.01, positiveWeight: Double = 1, negativeWeight: Double = 1,
    biasScale: Double? = 1, tolerance: Double = 0.1, relativeGap: Double? = 1e-4,
    maximumIterations: Int = 1000, shrinking: Bool = true
  ) {
    self.loss = loss
    self.cost = cost
    self.positiveWeight = positiveWeight
    self.negativeWeight = negativeWeight
    self.biasScale = biasScale
    self.tolerance = tolerance
    self.relativeGap = relativeGap
    self.maximumIterations = maximumIterations
    self.shrinking = shrinking
  }

  /// Costs and class weights that sums in double precision can tell from nothing and from infinity.
  static let usefulCosts = 1e-9...1e9
  static let greatestBiasScale = 1e6

  /// - Throws: `LearningError.badOption` naming the first option out of range.
  public func validate() throws {
    func check(_ name: String, _ value: Double) throws {
      guard value > 0, value.isFinite else {
        throw LearningError.badOption(name: name, found: "\(value)", expected: "a finite number above 0")
      }
    }
    for (name, value) in [("cost", cost), ("positiveWeight", positiveWeight), ("negativeWeight", negativeWeight)] {
      guard LinearSVMOptions.usefulCosts.contains(value) else {
        throw LearningError.badOption(name: name, found: "\(value)", expected: "1e-9 to 1e9")
      }
    }
    try check("tolerance", tolerance)
    if let relativeGap { try check("relativeGap", relativeGap) }
    if let biasScale, !(biasScale > 0 && biasScale <= LinearSVMOptions.greatestBiasScale) {
      throw LearningError.badOption(name: "biasScale", found: "\(biasScale)", expected: "more than 0, at most 1e6")
    }
    guard maximumIterations >= 1 else {
      throw LearningError.badOption(name: "maximumIterations", found: "\(maximumIterations)", expected: "1 or more")
    }
  }
}
