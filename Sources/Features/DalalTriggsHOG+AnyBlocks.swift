import Foundation
import Geometry
import Imaging

extension DalalTriggsHOG {
  /// Fills a block map for any options, block by block.
  func fillAnyBlocks(_ map: inout FeatureMap, image: ByteImage, padding: PixelSize) {
    let width = (map.columns - 1) * blockStride + blockSize
    let height = (map.rows - 1) * blockStride + blockSize
    var votes = [Vote](repeating: Vote(bin: 0, next: 0, first: 0, second: 0), count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        votes[y * width + x] = vote(image, x: x - padding.width, y: y - padding.height)
      }
    }
    let weights = axisWeights()
    var histogram = [Float](repeating: 0, count: channelCount)
    for row in 0..<map.rows {
      for column in 0..<map.columns {
        for index in histogram.indices { histogram[index] = 0 }
        for y in 0..<blockSize {
          for x in 0..<blockSize {
            let vote = votes[(row * blockStride + y) * width + column * blockStride + x]
            for cellRow in 0..<blockCells where weights[cellRow][y] > 0 {
              for cellColumn in 0..<blockCells where weights[cellColumn][x] > 0 {
                let weight = weights[cellRow][y] * weights[cellColumn][x]
                histogram[channel(cellRow: cellRow, cellColumn: cellColumn, bin: vote.bin)] += weight * vote.first
                histogram[channel(cellRow: cellRow, cellColumn: cellColumn, bin: vote.next)] += weight * vote.second
              }
            }
          }
        }
        normalise(&histogram)
        let place = (row * map.columns + column) * map.channelStride
        for (index, value) in histogram.enumerated() { map.values[place + index] = value }
      }
    }
  }

  private struct Vote {
    var bin: Int
    var next: Int
    var first: Float
    var second: Float
  }

  private func vote(_ image: ByteImage, x: Int, y: Int) -> Vote {
    let left = reflected(x - reach, image.width)
    let right = reflected(x + reach, image.width)
    let column = reflected(x, image.width)
    let up = reflected(y - reach, image.height)
    let down = reflected(y + reach, image.height)
    let row = reflected(y, image.height)
    func value(_ row: Int, _ column: Int, _ channel: Int) -> Float {
      let byte = Float(image.pixels[(row * image.width + column) * image.channelCount + channel])
      return gamma == .squareRoot ? byte.squareRoot() : byte
    }
    var best: (dx: Float, dy: Float, square: Float) = (0, 0, -1)
    if let colourDifference {
      let weights = colourDifference.weights
      func mixed(_ row: Int, _ column: Int) -> Float {
        guard image.channelCount == 3 else { return 0 }
        return weights.x * value(row, column, 0) + weights.y * value(row, column, 1) + weights.z * value(row, column, 2)
      }
      let dx = mixed(row, right) - mixed(row, left)
      let dy = mixed(down, column) - mixed(up, column)
      best = (dx, dy, dx * dx + dy * dy)
    } else {
      for channel in stride(from: image.channelCount - 1, through: 0, by: -1) {
        let dx = value(row, right, channel) - value(row, left, channel)
        let dy = value(down, column, channel) - value(up, column, channel)
        if dx * dx + dy * dy > best.square { best = (dx, dy, dx * dx + dy * dy) }
      }
    }
    let range: Float = orientation == .signed ? 2 * .pi : .pi
    var angle = atan2(best.dy, best.dx)
    if angle < 0 { angle += 2 * .pi }
    let position = angle * Float(binCount) / range - 0.5
    let bin = Int(position.rounded(.down))
    let fraction = position - Float(bin)
    let magnitude = best.square.squareRoot()
    return Vote(
      bin: (bin + binCount) % binCount, next: (bin + 1) % binCount, first: magnitude * (1 - fraction),
      second: magnitude * fraction)
  }

  /// L2-Hys with OpenCV's constants.
  private func normalise(_ histogram: inout [Float]) {
    let first = 1 / (histogram.reduce(0) { $0 + $1 * $1 }.squareRoot() + Float(histogram.count) * 0.1)
    for index in histogram.indices { histogram[index] = min(histogram[index] * first, clip) }
    let second = 1 / (histogram.reduce(0) { $0 + $1 * $1 }.squareRoot() + 1e-3)
    for index in histogram.indices { histogram[index] *= second }
  }
}

/// The position inside `0..<count` that a position outside mirrors to, the border itself not repeated (reflect 101).
func reflected(_ position: Int, _ count: Int) -> Int {
  guard count > 1 else { return 0 }
  let period = 2 * (count - 1)
  let phase = ((position % period) + period) % period
  return phase < count ? phase : period - phase
}
