import Features

/// The features that a cascade's trees name by their index.
public enum CascadeFeatures: Hashable, Sendable {
  /// Values are divided by the window's contrast; trees compare them with thresholds.
  case haar([HaarFeature])
  /// Values are categories 0...255; trees look them up in sets.
  case blockPatterns([BlockPattern])

  public var count: Int {
    switch self {
    case .haar(let features): features.count
    case .blockPatterns(let features): features.count
    }
  }

  /// Those of some numbers, in that order.
  func chosen(_ indices: [Int]) -> CascadeFeatures {
    switch self {
    case .haar(let features): .haar(indices.map { features[$0] })
    case .blockPatterns(let features): .blockPatterns(indices.map { features[$0] })
    }
  }
}
