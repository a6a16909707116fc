import Geometry

/// A picture with its coverage and their halvings, to be looked at through a perspective map.
///
/// Planes: the channels multiplied by the coverage (0...255), then the coverage (0...1).
struct SamplingPyramid: Sendable {
  /// What lies beyond the picture's border.
  enum Border: Sendable {
    /// The nearest border pixel.
    case replicate
    /// Nothing: coverage falls to zero within a pixel.
    case transparent
  }

  /// The picture, half of it, a quarter.
  let levels: [FloatImage]

  init(_ image: ByteImage, coverage: ByteImage?) {
    let count = image.width * image.height
    let channels = image.channelCount
    var values = [Float](repeating: 1, count: (channels + 1) * count)
    if let coverage {
      for index in 0..<count { values[channels * count + index] = Float(coverage.pixels[index]) / 255 }
    }
    for index in 0..<count {
      let share = values[channels * count + index]
      for channel in 0..<channels {
        values[channel * count + index] = share * Float(image.pixels[index * channels + channel])
      }
    }
    var levels = [FloatImage(width: image.width, height: image.height, channelCount: channels + 1, values: values)]
    while let last = levels.last, min(last.width, last.height) >= 4 {
      levels.append(
        last.resized(to: PixelSize(width: (last.width + 1) / 2, height: (last.height + 1) / 2), method: .area))
    }
    self.levels = levels
  }

  var size: PixelSize { levels[0].size }

  /// Which halving to sample, and into how many parts an axis each target pixel is cut: enough that no detail is skipped.
  ///
  /// The halving is the smallest that still has a pixel for each target pixel on the axis that shrinks least, anywhere.
  func sampling(_ toSource: Homography, columns: Range<Int>, rows: Range<Int>) -> (level: Int, parts: Int) {
    var least = Double.infinity
    var most = 0.0
    for y in [Double(rows.lowerBound), Double(rows.lowerBound + rows.upperBound) / 2, Double(rows.upperBound)] {
      for x in [
        Double(columns.lowerBound), Double(columns.lowerBound + columns.upperBound) / 2, Double(columns.upperBound),
      ] {
        let weight = toSource.g * x + toSource.h * y + toSource.i
        guard weight > 0 else { continue }
        let u = (toSource.a * x + toSource.b * y + toSource.c) / weight
        let v = (toSource.d * x + toSource.e * y + toSource.f) / weight
        let across = Point(x: (toSource.a - u * toSource.g) / weight, y: (toSource.d - v * toSource.g) / weight)
        let down = Point(x: (toSource.b - u * toSource.h) / weight, y: (toSource.e - v * toSource.h) / weight)
        let zero = Point(x: 0, y: 0)
        least = min(least, across.distance(to: zero), down.distance(to: zero))
        most = max(most, across.distance(to: zero), down.distance(to: zero))
      }
    }
    guard most > 0 else { return (0, 1) }
    var level = 0
    var factor = 1.0
    while level + 1 < levels.count, least >= 2 * factor * (1 - 1e-9) {
      level += 1
      factor *= 2
    }
    let parts = (most / factor - 1e-6).rounded(.up)
    return (level, max(1, min(SamplingPyramid.largestPartCount, parts.isFinite ? Int(min(parts, 64)) : 1)))
  }

  private static let largestPartCount = 8

  /// Means over target pixels: `(channels + 1) * columns * rows` values, planes as those of the levels.
  ///
  /// - Precondition: the ranges are not negative.
  func sampled(_ toSource: Homography, columns: Range<Int>, rows: Range<Int>, border: Border) -> [Float] {
    let (index, parts) = sampling(toSource, columns: columns, rows: rows)
    let level = levels[index]
    let planes = level.channelCount
    let toLevel = toSource.followed(
      by: .map(
        Box(size), onto: Box(level.size)))
    let target = columns.count * rows.count
    return [Float](unsafeUninitializedCapacity: planes * target) { buffer, filled in
      filled = planes * target
      level.values.withUnsafeBufferPointer { source in
        let kernel = SamplingKernel(
          source: source.baseAddress!, width: level.width, height: level.height, planes: planes, map: toLevel,
          parts: parts, isReplicated: border == .replicate)
        for row in rows {
          kernel.fill(
            row: row, columns: columns, into: buffer.baseAddress! + (row - rows.lowerBound) * columns.count,
            planeStride: target)
        }
      }
    }
  }
}

/// Samples one level row by row.
private struct SamplingKernel {
  let source: UnsafePointer<Float>
  let width: Int
  let height: Int
  let planes: Int
  let map: Homography
  let parts: Int
  let isReplicated: Bool

  @inline(never)
  func fill(row: Int, columns: Range<Int>, into target: UnsafeMutablePointer<Float>, planeStride: Int) {
    let step = 1 / Double(parts)
    let share = Float(step * step)
    for column in columns {
      let place = target + (column - columns.lowerBound)
      for plane in 0..<planes { place[plane * planeStride] = 0 }
      for part in 0..<parts * parts {
        let x = Double(column) + (Double(part % parts) + 0.5) * step
        let y = Double(row) + (Double(part / parts) + 0.5) * step
        var weight = map.g * x + map.h * y + map.i
        if weight <= 1e-9 {
          // Beyond the horizon there is nothing to see; a repeated border goes on for ever.
          if !isReplicated { continue }
          weight = 1e-9
        }
        let limit = 1e9
        let u = max(-limit, min(limit, (map.a * x + map.b * y + map.c) / weight - 0.5))
        let v = max(-limit, min(limit, (map.d * x + map.e * y + map.f) / weight - 0.5))
        add(u, v, share, to: place, planeStride)
      }
    }
  }

  @inline(__always)
  private func add(
    _ u: Double, _ v: Double, _ share: Float, to place: UnsafeMutablePointer<Float>, _ planeStride: Int
  ) {
    var (x, y) = (u, v)
    if isReplicated {
      x = max(0, min(Double(width - 1), x))
      y = max(0, min(Double(height - 1), y))
    } else if x <= -1 || y <= -1 || x >= Double(width) || y >= Double(height) {
      return
    }
    let column = Int(x.rounded(.down))
    let row = Int(y.rounded(.down))
    let right = Float(x - Double(column))
    let lower = Float(y - Double(row))
    // Taps beyond the border weigh nothing; they are pointed at a pixel that is there.
    let leftWeight = column >= 0 ? 1 - right : 0
    let rightWeight = column + 1 < width ? right : 0
    let upperWeight = row >= 0 ? share * (1 - lower) : 0
    let lowerWeight = row + 1 < height ? share * lower : 0
    let (leftColumn, rightColumn) = (max(0, column), min(width - 1, column + 1))
    let upper = source + max(0, row) * width
    let under = source + min(height - 1, row + 1) * width
    for plane in 0..<planes {
      let offset = plane * width * height
      let above = leftWeight * upper[offset + leftColumn] + rightWeight * upper[offset + rightColumn]
      let below = leftWeight * under[offset + leftColumn] + rightWeight * under[offset + rightColumn]
      place[plane * planeStride] += upperWeight * above + lowerWeight * below
    }
  }
}
