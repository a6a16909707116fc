extension FloatImage {
  /// Smooths each plane by `[1 p 1] / (2 + p)` along rows and columns; the border pixel is repeated outside.
  ///
  /// `p = 2` is the binomial filter `[1 2 1] / 4`. For a wished-for radius r <= 1 Dollár's toolbox takes
  /// `p = 12 / r / (r + 2) - 2`, which has the variance of a triangle of that radius.
  /// - Parameter p: weight of the centre against 1 for each neighbour; larger smooths less.
  /// - Precondition: `p` is not negative.
  /// - Complexity: O(values).
  public func triangleFiltered(p: Float = 2) -> FloatImage {
    precondition(p >= 0, "the centre's weight may not be negative, got \(p)")
    guard width > 0 && height > 0 else { return self }
    let result = [Float](unsafeUninitializedCapacity: values.count) { buffer, filled in
      filled = values.count
      withUnsafeTemporaryAllocation(of: Float.self, capacity: width + 2) { scratch in
        values.withUnsafeBufferPointer { source in
          for row in 0..<channelCount * height {
            let p0 = source.baseAddress! + row * width
            let y = row % height
            filterRow(
              above: y > 0 ? p0 - width : p0, row: p0, below: y + 1 < height ? p0 + width : p0, center: p,
              scratch: scratch.baseAddress!, into: buffer.baseAddress! + row * width, count: width)
          }
        }
      }
    }
    return FloatImage(width: width, height: height, channelCount: channelCount, values: result)
  }
}

@inline(never)
private func filterRow(
  above: UnsafePointer<Float>, row: UnsafePointer<Float>, below: UnsafePointer<Float>, center: Float,
  scratch: UnsafeMutablePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int
) {
  let scale = 1 / ((2 + center) * (2 + center))
  let line = scratch + 1
  for i in 0..<count { line[i] = (above[i] + center * row[i] + below[i]) * scale }
  line[-1] = line[0]
  line[count] = line[count - 1]
  for i in 0..<count { target[i] = line[i - 1] + center * line[i] + line[i + 1] }
}
