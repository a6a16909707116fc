import Execution
import Foundation

extension PixelPool {
  /// Pixels spread evenly over the mean shape's box, widened by `padding` box units, each hung on its nearest landmark.
  static func random(
    count: Int, meanShape: [Float], padding: Double, using random: inout RandomStream
  ) -> PixelPool {
    let xs = stride(from: 0, to: meanShape.count, by: 2).map { Double(meanShape[$0]) }
    let ys = stride(from: 1, to: meanShape.count, by: 2).map { Double(meanShape[$0]) }
    let (x0, x1) = (xs.min()! - padding, xs.max()! + padding)
    let (y0, y1) = (ys.min()! - padding, ys.max()! + padding)
    var pool = PixelPool(anchors: [], offsetX: [], offsetY: [])
    for _ in 0..<count {
      let x = x0 + (x1 - x0) * random.uniform()
      let y = y0 + (y1 - y0) * random.uniform()
      var nearest = 0
      var best = Double.infinity
      for k in xs.indices {
        let distance = (xs[k] - x) * (xs[k] - x) + (ys[k] - y) * (ys[k] - y)
        if distance < best { (best, nearest) = (distance, k) }
      }
      pool.anchors.append(UInt16(nearest))
      pool.offsetX.append(Float(x - xs[nearest]))
      pool.offsetY.append(Float(y - ys[nearest]))
    }
    return pool
  }

  /// Where the pixels lie on the mean shape.
  func places(on meanShape: [Float]) -> [SIMD2<Float>] {
    (0..<count).map {
      let anchor = 2 * Int(anchors[$0])
      return SIMD2(meanShape[anchor] + offsetX[$0], meanShape[anchor + 1] + offsetY[$0])
    }
  }
}

/// Draws pairs of pixels with a probability that falls as `exp(-distance / scale)` (Kazemi and Sullivan 2014, 2.3.3).
struct PixelPairs {
  /// For each first pixel, the sums of the weights of second pixels up to each.
  private let sums: [Float]
  /// Sums of the rows' totals.
  private let rows: [Double]
  private let count: Int

  init(_ places: [SIMD2<Float>], scale: Double) {
    count = places.count
    var sums = [Float](repeating: 0, count: count * count)
    var rows: [Double] = []
    var total = 0.0
    // The nearest distance is taken off so that a scale far below it does not leave every weight at 0.
    var nearest = Float.infinity
    for i in 0..<count {
      for j in 0..<i {
        let d = places[i] - places[j]
        nearest = min(nearest, (d * d).sum())
      }
    }
    let least = Double(nearest.isFinite ? nearest.squareRoot() : 0)
    for i in 0..<count {
      var sum: Float = 0
      for j in 0..<count {
        if i != j {
          let d = places[i] - places[j]
          sum += Float(exp(-(Double((d * d).sum().squareRoot()) - least) / scale))
        }
        sums[i * count + j] = sum
      }
      total += Double(sum)
      rows.append(total)
    }
    self.sums = sums
    self.rows = rows
  }

  func draw(using random: inout RandomStream) -> (first: Int, second: Int) {
    let wanted = random.uniform() * rows[count - 1]
    let first = min(count - 1, PixelPairs.search(count) { rows[$0] > wanted })
    let base = first * count
    let target = Float(random.uniform()) * sums[base + count - 1]
    var second = min(count - 1, PixelPairs.search(count) { sums[base + $0] > target })
    if second == first { second = first == 0 ? 1 : first - 1 }
    return (first, second)
  }

  /// The first index whose value passes; `count` where none does.
  private static func search(_ count: Int, _ passes: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if passes(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
