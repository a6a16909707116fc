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
  private let gray: UnsafeMutablePointer<Float>
  /// One row of histograms.
  private let line: UnsafeMutablePointer<SIMD8<Float>>
  /// Sums of `cell` histograms along each row. Those down the columns are taken where they are read.
  private let rows: UnsafeMutablePointer<SIMD8<Float>>

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
    gray = .allocate(capacity: side.x * side.y)
    line = .allocate(capacity: side.x)
    rows = .allocate(capacity: side.x * side.y)
  }

  deinit {
    gray.deallocate()
    line.deallocate()
    rows.deallocate()
  }

  var featureCount: Int { reading.featureCount(points: points) }

  /// Reads the histograms around `shape` to `output` (`featureCount` values).
  func read(_ plane: GreyPlane, shape: UnsafePointer<Float>, turn: Turn, to output: UnsafeMutablePointer<Float>) {
    var middle = SIMD2<Float>.zero
    for k in 0..<points { middle += SIMD2(shape[2 * k], shape[2 * k + 1]) }
    middle /= Float(points)
    align(plane, middle: middle, turn: turn)
    for row in 0..<side.y {
      differentiate(row)
      smooth(row)
    }
    let back = turn.inverse
    let grid = reading.grid
    let cell = reading.cell
    let half = cell / 2
    let share = 1 / Float(cell * cell)
    let values = grid * grid * GradientLevel.directions
    let first = -Float((grid - 1) * cell) / 2
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
          var histogram = SIMD8<Float>.zero
          for near in r - half...r + half { histogram += rows[min(side.y - 1, max(0, near)) * side.x + c] }
          histogram *= share
          norm += (histogram * histogram).sum()
          let place = UnsafeMutableRawPointer(to + (row * grid + column) * GradientLevel.directions)
          place.storeBytes(of: histogram, as: SIMD8<Float>.self)
        }
      }
      // The addend keeps flat skin from becoming noise of full size.
      let scale = 1 / (norm.squareRoot() + 20)
      for j in 0..<values { to[j] = min(0.25, max(0, to[j] * scale)).squareRoot() }
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

  /// One row's gradients, each shared between the two nearest directions, to `line`.
  private func differentiate(_ row: Int) {
    let (w, h) = (side.x, side.y)
    let root = Float(2).squareRoot()
    let here = gray + row * w
    let above = gray + max(0, row - 1) * w
    let below = gray + min(h - 1, row + 1) * w
    let histograms = UnsafeMutableRawPointer(line)
    for column in 0..<w {
      line[column] = .zero
      let dx = here[min(w - 1, column + 1)] - here[max(0, column - 1)]
      let dy = below[column] - above[column]
      // The gradient is a sum of its octant's two border directions with weights that are not negative.
      let (ax, ay) = (abs(dx), abs(dy))
      let main = ax > ay ? (dx >= 0 ? 0 : 4) : (dy >= 0 ? 2 : 6)
      let slanted = dx >= 0 ? (dy >= 0 ? 1 : 7) : (dy >= 0 ? 3 : 5)
      histograms.storeBytes(of: abs(ax - ay), toByteOffset: 32 * column + 4 * main, as: Float.self)
      histograms.storeBytes(of: min(ax, ay) * root, toByteOffset: 32 * column + 4 * slanted, as: Float.self)
    }
  }

  /// Running sums of `cell` histograms along `line`, its ends repeated, to a row.
  private func smooth(_ row: Int) {
    let w = side.x
    let half = reading.cell / 2
    let to = rows + row * w
    var sum = SIMD8<Float>.zero
    for k in -half...half { sum += line[min(w - 1, max(0, k))] }
    for column in 0..<w {
      to[column] = sum
      sum += line[min(w - 1, column + half + 1)]
      sum -= line[max(0, column - half)]
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
