import Geometry

extension ByteImage {
  /// The whole image at another size.
  ///
  /// `.bilinear` computes in fixed point (weights of 15 bits, rows of 6 fractional bits) and is within one level of
  /// OpenCV's `INTER_LINEAR`; `.area` computes in Float and is within one level of its `INTER_AREA` where both axes
  /// shrink. Colours are not exchanged with light: the stored values are averaged.
  /// - Precondition: both sizes are positive.
  /// - Complexity: bilinear O(target rows * source width + target pixels); area O(source pixels + target pixels).
  public func resized(to size: PixelSize, method: ResizeMethod = .bilinear) -> ByteImage {
    precondition(width > 0 && height > 0, "an empty image cannot be resized")
    precondition(size.width > 0 && size.height > 0, "a resized image needs at least one pixel, got \(size)")
    if size == self.size { return self }
    // Both methods are the mean of four pixels here.
    if 2 * size.width == width && 2 * size.height == height { return halved() }
    switch method {
    case .bilinear: return bilinear(to: size)
    case .area:
      return resampled(
        columns: AxisTaps(
          origin: 0, extent: Double(width), count: size.width, sourceCount: width, method: .area,
          interpolatesGrowth: false),
        rows: AxisTaps(
          origin: 0, extent: Double(height), count: size.height, sourceCount: height, method: .area,
          interpolatesGrowth: false))
    }
  }

  private func bilinear(to size: PixelSize) -> ByteImage {
    let channels = channelCount
    let rowBytes = width * channels
    let targetBytes = size.width * channels
    let columns = LinearAxis(count: size.width, sourceCount: width)
    let rows = LinearAxis(count: size.height, sourceCount: height)
    let total = targetBytes * size.height
    let result = [UInt8](unsafeUninitializedCapacity: total) { buffer, filled in
      filled = total
      // One blended row with a replicated pixel (and a spare lane for wide loads), two gathered rows, and the weights.
      withUnsafeTemporaryAllocation(of: Int16.self, capacity: rowBytes + 8 + 3 * (targetBytes + 8) + weightRun) {
        scratch in
        let blended = scratch.baseAddress!
        let near = blended + rowBytes + 8
        let far = near + targetBytes + 8
        let weights = far + targetBytes + 8
        let rowWeights = weights + targetBytes + 8
        blended.update(repeating: 0, count: rowBytes + 8)
        for x in 0..<size.width {
          for c in 0..<channels { weights[x * channels + c] = columns.weights[x] }
        }
        pixels.withUnsafeBufferPointer { source in
          columns.indices.withUnsafeBufferPointer { indices in
            for y in 0..<size.height {
              let above = source.baseAddress! + Int(rows.indices[y]) * rowBytes
              let below = above + (Int(rows.indices[y]) + 1 < height ? rowBytes : 0)
              rowWeights.update(repeating: rows.weights[y], count: weightRun)
              blendRows(above, below, weights: rowWeights, into: blended, count: rowBytes)
              for c in 0..<channels { blended[rowBytes + c] = blended[rowBytes - channels + c] }
              if channels == 1 {
                gatherGrey(blended, indices.baseAddress!, near: near, far: far, count: size.width)
              } else {
                gatherColor(blended, indices.baseAddress!, near: near, far: far, count: size.width)
              }
              blendColumns(
                near, far, weights, into: buffer.baseAddress! + y * targetBytes, count: targetBytes)
            }
          }
        }
      }
    }
    return ByteImage(width: size.width, height: size.height, channelCount: channels, pixels: result)
  }
}

extension ByteImage {
  /// The mean of each two by two pixels, rounded half up.
  private func halved() -> ByteImage {
    let channels = channelCount
    let rowBytes = width * channels
    let target = PixelSize(width: width / 2, height: height / 2)
    let total = target.width * target.height * channels
    let result = [UInt8](unsafeUninitializedCapacity: total) { buffer, filled in
      filled = total
      pixels.withUnsafeBufferPointer { source in
        for y in 0..<target.height {
          let above = source.baseAddress! + 2 * y * rowBytes
          let out = buffer.baseAddress! + y * target.width * channels
          if channels == 1 {
            halveGrey(above, above + rowBytes, into: out, count: target.width)
          } else {
            halveColor(above, above + rowBytes, into: out, count: target.width)
          }
        }
      }
    }
    return ByteImage(width: target.width, height: target.height, channelCount: channels, pixels: result)
  }
}

@inline(never)
private func halveGrey(
  _ above: UnsafePointer<UInt8>, _ below: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count {
    let sum = UInt16(above[2 * x]) &+ UInt16(above[2 * x + 1]) &+ UInt16(below[2 * x]) &+ UInt16(below[2 * x + 1])
    target[x] = UInt8(truncatingIfNeeded: (sum &+ 2) &>> 2)
  }
}

@inline(never)
private func halveColor(
  _ above: UnsafePointer<UInt8>, _ below: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count {
    for c in 0..<3 {
      let at = 6 * x + c
      let sum = UInt16(above[at]) &+ UInt16(above[at + 3]) &+ UInt16(below[at]) &+ UInt16(below[at + 3])
      target[3 * x + c] = UInt8(truncatingIfNeeded: (sum &+ 2) &>> 2)
    }
  }
}

/// For each target coordinate of one axis, the lower of the two source samples and the weight of the upper one.
struct LinearAxis {
  let indices: [Int32]
  /// In units of 2^-15, 0...32767.
  let weights: [Int16]

  init(count: Int, sourceCount: Int) {
    let step = Double(sourceCount) / Double(count)
    var indices: [Int32] = []
    var weights: [Int16] = []
    indices.reserveCapacity(count)
    weights.reserveCapacity(count)
    for i in 0..<count {
      let position = min(max((Double(i) + 0.5) * step - 0.5, 0), Double(sourceCount - 1))
      let lower = Int32(position)
      indices.append(lower)
      weights.append(Int16(min((position - Double(lower)) * 32768 + 0.5, 32767)))
    }
    self.indices = indices
    self.weights = weights
  }
}

/// `above + weight (below - above)` in units of 1/64 level. Differences of bytes times 128 just fit 16 bits, and the
/// upper half of the product is one SSE2 instruction.
///
/// The weight is read from a run of equal ones: a constant is widened ahead of the loop, and the instruction is missed.
@inline(never)
private func blendRows(
  _ above: UnsafePointer<UInt8>, _ below: UnsafePointer<UInt8>, weights: UnsafePointer<Int16>,
  into row: UnsafeMutablePointer<Int16>, count: Int
) {
  var start = 0
  while start < count {
    let (p, q, t) = (above + start, below + start, row + start)
    for i in 0..<min(weightRun, count - start) {
      let a = Int16(p[i])
      let difference = (Int16(q[i]) &- a) &<< 7
      t[i] = (a &<< 6) &+ Int16(truncatingIfNeeded: (Int32(difference) &* Int32(weights[i])) &>> 16)
    }
    start += weightRun
  }
}

private let weightRun = 256

@inline(never)
private func gatherGrey(
  _ row: UnsafePointer<Int16>, _ indices: UnsafePointer<Int32>, near: UnsafeMutablePointer<Int16>,
  far: UnsafeMutablePointer<Int16>, count: Int
) {
  for x in 0..<count {
    let p = row + Int(indices[x])
    near[x] = p[0]
    far[x] = p[1]
  }
}

/// Moves four samples at a time: the fourth is overwritten by the next pixel, or falls into the spare lane.
@inline(never)
private func gatherColor(
  _ row: UnsafePointer<Int16>, _ indices: UnsafePointer<Int32>, near: UnsafeMutablePointer<Int16>,
  far: UnsafeMutablePointer<Int16>, count: Int
) {
  let raw = UnsafeRawPointer(row)
  let rawNear = UnsafeMutableRawPointer(near)
  let rawFar = UnsafeMutableRawPointer(far)
  for x in 0..<count {
    let p = raw + 6 * Int(indices[x])
    rawNear.storeBytes(of: p.loadUnaligned(as: UInt64.self), toByteOffset: 6 * x, as: UInt64.self)
    rawFar.storeBytes(of: p.loadUnaligned(fromByteOffset: 6, as: UInt64.self), toByteOffset: 6 * x, as: UInt64.self)
  }
}

@inline(never)
private func blendColumns(
  _ near: UnsafePointer<Int16>, _ far: UnsafePointer<Int16>, _ weights: UnsafePointer<Int16>,
  into target: UnsafeMutablePointer<UInt8>, count: Int
) {
  for i in 0..<count {
    let a = near[i]
    let difference = (far[i] &- a) &<< 1
    let value = a &+ Int16(truncatingIfNeeded: (Int32(difference) &* Int32(weights[i])) &>> 16)
    target[i] = UInt8(truncatingIfNeeded: (value &+ 32) &>> 6)
  }
}
