import Foundation
import Imaging

/// Slow, obvious forms of both HOG variants in double precision, written from the rules in their documentation.
public enum HOGOracle {
  /// A pixel's gradient after `value`, in the channel of the largest magnitude; ties by `channels`' order.
  static func gradient(
    _ image: ByteImage, _ x: Int, _ y: Int, channels: [Int], reach: Int = 1, value: (UInt8) -> Double
  ) -> (dx: Double, dy: Double) {
    func at(_ column: Int, _ row: Int, _ channel: Int) -> Double {
      value(
        image.pixels[
          (mirror(row, image.height) * image.width + mirror(column, image.width)) * image.channelCount + channel])
    }
    var best = (dx: 0.0, dy: 0.0)
    var square = -1.0
    for channel in channels {
      let dx = at(x + reach, y, channel) - at(x - reach, y, channel)
      let dy = at(x, y + reach, channel) - at(x, y - reach, channel)
      if dx * dx + dy * dy > square {
        best = (dx, dy)
        square = dx * dx + dy * dy
      }
    }
    return best
  }

  /// A pixel's gradient in the weighted sum of the red, green and blue values.
  static func gradient(
    _ image: ByteImage, _ x: Int, _ y: Int, weights: [Double], reach: Int, value: (UInt8) -> Double
  ) -> (dx: Double, dy: Double) {
    func at(_ column: Int, _ row: Int) -> Double {
      let pixel = (mirror(row, image.height) * image.width + mirror(column, image.width)) * image.channelCount
      // A grey image is one of three equal channels.
      return (0..<3).reduce(0) { $0 + weights[$1] * value(image.pixels[pixel + min($1, image.channelCount - 1)]) }
    }
    return (at(x + reach, y) - at(x - reach, y), at(x, y + reach) - at(x, y - reach))
  }

  static func mirror(_ position: Int, _ count: Int) -> Int {
    if count == 1 { return 0 }
    var position = position
    while position < 0 || position >= count {
      position = position < 0 ? -position : 2 * (count - 1) - position
    }
    return position
  }

  /// One Dalal-Triggs block whose top left pixel is `(x0, y0)`, by `[cellRow][cellColumn][bin]`.
  ///
  /// - Parameters:
  ///   - channelWeights: of red, green and blue in the plane that gradients are taken of; `nil`: of the strongest channel.
  ///   - window: the block window's factor at a pixel's place along one side.
  public static func block(
    _ image: ByteImage, x0: Int, y0: Int, cellSize: Int, cells: Int, bins: Int, signed: Bool, squareRoot: Bool,
    clip: Double, channelWeights: [Double]? = nil, reach: Int = 1, window: (Int) -> Double
  ) -> [[[Double]]] {
    var histogram = [[[Double]]](
      repeating: [[Double]](repeating: [Double](repeating: 0, count: bins), count: cells), count: cells)
    let range = signed ? 2 * Double.pi : Double.pi
    for j in 0..<cells * cellSize {
      for i in 0..<cells * cellSize {
        let value = { (byte: UInt8) in squareRoot ? Double(byte).squareRoot() : Double(byte) }
        let (dx, dy) =
          if let channelWeights {
            gradient(image, x0 + i, y0 + j, weights: channelWeights, reach: reach, value: value)
          } else {
            gradient(
              image, x0 + i, y0 + j, channels: Array((0..<image.channelCount).reversed()), reach: reach,
              value: value)
          }
        let magnitude = (dx * dx + dy * dy).squareRoot()
        var angle = atan2(dy, dx)
        if angle < 0 { angle += 2 * Double.pi }
        let position = angle / range * Double(bins) - 0.5
        for bin in [floor(position), floor(position) + 1] {
          let share = 1 - abs(position - bin)
          let folded = ((Int(bin) % bins) + bins) % bins
          for cellRow in 0..<cells {
            for cellColumn in 0..<cells {
              let down = max(0, 1 - abs((Double(j) + 0.5) / Double(cellSize) - 0.5 - Double(cellRow)))
              let across = max(0, 1 - abs((Double(i) + 0.5) / Double(cellSize) - 0.5 - Double(cellColumn)))
              histogram[cellRow][cellColumn][folded] += magnitude * share * down * across * window(i) * window(j)
            }
          }
        }
      }
    }
    let count = Double(cells * cells * bins)
    func norm() -> Double { histogram.joined().joined().reduce(0) { $0 + $1 * $1 }.squareRoot() }
    let first = norm() + 0.1 * count
    histogram = histogram.map { $0.map { $0.map { min($0 / first, clip) } } }
    let second = norm() + 0.001
    return histogram.map { $0.map { $0.map { $0 / second } } }
  }

  /// The 31-channel map, by `[row][column][channel]`.
  public static func cells(_ image: ByteImage, cellSize: Int) -> [[[Double]]] {
    let size = Double(cellSize)
    let rows = Int(floor(Double(image.height) / size + 0.5))
    let columns = Int(floor(Double(image.width) / size + 0.5))
    var histogram = [[[Double]]](
      repeating: [[Double]](repeating: [Double](repeating: 0, count: 18), count: columns), count: rows)
    for y in 1..<max(1, min(rows * cellSize, image.height) - 1) {
      for x in 1..<max(1, min(columns * cellSize, image.width) - 1) {
        let (dx, dy) = gradient(
          image, x, y, channels: Array((0..<image.channelCount).reversed()), value: { Double($0) })
        var bin = 0
        var best = 0.0
        for (direction, angle) in stride(from: 0.0, to: 180, by: 20).enumerated() {
          // dlib's four digits; they decide which orientation is the nearest.
          let cosine = (cos(angle * .pi / 180) * 1e4).rounded() / 1e4
          let sine = (sin(angle * .pi / 180) * 1e4).rounded() / 1e4
          let along = dx * cosine + dy * sine
          if along > best { (bin, best) = (direction, along) }
          if -along > best { (bin, best) = (direction + 9, -along) }
        }
        for row in 0..<rows {
          let down = max(0, 1 - abs((Double(y) + 0.5) / size - 0.5 - Double(row)))
          if down == 0 { continue }
          for column in 0..<columns {
            let across = max(0, 1 - abs((Double(x) + 0.5) / size - 0.5 - Double(column)))
            histogram[row][column][bin] += down * across * (dx * dx + dy * dy).squareRoot()
          }
        }
      }
    }
    func energy(_ row: Int, _ column: Int) -> Double {
      let bins = histogram[min(max(row, 0), rows - 1)][min(max(column, 0), columns - 1)]
      var sum = 0.0
      for bin in 0..<9 {
        let unsigned = bins[bin] + bins[bin + 9]
        sum += unsigned * unsigned
      }
      return sum
    }
    return (0..<rows).map { row in
      (0..<columns).map { column in
        let bins = histogram[row][column]
        var channels = [Double](repeating: 0, count: 31)
        for (index, step) in [(1, 1), (-1, 1), (1, -1), (-1, -1)].enumerated() {
          let norm =
            (energy(row, column) + energy(row + step.0, column) + energy(row, column + step.1)
            + energy(row + step.0, column + step.1) + 0.0001).squareRoot()
          for bin in 0..<18 {
            channels[bin] += 0.5 * min(bins[bin] / norm, 0.2)
            channels[27 + index] += 0.2357 * min(bins[bin] / norm, 0.2)
          }
          for bin in 0..<9 { channels[18 + bin] += 0.5 * min((bins[bin] + bins[bin + 9]) / norm, 0.2) }
        }
        return channels
      }
    }
  }
}
