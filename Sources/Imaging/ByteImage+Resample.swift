import Geometry

extension ByteImage {
  /// Weighted means over runs of rows, then over runs of columns, in Float, rounded half up.
  func resampled(columns: AxisTaps, rows: AxisTaps) -> ByteImage {
    let channels = channelCount
    let firstColumn = columns.starts.min() ?? 0
    let lastColumn = (columns.starts.max() ?? 0) + columns.tapCount
    let span = (lastColumn - firstColumn) * channels
    let rowValues = columns.count * channels
    let total = rowValues * rows.count
    let result = [UInt8](unsafeUninitializedCapacity: total) { buffer, filled in
      filled = total
      guard total > 0 else { return }
      withUnsafeTemporaryAllocation(of: Float.self, capacity: span + rowValues) { scratch in
        let sums = scratch.baseAddress!
        let line = sums + span
        pixels.withUnsafeBufferPointer { source in
          for y in 0..<rows.count {
            sums.update(repeating: 0, count: span)
            for k in 0..<rows.tapCount {
              let weight = rows.weights[y * rows.tapCount + k]
              if weight == 0 { continue }
              let row = source.baseAddress! + ((rows.starts[y] + k) * width + firstColumn) * channels
              accumulateRow(row, weight, into: sums, count: span)
            }
            reduceColumns(sums, columns, origin: firstColumn, channels: channels, into: line)
            roundRow(line, into: buffer.baseAddress! + y * rowValues, count: rowValues)
          }
        }
      }
    }
    return ByteImage(width: columns.count, height: rows.count, channelCount: channels, pixels: result)
  }
}

@inline(never)
private func accumulateRow(
  _ row: UnsafePointer<UInt8>, _ weight: Float, into sums: UnsafeMutablePointer<Float>, count: Int
) {
  for i in 0..<count { sums[i] += weight * Float(row[i]) }
}

@inline(never)
private func roundRow(_ line: UnsafePointer<Float>, into target: UnsafeMutablePointer<UInt8>, count: Int) {
  // Weights sum to 1 within rounding, so values stay in 0...255 but for a few units in the last place.
  for i in 0..<count { target[i] = UInt8(truncatingIfNeeded: Int32(min(max(line[i], 0), 255) + 0.5)) }
}

/// Weighted means over runs of columns of one interleaved row that begins at source column `origin`.
@inline(never)
func reduceColumns(
  _ row: UnsafePointer<Float>, _ columns: AxisTaps, origin: Int, channels: Int,
  into target: UnsafeMutablePointer<Float>
) {
  let taps = columns.tapCount
  columns.starts.withUnsafeBufferPointer { starts in
    columns.weights.withUnsafeBufferPointer { weights in
      if taps == 2 && channels == 1 {
        for x in 0..<starts.count {
          let run = row + (starts[x] - origin)
          target[x] = weights[2 * x] * run[0] + weights[2 * x + 1] * run[1]
        }
        return
      }
      for x in 0..<starts.count {
        let run = row + (starts[x] - origin) * channels
        let weight = weights.baseAddress! + x * taps
        for c in 0..<channels {
          var sum: Float = 0
          for k in 0..<taps { sum += weight[k] * run[k * channels + c] }
          target[x * channels + c] = sum
        }
      }
    }
  }
}
