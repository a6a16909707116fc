import Foundation
import Imaging

/// Draws HOG maps and filters as strokes: in each cell a stroke for each orientation, along the edge that it stands for
/// (across the gradient), as bright as its value. Local binary patterns are left out; of a stack the first layer is drawn.
public struct HOGPicture: Sendable {
  public var features: HOGFeatures
  /// Side of a drawn cell in pixels.
  public var cellSide: Int

  /// - Precondition: a drawn cell has 3 pixels or more.
  public init(_ features: HOGFeatures, cellSide: Int = 20) {
    precondition(cellSide >= 3, "a drawn cell needs 3 pixels or more, got \(cellSide)")
    self.features = features
    self.cellSide = cellSide
  }

  /// A map's picture: grey, `cellSide` pixels a cell. The largest value is white (or nearly: strokes have soft edges); a map of
  /// zeros is black.
  public func picture(of map: FeatureMap) -> ByteImage {
    precondition(map.channelCount == features.channelCount, "a map of these features expected")
    let grid = strokes(rows: map.rows, columns: map.columns) { map[$0, $1, $2] }
    let values = grid.values.map { max(0, $0) }
    return draw(grid, values, scale: values.max() ?? 0)
  }

  /// A filter's picture: what it looks for (positive weights) on the left, what it looks away from (negative weights)
  /// on the right, both on one scale, with a grey line between.
  ///
  /// - Parameters:
  ///   - filter: `size.count * channelCount` weights: channel fastest, then column, then row.
  ///   - size: rows and columns of map places.
  public func picture(ofFilter filter: [Float], size: MapSize) -> ByteImage {
    precondition(filter.count == size.count * features.channelCount, "a filter of these features expected")
    let channels = features.channelCount
    func weights(_ sign: Float) -> StrokeGrid {
      strokes(rows: size.rows, columns: size.columns) {
        max(0, sign * filter[($0 * size.columns + $1) * channels + $2])
      }
    }
    let positive = weights(1)
    let negative = weights(-1)
    let scale = max(positive.values.max() ?? 0, negative.values.max() ?? 0)
    let left = draw(positive, positive.values, scale: scale)
    let right = draw(negative, negative.values, scale: scale)
    let gap = 4
    let width = left.width + gap + right.width
    var picture = ByteImage(width: width, height: left.height, channelCount: 1, filledWith: 128)
    for y in 0..<left.height {
      for x in 0..<left.width {
        picture.pixels[y * width + x] = left.pixels[y * left.width + x]
        picture.pixels[y * width + left.width + gap + x] = right.pixels[y * left.width + x]
      }
    }
    return picture
  }

  /// Values of strokes: `values[(row * columns + column) * angles.count + stroke]`.
  private struct StrokeGrid {
    var rows: Int
    var columns: Int
    /// Of the gradient, in radians from the x axis towards the y axis.
    var angles: [Double]
    var values: [Float]
  }

  private func strokes(rows: Int, columns: Int, _ value: (Int, Int, Int) -> Float) -> StrokeGrid {
    switch features {
    case .felzenszwalb, .felzenszwalbWithPatterns: return cellStrokes(rows, columns, value)
    case .dalalTriggs(let hog): return blockStrokes(hog, rows, columns, value)
    case .dalalTriggsStack(let stack): return blockStrokes(stack.grid, rows, columns, value)
    }
  }

  /// Signed orientations count for both directions, beside the unsigned ones; textures have no direction.
  private func cellStrokes(_ rows: Int, _ columns: Int, _ value: (Int, Int, Int) -> Float) -> StrokeGrid {
    var grid = StrokeGrid(rows: rows, columns: columns, angles: (0..<9).map { Double($0) * .pi / 9 }, values: [])
    grid.values.reserveCapacity(rows * columns * 9)
    for row in 0..<rows {
      for column in 0..<columns {
        for bin in 0..<9 {
          grid.values.append(value(row, column, bin) + value(row, column, bin + 9) + value(row, column, bin + 18))
        }
      }
    }
    return grid
  }

  /// A cell's value is its mean over the blocks that hold it. Where blocks do not lie on the grid of cells, each block
  /// is drawn as one cell.
  private func blockStrokes(
    _ hog: DalalTriggsHOG, _ rows: Int, _ columns: Int, _ value: (Int, Int, Int) -> Float
  ) -> StrokeGrid {
    let onGrid = hog.blockStride.isMultiple(of: hog.cellSize)
    let step = onGrid ? hog.blockStride / hog.cellSize : 1
    let span = onGrid ? hog.blockCells : 1
    let cellRows = rows == 0 ? 0 : (rows - 1) * step + span
    let cellColumns = columns == 0 ? 0 : (columns - 1) * step + span
    let range = hog.orientation == .signed ? 2 * Double.pi : Double.pi
    let bins = hog.binCount
    var sums = [Float](repeating: 0, count: cellRows * cellColumns * bins)
    var counts = [Float](repeating: 0, count: cellRows * cellColumns)
    for row in 0..<rows {
      for column in 0..<columns {
        for cellRow in 0..<hog.blockCells {
          for cellColumn in 0..<hog.blockCells {
            let place =
              (row * step + (onGrid ? cellRow : 0)) * cellColumns + column * step + (onGrid ? cellColumn : 0)
            counts[place] += 1
            for bin in 0..<bins {
              sums[place * bins + bin] +=
                value(row, column, hog.channel(cellRow: cellRow, cellColumn: cellColumn, bin: bin))
            }
          }
        }
      }
    }
    for index in sums.indices where counts[index / bins] > 0 { sums[index] /= counts[index / bins] }
    return StrokeGrid(
      rows: cellRows, columns: cellColumns, angles: (0..<bins).map { (Double($0) + 0.5) * range / Double(bins) },
      values: sums)
  }

  private func draw(_ grid: StrokeGrid, _ values: [Float], scale: Float) -> ByteImage {
    let width = grid.columns * cellSide
    var picture = ByteImage(width: width, height: grid.rows * cellSide, channelCount: 1, filledWith: 0)
    guard scale > 0 else { return picture }
    let covers = grid.angles.map(coverage)
    for row in 0..<grid.rows {
      for column in 0..<grid.columns {
        let first = (row * grid.columns + column) * grid.angles.count
        for (stroke, cover) in covers.enumerated() where values[first + stroke] > 0 {
          let brightness = 255 * values[first + stroke] / scale
          for y in 0..<cellSide {
            for x in 0..<cellSide {
              let index = (row * cellSide + y) * width + column * cellSide + x
              let value = UInt8((brightness * cover[y * cellSide + x]).rounded())
              picture.pixels[index] = max(picture.pixels[index], value)
            }
          }
        }
      }
    }
    return picture
  }

  /// How much a stroke across a gradient covers of each pixel of a cell, 0...1: about one pixel wide, with soft edges.
  private func coverage(angle: Double) -> [Float] {
    let centre = Double(cellSide) / 2
    let reach = centre - 0.5
    let halfWidth = max(0.6, Double(cellSide) / 24)
    return (0..<cellSide * cellSide).map { index in
      let x = Double(index % cellSide) + 0.5 - centre
      let y = Double(index / cellSide) + 0.5 - centre
      let across = abs(x * cos(angle) + y * sin(angle))
      let along = abs(y * cos(angle) - x * sin(angle))
      return Float(min(1, max(0, halfWidth + 0.5 - across)) * min(1, max(0, reach + 0.5 - along)))
    }
  }
}
