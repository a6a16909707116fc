import Geometry

extension FloatImage {
  /// The whole image at another size, plane by plane.
  ///
  /// The same two methods and border rules as `ByteImage.resized(to:method:)`, in Float throughout.
  /// - Precondition: the image has pixels; both sides are positive.
  /// - Complexity: O(source values + target values * taps).
  public func resized(to size: PixelSize, method: ResizeMethod = .bilinear) -> FloatImage {
    precondition(width > 0 && height > 0, "an empty image cannot be resized")
    precondition(size.width > 0 && size.height > 0, "a resized image needs at least one pixel, got \(size)")
    if size == self.size { return self }
    return resampled(
      columns: AxisTaps(
        origin: 0, extent: Double(width), count: size.width, sourceCount: width, method: method,
        interpolatesGrowth: false),
      rows: AxisTaps(
        origin: 0, extent: Double(height), count: size.height, sourceCount: height, method: method,
        interpolatesGrowth: false))
  }

  private func resampled(columns: AxisTaps, rows: AxisTaps) -> FloatImage {
    let planes = channelCount
    let target = columns.count * rows.count
    let result = [Float](unsafeUninitializedCapacity: target * planes) { buffer, filled in
      filled = target * planes
      withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { scratch in
        let sums = scratch.baseAddress!
        values.withUnsafeBufferPointer { source in
          for plane in 0..<planes {
            for y in 0..<rows.count {
              let first = source.baseAddress! + (plane * height + rows.starts[y]) * width
              if rows.tapCount == 2 {
                blendRows(first, rows.weights[2 * y], rows.weights[2 * y + 1], into: sums, count: width)
              } else {
                sums.update(repeating: 0, count: width)
                for k in 0..<rows.tapCount {
                  let weight = rows.weights[y * rows.tapCount + k]
                  if weight != 0 { accumulateRow(first + k * width, weight, into: sums, count: width) }
                }
              }
              reduceColumns(
                sums, columns, origin: 0, channels: 1,
                into: buffer.baseAddress! + plane * target + y * columns.count)
            }
          }
        }
      }
    }
    return FloatImage(width: columns.count, height: rows.count, channelCount: planes, values: result)
  }
}

@inline(never)
private func accumulateRow(
  _ row: UnsafePointer<Float>, _ weight: Float, into sums: UnsafeMutablePointer<Float>, count: Int
) {
  for i in 0..<count { sums[i] += weight * row[i] }
}

/// The weighted mean of a row and the one below it.
@inline(never)
private func blendRows(
  _ row: UnsafePointer<Float>, _ weight: Float, _ weightBelow: Float, into sums: UnsafeMutablePointer<Float>,
  count: Int
) {
  for i in 0..<count { sums[i] = weight * row[i] + weightBelow * row[count + i] }
}
