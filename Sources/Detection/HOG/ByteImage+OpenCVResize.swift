import Geometry
import Imaging

extension ByteImage {
  /// The image at another size, to the byte as OpenCV's `INTER_LINEAR_EXACT` has it.
  ///
  /// Linear interpolation with weights of 8 bits (rounded half to even): rows are kept in 8.8 fixed point, the second
  /// pass rounds half up. Border pixels are repeated. `HOGDescriptor.detectMultiScale` builds its pyramid so, and a last
  /// bit of a level's pixel moves a window's score by about 0.01: enough to lose one box in a hundred.
  /// - Precondition: the image has pixels; both sizes are positive.
  func resizedAsOpenCV(to size: PixelSize) -> ByteImage {
    if size == self.size { return self }
    return resizedAsOpenCV(to: size, columns: 0..<size.width, rows: 0..<size.height)
  }

  /// A part of the image at another size: the same bytes as the part of the whole.
  ///
  /// - Parameters columns, rows: the part, in pixels of the resized image.
  /// - Precondition: as `resizedAsOpenCV(to:)`; the part is not empty and lies in the resized image.
  /// - Complexity: O(pixels of the part).
  func resizedAsOpenCV(to size: PixelSize, columns columnRange: Range<Int>, rows rowRange: Range<Int>) -> ByteImage {
    precondition(width > 0 && height > 0 && size.width > 0 && size.height > 0)
    precondition(!columnRange.isEmpty && columnRange.lowerBound >= 0 && columnRange.upperBound <= size.width)
    precondition(!rowRange.isEmpty && rowRange.lowerBound >= 0 && rowRange.upperBound <= size.height)
    let part = PixelSize(width: columnRange.count, height: rowRange.count)
    if size == self.size {
      return crop(x: columnRange.lowerBound, y: rowRange.lowerBound, width: part.width, height: part.height)
    }
    let channels = channelCount
    let columns = ExactLinearAxis(columnRange, of: size.width, sourceCount: width)
    let rows = ExactLinearAxis(rowRange, of: size.height, sourceCount: height)
    let rowValues = part.width * channels
    let total = rowValues * part.height
    let result = [UInt8](unsafeUninitializedCapacity: total) { buffer, filled in
      filled = total
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * rowValues) { lines in
        // Which source row each of the two lines holds.
        var held = (-1, -1)
        var near = lines.baseAddress!
        var far = near + rowValues
        pixels.withUnsafeBufferPointer { source in
          for y in 0..<part.height {
            let upper = rows.lower[y]
            let lower = rows.upper[y]
            if held.1 == upper {
              swap(&near, &far)
              held = (held.1, held.0)
            }
            if held.0 != upper {
              interpolate(source.baseAddress! + upper * width * channels, columns, channels, into: near)
              held.0 = upper
            }
            if held.1 != lower {
              interpolate(source.baseAddress! + lower * width * channels, columns, channels, into: far)
              held.1 = lower
            }
            blend(near, far, rows.weights[y], into: buffer.baseAddress! + y * rowValues, count: rowValues)
          }
        }
      }
    }
    return ByteImage(width: part.width, height: part.height, channelCount: channels, pixels: result)
  }
}

/// For each target coordinate its two source samples and the weight of the upper one in units of 1/256.
private struct ExactLinearAxis {
  var lower: [Int] = []
  var upper: [Int] = []
  var weights: [Int32] = []

  init(_ range: Range<Int>, of count: Int, sourceCount: Int) {
    let step = 1 / (Double(count) / Double(sourceCount))
    lower.reserveCapacity(range.count)
    upper.reserveCapacity(range.count)
    weights.reserveCapacity(range.count)
    for index in range {
      let position = step * (Double(index) + 0.5) - 0.5
      let floor = position.rounded(.down)
      if floor < 0 {
        lower.append(0)
        upper.append(min(1, sourceCount - 1))
        weights.append(0)
      } else if Int(floor) >= sourceCount - 1 {
        lower.append(sourceCount - 1)
        upper.append(sourceCount - 1)
        weights.append(0)
      } else {
        lower.append(Int(floor))
        upper.append(Int(floor) + 1)
        weights.append(Int32(((position - floor) * 256).rounded(.toNearestOrEven)))
      }
    }
  }
}

@inline(never)
private func interpolate(
  _ row: UnsafePointer<UInt8>, _ columns: ExactLinearAxis, _ channels: Int, into line: UnsafeMutablePointer<Int32>
) {
  columns.lower.withUnsafeBufferPointer { lower in
    columns.upper.withUnsafeBufferPointer { upper in
      columns.weights.withUnsafeBufferPointer { weights in
        for x in 0..<lower.count {
          let a = row + lower[x] * channels
          let b = row + upper[x] * channels
          for c in 0..<channels {
            line[x * channels + c] = Int32(a[c]) &* (256 &- weights[x]) &+ Int32(b[c]) &* weights[x]
          }
        }
      }
    }
  }
}

@inline(never)
private func blend(
  _ near: UnsafePointer<Int32>, _ far: UnsafePointer<Int32>, _ weight: Int32, into target: UnsafeMutablePointer<UInt8>,
  count: Int
) {
  for i in 0..<count {
    target[i] = UInt8(truncatingIfNeeded: (near[i] &* (256 &- weight) &+ far[i] &* weight &+ 32768) >> 16)
  }
}
