import Learning

/// Features whose values are listed: a row a feature.
struct ListedFeatures: BoostingFeatures {
  var values: [[Float]]
  var areCategories = false
  /// Bins of ordered values.
  var binCount = 256

  var featureCount: Int { values.count }
  var sampleCount: Int { values[0].count }

  func fillBytes(_ features: Range<Int>, into bytes: UnsafeMutablePointer<UInt8>) {
    for feature in features {
      let row = values[feature]
      let (low, high) = (row.min()!, row.max()!)
      for (sample, value) in row.enumerated() {
        let byte =
          areCategories
          ? Int(value) : high > low ? min(binCount - 1, Int((value - low) / (high - low) * Float(binCount))) : 0
        bytes[(feature - features.lowerBound) * sampleCount + sample] = UInt8(byte)
      }
    }
  }

  func fillValues(_ feature: Int, into values: UnsafeMutablePointer<Float>) {
    for (sample, value) in self.values[feature].enumerated() { values[sample] = value }
  }
}
