import Geometry
import Imaging

/// Resizes to the byte as OpenCV's `INTER_LINEAR_EXACT`, whole images or bands of rows.
///
/// Linear interpolation with weights of 8 bits (rounded half to even), border pixels repeated; what is left of the 16 bits
/// of both axes is rounded half up at the end. Because nothing is rounded between the axes, rows may be blended first:
/// that halves the work on images that shrink.
struct OpenCVResizer: Sendable {
  let sourceSize: PixelSize
  let targetSize: PixelSize
  let channelCount: Int
  /// The part that is made, in pixels of the resized image.
  let columnRange: Range<Int>
  let rowRange: Range<Int>
  private let columns: ExactLinearAxis
  private let rows: ExactLinearAxis

  /// - Parameters columns, rows: the part that will be asked for; `nil` is all. Preparing takes O(its sides).
  /// - Precondition: all sides are positive; the part is not empty and lies in the resized image.
  init(
    from sourceSize: PixelSize, to targetSize: PixelSize, channelCount: Int, columns columnRange: Range<Int>? = nil,
    rows rowRange: Range<Int>? = nil
  ) {
    precondition(sourceSize.width > 0 && sourceSize.height > 0 && targetSize.width > 0 && targetSize.height > 0)
    precondition(channelCount == 1 || channelCount == 3)
    let columnRange = columnRange ?? 0..<targetSize.width
    let rowRange = rowRange ?? 0..<targetSize.height
    precondition(!columnRange.isEmpty && columnRange.lowerBound >= 0 && columnRange.upperBound <= targetSize.width)
    precondition(!rowRange.isEmpty && rowRange.lowerBound >= 0 && rowRange.upperBound <= targetSize.height)
    self.sourceSize = sourceSize
    self.targetSize = targetSize
    self.channelCount = channelCount
    self.columnRange = columnRange
    self.rowRange = rowRange
    columns = ExactLinearAxis(columnRange, of: targetSize.width, sourceCount: sourceSize.width)
    rows = ExactLinearAxis(rowRange, of: targetSize.height, sourceCount: sourceSize.height)
  }

  /// Rows of the target image, within the prepared part.
  ///
  /// - Parameters:
  ///   - source: the whole source image, without gaps.
  ///   - target: room for the rows of `range`, each of the part's width, without gaps.
  func fill(_ range: Range<Int>, from source: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>) {
    precondition(range.lowerBound >= rowRange.lowerBound && range.upperBound <= rowRange.upperBound)
    let sourceRow = sourceSize.width * channelCount
    let targetRow = columnRange.count * channelCount
    if sourceSize == targetSize {
      for row in range {
        (target + (row - range.lowerBound) * targetRow).update(
          from: source + row * sourceRow + columnRange.lowerBound * channelCount, count: targetRow)
      }
      return
    }
    // What the part needs of a source row; the pixel behind it is read too, with weight 0.
    let first = Int(columns.lower[0])
    let last = min(Int(columns.lower[columnRange.count - 1]) + 1, sourceSize.width - 1)
    let span = (last - first + 1) * channelCount
    // A blended row, and in colour its samples on either side of each target sample with the latter's weights. Lanes to
    // spare are for loads and stores of four samples.
    let gathered = channelCount == 3 ? targetRow + 4 : 0
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: span + channelCount + 4 + 3 * gathered) { scratch in
      scratch.initialize(repeating: 0)
      let line = scratch.baseAddress!
      let near = line + span + channelCount + 4
      let far = near + gathered
      let weights = far + gathered
      if channelCount == 3 {
        for x in 0..<columnRange.count { for c in 0..<3 { weights[3 * x + c] = columns.weights[x] } }
      }
      for row in range {
        let place = row - rowRange.lowerBound
        let source = source + first * channelCount
        blend(
          source + Int(rows.lower[place]) * sourceRow, source + Int(rows.upper[place]) * sourceRow,
          rows.weights[place], into: line, count: span)
        let out = target + (row - range.lowerBound) * targetRow
        columns.lower.withUnsafeBufferPointer { lower in
          let base = line - first * channelCount
          if channelCount == 1 {
            columns.weights.withUnsafeBufferPointer { weights in
              interpolate(base, lower.baseAddress!, weights.baseAddress!, into: out, count: columnRange.count)
            }
          } else {
            gather(base, lower.baseAddress!, near: near, far: far, count: columnRange.count)
            interpolate(near, far, weights, into: out, count: targetRow)
          }
        }
      }
    }
  }
}

extension ByteImage {
  /// The image at another size, to the byte as OpenCV's `INTER_LINEAR_EXACT` has it.
  ///
  /// `HOGDescriptor.detectMultiScale` and `CascadeClassifier.detectMultiScale` build their pyramids so. A last bit of a
  /// level's pixel moves a HOG window's score by about 0.01: enough to lose one box in a hundred.
  /// - Precondition: the image has pixels; both sizes are positive.
  func resizedAsOpenCV(to size: PixelSize) -> ByteImage {
    if size == self.size { return self }
    return resizedAsOpenCV(to: size, columns: 0..<size.width, rows: 0..<size.height)
  }

  /// A part of the image at another size: the same bytes as the part of the whole.
  ///
  /// - Parameters columns, rows: the part, in pixels of the resized image.
  /// - Precondition: as `resizedAsOpenCV(to:)`; the part is not empty and lies in the resized image.
  /// - Complexity: O(pixels of the part, and of what it was in the image).
  func resizedAsOpenCV(to size: PixelSize, columns: Range<Int>, rows: Range<Int>) -> ByteImage {
    let resizer = OpenCVResizer(from: self.size, to: size, channelCount: channelCount, columns: columns, rows: rows)
    let total = columns.count * rows.count * channelCount
    let result = [UInt8](unsafeUninitializedCapacity: total) { buffer, filled in
      filled = total
      pixels.withUnsafeBufferPointer { source in
        resizer.fill(rows, from: source.baseAddress!, into: buffer.baseAddress!)
      }
    }
    return ByteImage(width: columns.count, height: rows.count, channelCount: channelCount, pixels: result)
  }
}

/// For each target coordinate the source sample below it, the one above, and the weight of the latter in units of 1/256.
/// Where the weight is 0 the sample above may be any.
private struct ExactLinearAxis: Sendable {
  var lower: [Int32] = []
  var upper: [Int32] = []
  var weights: [UInt16] = []

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
        upper.append(0)
        weights.append(0)
      } else if Int(floor) >= sourceCount - 1 {
        lower.append(Int32(sourceCount - 1))
        upper.append(Int32(sourceCount - 1))
        weights.append(0)
      } else {
        lower.append(Int32(floor))
        upper.append(Int32(floor) + 1)
        weights.append(UInt16(((position - floor) * 256).rounded(.toNearestOrEven)))
      }
    }
  }
}

/// At most 255 * 256: 16 bits hold it.
@inline(never)
private func blend(
  _ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>, _ weight: UInt16, into line: UnsafeMutablePointer<UInt16>,
  count: Int
) {
  let rest = 256 &- weight
  for i in 0..<count { line[i] = UInt16(near[i]) &* rest &+ UInt16(far[i]) &* weight }
}

@inline(never)
private func interpolate(
  _ line: UnsafePointer<UInt16>, _ lower: UnsafePointer<Int32>, _ weights: UnsafePointer<UInt16>,
  into target: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count {
    let a = line + Int(lower[x])
    let near = Int32(a[0])
    let value = near << 8 &+ (Int32(a[1]) &- near) &* Int32(weights[x])
    target[x] = UInt8(truncatingIfNeeded: (value &+ 32768) >> 16)
  }
}

/// The three samples of the pixels on either side of each target pixel. Four are moved at a time: the fourth is
/// overwritten by the next pixel's, or falls into the spare lane.
@inline(never)
private func gather(
  _ line: UnsafePointer<UInt16>, _ lower: UnsafePointer<Int32>, near: UnsafeMutablePointer<UInt16>,
  far: UnsafeMutablePointer<UInt16>, count: Int
) {
  let line = UnsafeRawPointer(line)
  let near = UnsafeMutableRawPointer(near)
  let far = UnsafeMutableRawPointer(far)
  for x in 0..<count {
    let pixel = line + 6 &* Int(lower[x])
    near.storeBytes(of: pixel.loadUnaligned(as: UInt64.self), toByteOffset: 6 &* x, as: UInt64.self)
    far.storeBytes(of: pixel.loadUnaligned(fromByteOffset: 6, as: UInt64.self), toByteOffset: 6 &* x, as: UInt64.self)
  }
}

@inline(never)
private func interpolate(
  _ near: UnsafePointer<UInt16>, _ far: UnsafePointer<UInt16>, _ weights: UnsafePointer<UInt16>,
  into target: UnsafeMutablePointer<UInt8>, count: Int
) {
  for i in 0..<count {
    let value = Int32(near[i]) << 8 &+ (Int32(far[i]) &- Int32(near[i])) &* Int32(weights[i])
    target[i] = UInt8(truncatingIfNeeded: (value &+ 32768) >> 16)
  }
}
