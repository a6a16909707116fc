import Geometry

/// A level of the cascade that sees gradients: orientation histograms around each landmark and one linear map from all of
/// them to the shape's change (Xiong and De la Torre's supervised descent, CVPR 2013, with histograms of its own kind).
///
/// The face is taken into the mean shape's frame, `resolution` pixels to a box unit. Each pixel's gradient is shared between
/// the two nearest of eight directions (0...360 degrees), the eight planes are summed over `cell x cell` pixels, and
/// around each landmark a grid of `grid x grid` places `cell` pixels apart is read, between the nearest pixels: `8 grid^2`
/// values a landmark, divided by their norm, limited, rooted and rounded to whole numbers (see `AlignedFace`).
///
/// Differences from the paper: histograms are these, not SIFT; outputs are principal coordinates of the change; levels may
/// read one aligned face in turn, which spares most of a level's time.
public struct GradientLevel: Hashable, Sendable {
  public static let directions = 8

  /// What is read around each landmark.
  public struct Reading: Hashable, Codable, Sendable {
    /// Pixels of the aligned face to a box unit.
    public var resolution: Double
    /// Side of a cell in those pixels; odd, at most `largestCell`.
    public var cell: Int
    /// Cells a side of a landmark's grid.
    public var grid: Int
    /// Whether the face is aligned anew, to the shape as it stands; otherwise the level before's aligned face is read again,
    /// around the new shape. The levels then differ in nothing else.
    public var alignsAnew: Bool

    /// Sums of more pixels may leave 16 bits.
    public static let largestCell = 9

    public init(resolution: Double, cell: Int, grid: Int, alignsAnew: Bool = true) {
      precondition(resolution > 0 && Reading.isCell(cell) && grid >= 1)
      self.resolution = resolution
      self.cell = cell
      self.grid = grid
      self.alignsAnew = alignsAnew
    }

    static func isCell(_ cell: Int) -> Bool { (1...largestCell).contains(cell) && cell % 2 == 1 }

    /// Values of all landmarks together.
    func featureCount(points: Int) -> Int { points * grid * grid * GradientLevel.directions }

    /// Whether a face that was aligned for `other` serves this reading.
    func reads(sameFaceAs other: Reading) -> Bool {
      resolution == other.resolution && cell == other.cell && grid == other.grid
    }
  }

  public var reading: Reading
  /// `width` rows of a weight for each feature; of the features of a point's neighbours alone where there are such.
  public var weights: LeafTable
  /// An addend for each output.
  public var bias: [Float]
  /// `width` rows of two values a point; empty where the outputs are the change itself.
  public var basis: [Float]
  /// For each point the points, in rising order, that its two outputs see; as many for each. Empty: all points.
  public var neighbours: [UInt16]

  public var width: Int { bias.count }

  public init(reading: Reading, weights: LeafTable, bias: [Float], basis: [Float], neighbours: [UInt16] = []) {
    precondition(!bias.isEmpty && weights.count % bias.count == 0)
    self.neighbours = neighbours
    self.reading = reading
    self.weights = weights
    self.bias = bias
    self.basis = basis
  }
}

extension GradientLevel {
  /// The level's change of a shape, in the frame that the face was aligned to.
  ///
  /// - Parameters:
  ///   - features: whole numbers of all points as `AlignedFace` reads them.
  ///   - change: `values` floats.
  func change(
    _ features: UnsafePointer<Int16>, values: Int, to change: UnsafeMutablePointer<Float>
  ) {
    if !neighbours.isEmpty {
      changeByNeighbours(features, values: values, to: change)
      return
    }
    let (width, count) = (width, weights.count / bias.count)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { outputs in
      let outputs = outputs.baseAddress!
      switch weights {
      case .float(let table):
        table.withUnsafeBufferPointer { table in
          for k in 0..<width { outputs[k] = product(features, table.baseAddress! + k * count, count) }
        }
      case .int16(let table, let scale):
        table.withUnsafeBufferPointer { table in
          for k in 0..<width { outputs[k] = scale * product(features, table.baseAddress! + k * count, count) }
        }
      case .int8(let table, let scale):
        table.withUnsafeBufferPointer { table in
          for k in 0..<width { outputs[k] = scale * product(features, table.baseAddress! + k * count, count) }
        }
      }
      for k in 0..<width { outputs[k] += bias[k] }
      if basis.isEmpty {
        change.update(from: outputs, count: values)
        return
      }
      change.update(repeating: 0, count: values)
      basis.withUnsafeBufferPointer { basis in
        for k in 0..<width {
          let factor = outputs[k]
          let row = basis.baseAddress! + k * values
          for j in 0..<values { change[j] += factor * row[j] }
        }
      }
    }
  }
}

@inline(never)
func product(_ a: UnsafePointer<Int16>, _ b: UnsafePointer<Float>, _ count: Int) -> Float {
  var sum = SIMD8<Float>.zero
  var k = 0
  while k + 8 <= count {
    let x = UnsafeRawPointer(a + k).loadUnaligned(as: SIMD8<Int16>.self)
    sum += SIMD8<Float>(x) * UnsafeRawPointer(b + k).loadUnaligned(as: SIMD8<Float>.self)
    k += 8
  }
  var total = sum.sum()
  while k < count {
    total += Float(a[k]) * b[k]
    k += 1
  }
  return total
}

@inline(never)
func product(_ a: UnsafePointer<Int16>, _ b: UnsafePointer<Int16>, _ count: Int) -> Float {
  var sum = SIMD8<Float>.zero
  var k = 0
  while k + 8 <= count {
    let x = UnsafeRawPointer(a + k).loadUnaligned(as: SIMD8<Int16>.self)
    let y = UnsafeRawPointer(b + k).loadUnaligned(as: SIMD8<Int16>.self)
    sum += SIMD8<Float>(x) * SIMD8<Float>(y)
    k += 8
  }
  var total = sum.sum()
  while k < count {
    total += Float(a[k]) * Float(b[k])
    k += 1
  }
  return total
}

/// In whole numbers: each product is below 2^17, so that 2^14 of them stay within 32 bits.
@inline(never)
private func product(_ a: UnsafePointer<Int16>, _ b: UnsafePointer<Int8>, _ count: Int) -> Float {
  var total: Float = 0
  var start = 0
  while start < count {
    let length = min(count &- start, 16_384)
    total += Float(wholeProduct(a + start, b + start, length))
    start &+= length
  }
  return total
}

/// A plain loop: compilers make of it what multiplies and adds pairs in one instruction, and of vectors by hand they do not.
@inline(__always)
func wholeProduct(_ a: UnsafePointer<Int16>, _ b: UnsafePointer<Int8>, _ count: Int) -> Int32 {
  var sum: Int32 = 0
  for k in 0..<count { sum &+= Int32(a[k]) &* Int32(b[k]) }
  return sum
}
