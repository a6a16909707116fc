import Foundation

/// How stored RGB values stand for light.
public enum TransferFunction: String, Hashable, Codable, Sendable, CaseIterable {
  /// Values are taken as light as they are: what Dollár's toolbox does, and what its channel features are tuned to.
  case linear
  /// Values are sRGB-encoded (IEC 61966-2-1) and are decoded first: colorimetrically right.
  case sRGB
}

extension FloatImage {
  /// CIE 1976 L*u*v* of an RGB image, scaled and shifted to lie in 0...1.
  ///
  /// With the white point D65 and L* in 0...100, the planes are `L* / 270`, `(u* + 88) / 270` and `(v* + 134) / 270`,
  /// so that one unit is the same distance in all three. Sums and differences of the planes are thus comparable, but
  /// the first one spans only 0...0.37.
  ///
  /// **Differences from Dollár's toolbox** (whose scaling this is): RGB to XYZ uses the sRGB primaries rather than those
  /// of EBU video, and nothing is looked up in a table. With `.linear` the values are taken as light, as there.
  /// - Precondition: 3 channels, values in 0...1.
  /// - Returns: 3 planes of the same size.
  public func luv(transfer: TransferFunction = .linear) -> FloatImage {
    precondition(channelCount == 3, "L*u*v* needs 3 channels, got \(channelCount)")
    let area = width * height
    let result = [Float](unsafeUninitializedCapacity: 3 * area) { buffer, filled in
      filled = 3 * area
      guard area > 0 else { return }
      values.withUnsafeBufferPointer { source in
        convertLUV(source.baseAddress!, into: buffer.baseAddress!, area: area, decodes: transfer == .sRGB)
      }
    }
    return FloatImage(width: width, height: height, channelCount: 3, values: result)
  }
}

/// Branches are selections and the cube root is arithmetic, so that four pixels go at once.
@inline(never)
private func convertLUV(
  _ p: UnsafePointer<Float>, into q: UnsafeMutablePointer<Float>, area: Int, decodes: Bool
) {
  // White of D65, 2 degree observer: X 0.95047, Y 1, Z 1.08883.
  let white: Float = 0.95047 + 15 + 3 * 1.08883
  let (whiteU, whiteV): (Float, Float) = (4 * 0.95047 / white, 9 / white)
  if decodes {
    for i in 0..<3 * area { q[i] = decodeSRGB(p[i]) }
  } else {
    q.update(from: p, count: 3 * area)
  }
  for i in 0..<area {
    let (r, g, b) = (q[i], q[area + i], q[2 * area + i])
    let x = 0.412453 * r + 0.357580 * g + 0.180423 * b
    let y = 0.212671 * r + 0.715160 * g + 0.072169 * b
    let z = 0.019334 * r + 0.119193 * g + 0.950227 * b
    // The two branches meet at (6/29)^3.
    let lightness = y > 0.008856452 ? 116 * cubeRoot(y) - 16 : 903.2963 * y
    // Black has no colour: with lightness 0, u* and v* are zero whatever stands for its sum.
    let scale = 13 * lightness / max(x + 15 * y + 3 * z, 1e-12)
    let u = 4 * x * scale - 13 * lightness * whiteU
    let v = 9 * y * scale - 13 * lightness * whiteV
    q[i] = lightness * (1.0 / 270)
    q[area + i] = (u + 88) * (1.0 / 270)
    q[2 * area + i] = (v + 134) * (1.0 / 270)
  }
}

/// Cube root of a positive normal number, to about one unit in the last place: a third of the exponent for a start,
/// then two of Halley's steps, each of which triples the right digits.
@inline(__always)
func cubeRoot(_ value: Float) -> Float {
  let start = Int32(Float(Int32(bitPattern: value.bitPattern)) * (1.0 / 3)) &+ 709_921_077
  var root = Float(bitPattern: UInt32(bitPattern: start))
  for _ in 0..<2 {
    let cube = root * root * root
    root = root * (cube + 2 * value) / (2 * cube + value)
  }
  return root
}

@inline(__always)
private func decodeSRGB(_ value: Float) -> Float {
  value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
}
