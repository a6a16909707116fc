import Geometry

/// Haar features as sums over corners of integral images: where corners of a feature's boxes coincide they are read once.
///
/// Values are as a cascade sees them: the weighted sums of the boxes times the window's `WindowContrast.scale`.
public struct HaarFeatureTable: Sendable {
  public let windowSize: PixelSize
  public let hasTilted: Bool
  /// Where each feature's corners begin, and their number at the end.
  private let starts: [Int32]
  /// Places in a block: the row of `WindowBlock.sums`.
  private let places: [Int32]
  private let weights: [Float]

  public var count: Int { starts.count - 1 }

  /// - Precondition: the features lie in the window.
  public init(_ features: [HaarFeature], windowSize: PixelSize) {
    self.windowSize = windowSize
    let hasTilted = features.contains { $0.isTilted }
    self.hasTilted = hasTilted
    let stride = windowSize.width + 1
    let tiltedBase = stride * (windowSize.height + 1)
    var starts: [Int32] = [0]
    var places: [Int32] = []
    var weights: [Float] = []
    var corners: [(place: Int, weight: Float)] = []
    for feature in features {
      corners.removeAll(keepingCapacity: true)
      func add(_ x: Int, _ y: Int, _ weight: Float) {
        precondition(x >= 0 && y >= 0 && x <= windowSize.width && y <= windowSize.height, "a feature inside the window")
        let place = (feature.isTilted ? tiltedBase : 0) + y * stride + x
        if let same = corners.firstIndex(where: { $0.place == place }) {
          corners[same].weight += weight
        } else {
          corners.append((place, weight))
        }
      }
      for box in feature.boxes {
        let (x, y, width, height) = (box.x, box.y, box.width, box.height)
        if feature.isTilted {
          add(x, y, box.weight)
          add(x - height, y + height, -box.weight)
          add(x + width, y + width, -box.weight)
          add(x + width - height, y + width + height, box.weight)
        } else {
          add(x, y, box.weight)
          add(x + width, y, -box.weight)
          add(x, y + height, -box.weight)
          add(x + width, y + height, box.weight)
        }
      }
      for corner in corners where corner.weight != 0 {
        places.append(Int32(corner.place))
        weights.append(corner.weight)
      }
      starts.append(Int32(places.count))
    }
    self.starts = starts
    self.places = places
    self.weights = weights
  }

  /// A feature's values for the windows of a block.
  ///
  /// - Parameter values: room for `WindowBlock.width`.
  public func fill(_ feature: Int, of block: WindowBlock, into values: UnsafeMutablePointer<Float>) {
    precondition(block.windowSize == windowSize && (block.hasTilted || !hasTilted))
    starts.withUnsafeBufferPointer { starts in
      places.withUnsafeBufferPointer { places in
        weights.withUnsafeBufferPointer { weights in
          let begin = Int(starts[feature])
          HaarFeatureTable.add(
            places.baseAddress! + begin, weights.baseAddress! + begin, Int(starts[feature + 1]) - begin, block.sums,
            block.scales, into: values)
        }
      }
    }
  }

  /// The bins of some features for some windows of a block: `(value - low) * scale`, cut to 0...255.
  ///
  /// - Parameters:
  ///   - binnings: two numbers a feature of the whole table: low and scale.
  ///   - count: windows of the block that are wanted.
  ///   - bytes: a row for each feature, `stride` apart.
  public func fillBins(
    _ features: Range<Int>, of block: WindowBlock, binnings: UnsafePointer<SIMD2<Float>>, count: Int,
    into bytes: UnsafeMutablePointer<UInt8>, stride: Int
  ) {
    precondition(block.windowSize == windowSize && (block.hasTilted || !hasTilted))
    precondition(features.lowerBound >= 0 && features.upperBound <= self.count && count <= WindowBlock.width)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: WindowBlock.width) { values in
      let values = values.baseAddress!
      starts.withUnsafeBufferPointer { starts in
        places.withUnsafeBufferPointer { places in
          weights.withUnsafeBufferPointer { weights in
            for feature in features {
              let begin = Int(starts[feature])
              HaarFeatureTable.add(
                places.baseAddress! + begin, weights.baseAddress! + begin, Int(starts[feature + 1]) - begin, block.sums,
                block.scales, into: values)
              HaarFeatureTable.quantise(
                values, binnings[feature], count, into: bytes + (feature - features.lowerBound) * stride)
            }
          }
        }
      }
    }
  }

  @inline(never)
  private static func add(
    _ places: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ count: Int, _ sums: UnsafePointer<Float>,
    _ scales: UnsafePointer<Float>, into values: UnsafeMutablePointer<Float>
  ) {
    for lane in stride(from: 0, to: WindowBlock.width, by: 16) {
      var low = SIMD8<Float>(repeating: 0)
      var high = SIMD8<Float>(repeating: 0)
      for corner in 0..<count {
        let row = UnsafeRawPointer(sums + Int(places[corner]) * WindowBlock.width + lane)
        let weight = weights[corner]
        low += row.loadUnaligned(as: SIMD8<Float>.self) * weight
        high += row.loadUnaligned(fromByteOffset: 32, as: SIMD8<Float>.self) * weight
      }
      let scale = UnsafeRawPointer(scales + lane)
      let target = UnsafeMutableRawPointer(values + lane)
      target.storeBytes(of: low * scale.loadUnaligned(as: SIMD8<Float>.self), as: SIMD8<Float>.self)
      target.storeBytes(
        of: high * scale.loadUnaligned(fromByteOffset: 32, as: SIMD8<Float>.self), toByteOffset: 32,
        as: SIMD8<Float>.self)
    }
  }

  @inline(never)
  private static func quantise(
    _ values: UnsafePointer<Float>, _ binning: SIMD2<Float>, _ count: Int, into bytes: UnsafeMutablePointer<UInt8>
  ) {
    let (low, scale) = (binning.x, binning.y)
    for lane in 0..<count {
      let place = (values[lane] - low) * scale
      let above = place > 0 ? place : 0
      let cut = above < 255 ? above : 255
      // Adding 2^23 leaves the whole part in the lowest bits.
      bytes[lane] = UInt8(truncatingIfNeeded: (cut + 8_388_608).bitPattern)
    }
  }
}
