import Geometry
import Imaging

extension FelzenszwalbHOG {
  /// The cells of a whole image.
  ///
  /// The cell at row `r` and column `c` is centred on pixel coordinates `((c + 0.5) * cellSize, (r + 0.5) * cellSize)`.
  ///
  /// - Parameters:
  ///   - image: grey or RGB, of any size.
  ///   - padding: places of zeros added on each side of the map.
  /// - Returns: a map of `mapSize(for:)` and the padding, of 31 channels with a stride of 32.
  /// - Complexity: linear in pixels and cells.
  public func featureMap(of image: ByteImage, padding: MapSize = MapSize(rows: 0, columns: 0)) -> FeatureMap {
    precondition(cellSize >= 2, "a cell of 2 pixels or more expected, got \(cellSize)")
    precondition(padding.rows >= 0 && padding.columns >= 0)
    let cells = mapSize(for: image.size)
    var map = FeatureMap(
      size: MapSize(rows: cells.rows + 2 * padding.rows, columns: cells.columns + 2 * padding.columns),
      channelCount: Self.channelCount, channelStride: Self.channelStride)
    guard cells.count > 0 else { return map }
    let histograms = self.histograms(image, cells)
    var energies = [Float](repeating: 0, count: cells.count)
    for cell in 0..<cells.count {
      for bin in 0..<9 {
        let sum = histograms[cell * 18 + bin] + histograms[cell * 18 + bin + 9]
        energies[cell] += sum * sum
      }
    }
    func energy(_ row: Int, _ column: Int) -> Float {
      energies[min(max(row, 0), cells.rows - 1) * cells.columns + min(max(column, 0), cells.columns - 1)]
    }
    for row in 0..<cells.rows {
      for column in 0..<cells.columns {
        let place = ((row + padding.rows) * map.columns + column + padding.columns) * map.channelStride
        let cell = (row * cells.columns + column) * 18
        for (index, step) in [(1, 1), (-1, 1), (1, -1), (-1, -1)].enumerated() {
          let sum =
            energy(row, column) + energy(row + step.0, column) + energy(row, column + step.1)
            + energy(row + step.0, column + step.1)
          let limit = 0.2 * (sum + 0.0001).squareRoot()
          let scale = 0.1 / limit
          var texture: Float = 0
          for bin in 0..<18 {
            let value = min(histograms[cell + bin], limit) * scale
            map.values[place + bin] += value
            texture += value
          }
          for bin in 0..<9 {
            map.values[place + 18 + bin] +=
              min(histograms[cell + bin] + histograms[cell + bin + 9], limit) * scale
          }
          map.values[place + 27 + index] = texture * 2 * 0.2357
        }
      }
    }
    return map
  }

  private func histograms(_ image: ByteImage, _ cells: MapSize) -> [Float] {
    var histograms = [Float](repeating: 0, count: cells.count * 18)
    let lastRow = min(cells.rows * cellSize, image.height) - 1
    let lastColumn = min(cells.columns * cellSize, image.width) - 1
    guard lastRow > 1 && lastColumn > 1 else { return histograms }
    func value(_ row: Int, _ column: Int, _ channel: Int) -> Float {
      Float(image.pixels[(row * image.width + column) * image.channelCount + channel])
    }
    for y in 1..<lastRow {
      for x in 1..<lastColumn {
        var best: (dx: Float, dy: Float, square: Float) = (0, 0, -1)
        for channel in 0..<image.channelCount {
          let dx = value(y, x + 1, channel) - value(y, x - 1, channel)
          let dy = value(y + 1, x, channel) - value(y - 1, x, channel)
          if dx * dx + dy * dy > best.square { best = (dx, dy, dx * dx + dy * dy) }
        }
        let bin = Self.bin(dx: best.dx, dy: best.dy)
        let magnitude = best.square.squareRoot()
        let py = (Float(y) + 0.5) / Float(cellSize) - 0.5
        let px = (Float(x) + 0.5) / Float(cellSize) - 0.5
        let row = Int(py.rounded(.down))
        let column = Int(px.rounded(.down))
        for (r, wy) in [(row, 1 - (py - Float(row))), (row + 1, py - Float(row))] where (0..<cells.rows).contains(r) {
          for (c, wx) in [(column, 1 - (px - Float(column))), (column + 1, px - Float(column))]
          where (0..<cells.columns).contains(c) {
            histograms[(r * cells.columns + c) * 18 + bin] += magnitude * wy * wx
          }
        }
      }
    }
    return histograms
  }

  private static let directions: [(Float, Float)] = [
    (1, 0), (0.9397, 0.3420), (0.7660, 0.6428), (0.5, 0.8660), (0.1736, 0.9848), (-0.1736, 0.9848), (-0.5, 0.8660),
    (-0.7660, 0.6428), (-0.9397, 0.3420),
  ]

  private static func bin(dx: Float, dy: Float) -> Int {
    var best: Float = 0
    var bin = 0
    for (index, direction) in directions.enumerated() {
      let dot = dx * direction.0 + dy * direction.1
      if dot > best {
        best = dot
        bin = index
      } else if -dot > best {
        best = -dot
        bin = index + 9
      }
    }
    return bin
  }
}
