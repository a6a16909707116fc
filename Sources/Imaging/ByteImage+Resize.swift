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
    // Both methods are the mean of four pixels at half the size.
    if method == .area && !isTwice(size) {
      return resampled(
        columns: AxisTaps(
          origin: 0, extent: Double(width), count: size.width, sourceCount: width, method: .area,
          interpolatesGrowth: false),
        rows: AxisTaps(
          origin: 0, extent: Double(height), count: size.height, sourceCount: height, method: .area,
          interpolatesGrowth: false))
    }
    let total = size.width * size.height * channelCount
    let result = [UInt8](unsafeUninitializedCapacity: total) { buffer, filled in
      filled = total
      writeBilinear(to: size, into: buffer.baseAddress!, rowStride: size.width * channelCount)
    }
    return ByteImage(width: size.width, height: size.height, channelCount: channelCount, pixels: result)
  }

  /// Replaces this image by another, resized (`.bilinear`), with its border pixels repeated around it.
  ///
  /// What `source.resized(to: size).crop(x: -left, y: -top, width: frame.width, height: frame.height)` gives, in one pass and
  /// in this image's own memory where that is large enough: fresh memory for each level of a pyramid would have to be
  /// mapped in by the system.
  ///
  /// - Parameters:
  ///   - source: the image to resize; it has pixels.
  ///   - size: of the resized image; positive.
  ///   - left, top: where it lies in the frame.
  ///   - frame: the new size of this image, which holds the resized one whole.
  public mutating func setToResized(_ source: ByteImage, size: PixelSize, left: Int, top: Int, frame: PixelSize) {
    precondition(source.width > 0 && source.height > 0, "an empty image cannot be resized")
    precondition(size.width > 0 && size.height > 0, "a resized image needs at least one pixel, got \(size)")
    precondition(
      left >= 0 && top >= 0 && left + size.width <= frame.width && top + size.height <= frame.height,
      "the frame \(frame) has no room for \(size) at \(left), \(top)")
    let channels = source.channelCount
    let rowBytes = frame.width * channels
    let total = rowBytes * frame.height
    var memory: [UInt8] = []
    swap(&memory, &pixels)
    if memory.count > total {
      memory.removeLast(memory.count - total)
    } else if memory.count < total {
      if memory.capacity < total { memory = [] }
      memory.append(contentsOf: repeatElement(0, count: total - memory.count))
    }
    memory.withUnsafeMutableBufferPointer { buffer in
      let base = buffer.baseAddress!
      source.writeBilinear(to: size, into: base + top * rowBytes + left * channels, rowStride: rowBytes)
      let right = (left + size.width) * channels
      for row in top..<top + size.height {
        let line = base + row * rowBytes
        for at in 0..<left * channels { line[at] = line[left * channels + at % channels] }
        for at in right..<rowBytes { line[at] = line[at - channels] }
      }
      for row in 0..<top { (base + row * rowBytes).update(from: base + top * rowBytes, count: rowBytes) }
      let bottom = base + (top + size.height - 1) * rowBytes
      for row in top + size.height..<frame.height { (base + row * rowBytes).update(from: bottom, count: rowBytes) }
    }
    self = ByteImage(width: frame.width, height: frame.height, channelCount: channels, pixels: memory)
  }

  private func isTwice(_ size: PixelSize) -> Bool { 2 * size.width == width && 2 * size.height == height }

  /// Writes the whole image at another size, `rowStride` bytes from row to row.
  private func writeBilinear(to size: PixelSize, into target: UnsafeMutablePointer<UInt8>, rowStride: Int) {
    if size == self.size {
      let rowBytes = width * channelCount
      pixels.withUnsafeBufferPointer { source in
        for y in 0..<height {
          (target + y * rowStride).update(from: source.baseAddress! + y * rowBytes, count: rowBytes)
        }
      }
    } else if isTwice(size) {
      writeHalved(into: target, rowStride: rowStride)
    } else {
      writeInterpolated(to: size, into: target, rowStride: rowStride)
    }
  }

  private func writeInterpolated(to size: PixelSize, into target: UnsafeMutablePointer<UInt8>, rowStride: Int) {
    let channels = channelCount
    let rowBytes = width * channels
    let targetBytes = size.width * channels
    let columns = LinearAxis(count: size.width, sourceCount: width)
    let rows = LinearAxis(count: size.height, sourceCount: height)
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
            blendColumns(near, far, weights, into: target + y * rowStride, count: targetBytes)
          }
        }
      }
    }
  }

  /// The mean of each two by two pixels, rounded half up.
  private func writeHalved(into target: UnsafeMutablePointer<UInt8>, rowStride: Int) {
    let rowBytes = width * channelCount
    pixels.withUnsafeBufferPointer { source in
      for y in 0..<height / 2 {
        let above = source.baseAddress! + 2 * y * rowBytes
        if channelCount == 1 {
          halveGrey(above, above + rowBytes, into: target + y * rowStride, count: width / 2)
        } else {
          halveColor(above, above + rowBytes, into: target + y * rowStride, count: width / 2)
        }
      }
    }
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
