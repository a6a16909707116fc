import Foundation
import Geometry

/// A level of the cascade that sees gradients: orientation histograms around each landmark and one linear map from all of
/// them to the shape's change (Xiong and De la Torre's supervised descent, CVPR 2013, with histograms of its own kind).
///
/// The face is taken into the mean shape's frame, `resolution` pixels to a box unit. Each pixel's gradient is shared between
/// the two nearest of eight directions (0...360 degrees), the eight planes are smoothed by a box of `cell` pixels, and
/// around each landmark a grid of `grid x grid` places `cell` pixels apart is read: `8 grid^2` values a landmark, divided
/// by their norm, limited and rooted.
///
/// Differences from the paper: histograms are these, not SIFT; outputs are principal coordinates of the change.
public struct GradientLevel: Hashable, Sendable {
  public static let directions = 8

  /// What is read around each landmark.
  public struct Reading: Hashable, Codable, Sendable {
    /// Pixels of the aligned face to a box unit.
    public var resolution: Double
    /// Side of a cell in those pixels; odd.
    public var cell: Int
    /// Cells a side of a landmark's grid.
    public var grid: Int

    public init(resolution: Double, cell: Int, grid: Int) {
      precondition(resolution > 0 && cell >= 1 && cell % 2 == 1 && grid >= 1)
      self.resolution = resolution
      self.cell = cell
      self.grid = grid
    }

    /// Values of all landmarks together.
    func featureCount(points: Int) -> Int { points * grid * grid * GradientLevel.directions }
  }

  public var reading: Reading
  /// `featureCount + 1` rows (the last the bias) of `width` coefficients.
  public var weights: LeafTable
  public var width: Int
  /// `width` rows of two values a point; empty where the coefficients are the change itself.
  public var basis: [Float]

  public init(reading: Reading, weights: LeafTable, width: Int, basis: [Float]) {
    precondition(width >= 1 && weights.count % width == 0)
    self.reading = reading
    self.weights = weights
    self.width = width
    self.basis = basis
  }
}

/// A face in the mean shape's frame, and the histograms that are read from it. Reused from face to face.
final class GradientReader {
  let reading: GradientLevel.Reading
  private let points: Int
  private let meanShape: [Float]
  /// The mean shape's middle, and the frame's first pixel, in box units.
  private let center: SIMD2<Float>
  private let corner: SIMD2<Float>
  private let side: SIMD2<Int>
  private var gray: [Float]
  private var planes: [SIMD8<Float>]
  private var rows: [SIMD8<Float>]

  init(_ reading: GradientLevel.Reading, meanShape: [Float]) {
    self.reading = reading
    self.meanShape = meanShape
    points = meanShape.count / 2
    var low = SIMD2(Float.infinity, .infinity)
    var high = -low
    var sum = SIMD2<Float>.zero
    for k in 0..<points {
      let place = SIMD2(meanShape[2 * k], meanShape[2 * k + 1])
      low = pointwiseMin(low, place)
      high = pointwiseMax(high, place)
      sum += place
    }
    center = sum / Float(points)
    // Room for the outermost grids, and for shapes that are wider than the mean.
    let reach = Float(Double(reading.grid * reading.cell) / 2 / reading.resolution) + 0.1
    corner = low - reach
    let size = (high + reach - corner) * Float(reading.resolution)
    side = SIMD2(min(1024, max(4, Int(size.x.rounded(.up)))), min(1024, max(4, Int(size.y.rounded(.up)))))
    gray = Array(repeating: 0, count: side.x * side.y)
    planes = Array(repeating: .zero, count: side.x * side.y)
    rows = planes
  }

  var featureCount: Int { reading.featureCount(points: points) }

  /// Reads the histograms around `shape` to `output` (`featureCount` values).
  func read(_ plane: GreyPlane, shape: UnsafePointer<Float>, turn: Turn, to output: UnsafeMutablePointer<Float>) {
    var middle = SIMD2<Float>.zero
    for k in 0..<points { middle += SIMD2(shape[2 * k], shape[2 * k + 1]) }
    middle /= Float(points)
    align(plane, middle: middle, turn: turn)
    differentiate()
    smooth()
    let back = turn.inverse
    let grid = reading.grid
    let cell = reading.cell
    let values = grid * grid * GradientLevel.directions
    let first = -Float((grid - 1) * cell) / 2
    planes.withUnsafeBufferPointer { planes in
      for k in 0..<points {
        let d = SIMD2(shape[2 * k], shape[2 * k + 1]) - middle
        let u = back.a * d.x - back.b * d.y + center.x - corner.x
        let v = back.b * d.x + back.a * d.y + center.y - corner.y
        let x = u * Float(reading.resolution) + first
        let y = v * Float(reading.resolution) + first
        let to = output + k * values
        var norm: Float = 0
        for row in 0..<grid {
          let r = GradientReader.index(y + Float(row * cell), side.y)
          for column in 0..<grid {
            let c = GradientReader.index(x + Float(column * cell), side.x)
            let histogram = planes[r * side.x + c]
            norm += (histogram * histogram).sum()
            let place = to + (row * grid + column) * GradientLevel.directions
            for direction in 0..<GradientLevel.directions { place[direction] = histogram[direction] }
          }
        }
        // The addend keeps flat skin from becoming noise of full size.
        let scale = 1 / (norm.squareRoot() + 20)
        for j in 0..<values { to[j] = min(0.25, max(0, to[j] * scale)).squareRoot() }
      }
    }
  }

  /// The pixel that a coordinate falls in, kept inside; 0 for what is not a number.
  @inline(__always)
  private static func index(_ value: Float, _ side: Int) -> Int {
    value > 0 ? Int(min(value, Float(side - 1))) : 0
  }

  private func align(_ plane: GreyPlane, middle: SIMD2<Float>, turn: Turn) {
    let step = Float(1 / reading.resolution)
    let (lastX, lastY) = (Float(plane.width - 1), Float(plane.height - 1))
    let (ux, uy) = (Float(plane.unitX), Float(plane.unitY))
    gray.withUnsafeMutableBufferPointer { gray in
      for row in 0..<side.y {
        for column in 0..<side.x {
          let d = corner + SIMD2(Float(column) + 0.5, Float(row) + 0.5) * step - center
          let u = middle.x + turn.a * d.x - turn.b * d.y
          let v = middle.y + turn.b * d.x + turn.a * d.y
          // Between pixel centres; the nearest pixel outside.
          let x = min(lastX, max(0, Float(plane.originX) + ux * u - 0.5))
          let y = min(lastY, max(0, Float(plane.originY) + uy * v - 0.5))
          let (px, py) = (x == x ? Int(x) : 0, y == y ? Int(y) : 0)
          let (fx, fy) = (x - Float(px), y - Float(py))
          let right = px + 1 < plane.width ? 1 : 0
          let below = py + 1 < plane.height ? plane.width : 0
          let at = plane.pixels + py * plane.width + px
          let top = Float(at[0]) + fx * (Float(at[right]) - Float(at[0]))
          let bottom = Float(at[below]) + fx * (Float(at[below + right]) - Float(at[below]))
          gray[row * side.x + column] = top + fy * (bottom - top)
        }
      }
    }
  }

  /// Each pixel's gradient shared between the two nearest directions.
  private func differentiate() {
    let (w, h) = (side.x, side.y)
    let diagonal = Float(0.5).squareRoot()
    gray.withUnsafeBufferPointer { gray in
      planes.withUnsafeMutableBufferPointer { planes in
        for row in 0..<h {
          let above = max(0, row - 1) * w
          let below = min(h - 1, row + 1) * w
          for column in 0..<w {
            let dx = gray[row * w + min(w - 1, column + 1)] - gray[row * w + max(0, column - 1)]
            let dy = gray[below + column] - gray[above + column]
            // The gradient is a sum of its octant's two border directions with weights that are not negative.
            let (ax, ay) = (abs(dx), abs(dy))
            let axis = abs(ax - ay)
            let slant = min(ax, ay) / diagonal
            let main = ax > ay ? (dx >= 0 ? 0 : 4) : (dy >= 0 ? 2 : 6)
            let side = dx >= 0 ? (dy >= 0 ? 1 : 7) : (dy >= 0 ? 3 : 5)
            var histogram = SIMD8<Float>.zero
            histogram[main] = axis
            histogram[side] = slant
            planes[row * w + column] = histogram
          }
        }
      }
    }
  }

  /// The mean over a box of `cell x cell`, the border replicated; running sums along rows, then columns.
  private func smooth() {
    let (w, h) = (side.x, side.y)
    let half = reading.cell / 2
    let scale = 1 / Float(reading.cell * reading.cell)
    planes.withUnsafeMutableBufferPointer { planes in
      rows.withUnsafeMutableBufferPointer { rows in
        for row in 0..<h {
          let line = planes.baseAddress! + row * w
          var sum = SIMD8<Float>.zero
          for k in -half...half { sum += line[min(w - 1, max(0, k))] }
          for column in 0..<w {
            rows[row * w + column] = sum
            sum += line[min(w - 1, column + half + 1)]
            sum -= line[max(0, column - half)]
          }
        }
        for column in 0..<w {
          var sum = SIMD8<Float>.zero
          for k in -half...half { sum += rows[min(h - 1, max(0, k)) * w + column] }
          for row in 0..<h {
            planes[row * w + column] = sum * scale
            let next = min(h - 1, row + half + 1) * w + column
            let last = max(0, row - half) * w + column
            sum += rows[next]
            sum -= rows[last]
          }
        }
      }
    }
  }
}

extension GradientLevel {
  /// The level's change of a shape, in the mean shape's frame.
  ///
  /// - Parameter features: `featureCount` values.
  func change(_ features: UnsafePointer<Float>, values: Int) -> [Float] {
    let count = weights.count / width - 1
    var sums = [Float](repeating: 0, count: width)
    sums.withUnsafeMutableBufferPointer { sums in
      let sums = sums.baseAddress!
      switch weights {
      case .float(let table):
        table.withUnsafeBufferPointer { table in
          for row in 0...count {
            let factor = row < count ? features[row] : 1
            let from = table.baseAddress! + row * width
            for k in 0..<width { sums[k] += factor * from[k] }
          }
        }
      case .int16(let table, let scale):
        table.withUnsafeBufferPointer { table in
          for row in 0...count {
            let factor = scale * (row < count ? features[row] : 1)
            let from = table.baseAddress! + row * width
            for k in 0..<width { sums[k] += factor * Float(from[k]) }
          }
        }
      case .int8(let table, let scale):
        table.withUnsafeBufferPointer { table in
          for row in 0...count {
            let factor = scale * (row < count ? features[row] : 1)
            let from = table.baseAddress! + row * width
            for k in 0..<width { sums[k] += factor * Float(from[k]) }
          }
        }
      }
    }
    if basis.isEmpty { return sums }
    var change = [Float](repeating: 0, count: values)
    for k in 0..<width {
      for j in 0..<values { change[j] += sums[k] * basis[k * values + j] }
    }
    return change
  }
}
