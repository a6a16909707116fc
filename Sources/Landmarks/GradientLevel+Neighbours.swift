import Geometry

/// Levels whose outputs see their point's neighbourhood alone.
///
/// In place of one map from all points' features to the whole shape's change, each point has a map from the features of its
/// nearest points. With thousands of features and few thousand faces a map from all learns much that is chance; one from
/// near by learns less of it and takes no longer (Ren et al., CVPR 2014, learn features point by point, but regress
/// globally; this level does the reverse).
extension GradientLevel {
  /// For each point the `count` points nearest to it in the mean shape (of two equally near ones the first), in rising
  /// order; all points where there are no more.
  static func neighbours(_ meanShape: [Float], count: Int) -> [UInt16] {
    let points = meanShape.count / 2
    return (0..<points).flatMap { point in
      let distances = (0..<points).map { other in
        let dx = meanShape[2 * other] - meanShape[2 * point]
        let dy = meanShape[2 * other + 1] - meanShape[2 * point + 1]
        // Points in one place must not push a point out of its own neighbourhood.
        return other == point ? -1 : dx * dx + dy * dy
      }
      let nearest = (0..<points).sorted { (distances[$0], $0) < (distances[$1], $1) }
      return nearest.prefix(count).sorted().map { UInt16($0) }
    }
  }

  func changeByNeighbours(
    _ features: UnsafePointer<Int16>, values: Int, to change: UnsafeMutablePointer<Float>
  ) {
    let seen = 2 * neighbours.count / values
    let each = reading.featureCount(points: 1)
    neighbours.withUnsafeBufferPointer { neighbours in
      for k in 0..<values {
        let near = neighbours.baseAddress! + k / 2 * seen
        var sum: Float = 0
        switch weights {
        case .float(let table):
          table.withUnsafeBufferPointer { table in
            let row = table.baseAddress! + k * seen * each
            for j in 0..<seen { sum += product(features + Int(near[j]) * each, row + j * each, each) }
          }
        case .int16(let table, let scale):
          table.withUnsafeBufferPointer { table in
            let row = table.baseAddress! + k * seen * each
            for j in 0..<seen { sum += product(features + Int(near[j]) * each, row + j * each, each) }
          }
          sum *= scale
        case .int8(let table, let scale):
          table.withUnsafeBufferPointer { table in
            sum = scale * product(features, near, seen, each: each, table.baseAddress! + k * seen * each)
          }
        }
        change[k] = sum + bias[k]
      }
    }
  }
}

/// The product of a row of weights with `each` features of each of `seen` points.
///
/// In whole numbers, 2^14 products at a time at most, which stay within 32 bits.
@inline(never)
private func product(
  _ features: UnsafePointer<Int16>, _ near: UnsafePointer<UInt16>, _ seen: Int, each: Int,
  _ row: UnsafePointer<Int8>
) -> Float {
  var total: Float = 0
  let block = max(1, 16_384 / each)
  var start = 0
  while start < seen {
    let end = min(seen, start &+ block)
    var sum: Int32 = 0
    for j in start..<end { sum &+= wholeProduct(features + Int(near[j]) &* each, row + j &* each, each) }
    total += Float(sum)
    start = end
  }
  return total
}
