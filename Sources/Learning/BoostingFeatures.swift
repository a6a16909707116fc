/// Values of numbered features over numbered samples, computed when they are asked for: what `Booster` learns from.
///
/// Several threads ask at once. The same question has the same answer while a training runs.
public protocol BoostingFeatures: Sendable {
  var featureCount: Int { get }
  var sampleCount: Int { get }

  /// Whether values are categories 0...255, which have no order, or numbers.
  var areCategories: Bool { get }

  /// Fills in a byte for each of some features and every sample: the category, or the bin of an ordered value: a greater
  /// value has no lower bin. Bins may be as coarse as they like; thresholds are found on the values themselves.
  ///
  /// - Parameters:
  ///   - features: indices in `0..<featureCount`.
  ///   - bytes: room for `features.count` rows of `sampleCount`, a row a feature.
  func fillBytes(_ features: Range<Int>, into bytes: UnsafeMutablePointer<UInt8>)

  /// Fills in a feature's value for every sample, as the trained classifier will see it. Not asked of categories.
  func fillValues(_ feature: Int, into values: UnsafeMutablePointer<Float>)
}
