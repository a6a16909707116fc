/// Where the places of a resampled map lie in its source along one axis: place `i` at `origin + i * step`, in places of
/// the source.
public struct PlaceSampling: Hashable, Sendable {
  public var origin: Double
  public var step: Double

  public init(origin: Double, step: Double) {
    self.origin = origin
    self.step = step
  }
}

extension FeatureMap {
  /// Fills the map with samples of another, interpolated linearly on both axes; beyond the source's border its
  /// outermost places are repeated.
  ///
  /// This is how the features of one image size stand in for those of a size near it, at a tenth of their cost:
  /// normalised gradient features change little within a small part of an octave. But the mean of four places is
  /// shorter than each of them, which lowers the scores of the objects looked for; so each place is brought to the
  /// length that its four sources have, interpolated likewise.
  ///
  /// Reference: P. Dollár, R. Appel, S. Belongie, P. Perona, "Fast feature pyramids for object detection", PAMI 2014.
  /// **Difference from the paper:** lengths are kept; its power law across scales is left out, as features that are
  /// normalised keep their size.
  /// - Parameters:
  ///   - size: the size that the map is to have.
  ///   - source: a map with at least one place.
  ///   - rows, columns: where the rows and columns of the map lie in the source.
  ///   - keepsLengths: `false` leaves the plain means.
  /// - Complexity: O(places x channels).
  public mutating func fill(
    size: MapSize, from source: FeatureMap, rows rowSampling: PlaceSampling, columns columnSampling: PlaceSampling,
    keepsLengths: Bool = true
  ) {
    precondition(source.rows > 0 && source.columns > 0, "a map without places cannot be resampled")
    let stride = source.channelStride
    reshape(to: size, channelCount: source.channelCount, channelStride: stride)
    guard size.count > 0 else { return }
    let across = (0..<size.columns).map { LinearPlace($0, columnSampling, count: source.columns) }
    let sourceLengths = keepsLengths ? source.lengths : []
    source.values.withUnsafeBufferPointer { from in
      values.withUnsafeMutableBufferPointer { to in
        across.withUnsafeBufferPointer { across in
          sourceLengths.withUnsafeBufferPointer { lengths in
            for row in 0..<size.rows {
              let down = LinearPlace(row, rowSampling, count: source.rows)
              let above = down.lower * source.columns
              let below = down.upper * source.columns
              let target = to.baseAddress! + row * size.columns * stride
              blendPlaces(
                from.baseAddress! + above * stride, from.baseAddress! + below * stride, down.weight, across, target,
                stride)
              if keepsLengths {
                restoreLengths(
                  lengths.baseAddress! + above, lengths.baseAddress! + below, down.weight, across, target, stride)
              }
            }
          }
        }
      }
    }
  }

  /// The Euclidean length of each place.
  private var lengths: [Float] {
    values.withUnsafeBufferPointer { values in
      (0..<rows * columns).map { squaredLength(values.baseAddress! + $0 * channelStride, channelStride).squareRoot() }
    }
  }
}

/// The two places of the source about a place of the target, and the weight of the upper one.
private struct LinearPlace {
  let lower: Int
  let upper: Int
  let weight: Float

  init(_ index: Int, _ sampling: PlaceSampling, count: Int) {
    let position = min(max(sampling.origin + Double(index) * sampling.step, 0), Double(count - 1))
    lower = Int(position)
    upper = min(lower + 1, count - 1)
    weight = Float(position - Double(lower))
  }
}

@inline(never)
private func blendPlaces(
  _ above: UnsafePointer<Float>, _ below: UnsafePointer<Float>, _ weight: Float,
  _ across: UnsafeBufferPointer<LinearPlace>, _ target: UnsafeMutablePointer<Float>, _ stride: Int
) {
  var target = target
  for place in across {
    let left = place.lower &* stride
    let right = place.upper &* stride
    let belowRight = SIMD4<Float>(repeating: weight * place.weight)
    let belowLeft = SIMD4<Float>(repeating: weight * (1 - place.weight))
    let aboveRight = SIMD4<Float>(repeating: (1 - weight) * place.weight)
    let aboveLeft = SIMD4<Float>(repeating: (1 - weight) * (1 - place.weight))
    var channel = 0
    // Strides of both HOG forms are whole vectors.
    while channel &+ 4 <= stride {
      let upper = load(above + left + channel) * aboveLeft + load(above + right + channel) * aboveRight
      let lower = load(below + left + channel) * belowLeft + load(below + right + channel) * belowRight
      store(upper + lower, target + channel)
      channel &+= 4
    }
    while channel < stride {
      target[channel] =
        (above[left &+ channel] * aboveLeft.x + above[right &+ channel] * aboveRight.x)
        + (below[left &+ channel] * belowLeft.x + below[right &+ channel] * belowRight.x)
      channel &+= 1
    }
    target += stride
  }
}

/// Brings each place to the length that its sources' lengths give. Places of zeros stay so.
@inline(never)
private func restoreLengths(
  _ above: UnsafePointer<Float>, _ below: UnsafePointer<Float>, _ weight: Float,
  _ across: UnsafeBufferPointer<LinearPlace>, _ target: UnsafeMutablePointer<Float>, _ stride: Int
) {
  var target = target
  for place in across {
    let upper = above[place.lower] * (1 - place.weight) + above[place.upper] * place.weight
    let lower = below[place.lower] * (1 - place.weight) + below[place.upper] * place.weight
    let wanted = upper * (1 - weight) + lower * weight
    let found = squaredLength(target, stride).squareRoot()
    if found > 1e-12 {
      let factor = wanted / found
      for channel in 0..<stride { target[channel] *= factor }
    }
    target += stride
  }
}

@inline(__always)
private func squaredLength(_ place: UnsafePointer<Float>, _ stride: Int) -> Float {
  var squares = SIMD4<Float>.zero
  var channel = 0
  while channel &+ 4 <= stride {
    let value = load(place + channel)
    squares += value * value
    channel &+= 4
  }
  var sum = squares.sum()
  while channel < stride {
    sum += place[channel] * place[channel]
    channel &+= 1
  }
  return sum
}
