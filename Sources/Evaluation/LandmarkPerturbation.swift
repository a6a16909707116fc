import LinearAlgebra

/// Errors with boxes that are moved off their places, drawn several times: one point of the curve of error against
/// perturbation.
public struct LandmarkPerturbation: Hashable, Sendable {
  /// What is changed of a box, by up to `size` of its side.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case both = "shift and scale"
    case shift
    case scale
  }

  public var kind: Kind
  /// As a share of the box's side.
  public var size: Double
  /// The mean error of each draw; `nil` where there was nothing to measure.
  public var means: [Double?]

  public init(kind: Kind, size: Double, means: [Double?]) {
    self.kind = kind
    self.size = size
    self.means = means
  }

  /// The mean over the draws.
  public var mean: Double? { Statistics.mean(means.compactMap { $0 }) }

  /// How much larger each draw's error is than that of the boxes as they are, as a share of it.
  public func growths(over still: Double?) -> [Double] {
    guard let still, still > 0 else { return [] }
    return means.compactMap { $0.map { $0 / still - 1 } }
  }

  /// The mean growth, and the standard deviation of single draws about it; `nil` with no draw, and with fewer than two.
  public func growth(over still: Double?) -> (mean: Double?, deviation: Double?) {
    let values = growths(over: still)
    guard let mean = Statistics.mean(values) else { return (nil, nil) }
    guard values.count > 1 else { return (mean, nil) }
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, (squares / Double(values.count - 1)).squareRoot())
  }
}
