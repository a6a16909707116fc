import Geometry

/// Multi-block local binary patterns over blocks of windows: see `BlockPattern` for what a value is.
public struct BlockPatternTable: Sendable {
  public let windowSize: PixelSize
  private let patterns: [BlockPattern]

  public var count: Int { patterns.count }

  /// - Precondition: the patterns lie in the window.
  public init(_ patterns: [BlockPattern], windowSize: PixelSize) {
    precondition(
      patterns.allSatisfy {
        $0.x >= 0 && $0.y >= 0 && $0.blockWidth > 0 && $0.blockHeight > 0
          && $0.x + 3 * $0.blockWidth <= windowSize.width && $0.y + 3 * $0.blockHeight <= windowSize.height
      }, "patterns inside the window expected")
    self.patterns = patterns
    self.windowSize = windowSize
  }

  /// The values of some patterns for some windows of a block.
  ///
  /// - Parameters:
  ///   - count: windows of the block that are wanted.
  ///   - bytes: a row for each pattern, `stride` apart.
  public func fill(
    _ features: Range<Int>, of block: WindowBlock, count: Int, into bytes: UnsafeMutablePointer<UInt8>, stride: Int
  ) {
    precondition(block.windowSize == windowSize && count <= WindowBlock.width)
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: WindowBlock.width) { codes in
      let codes = codes.baseAddress!
      for feature in features {
        BlockPatternTable.code(patterns[feature], block.sums, windowSize.width + 1, into: codes)
        let row = bytes + (feature - features.lowerBound) * stride
        for lane in 0..<count { row[lane] = UInt8(truncatingIfNeeded: codes[lane]) }
      }
    }
  }

  @inline(never)
  private static func code(
    _ pattern: BlockPattern, _ sums: UnsafePointer<Float>, _ rowLength: Int, into codes: UnsafeMutablePointer<Int32>
  ) {
    typealias Lanes = SIMD8<Float>
    let across = pattern.blockWidth * WindowBlock.width
    let down = pattern.blockHeight * rowLength * WindowBlock.width
    let corner = sums + (pattern.y * rowLength + pattern.x) * WindowBlock.width
    for lane in Swift.stride(from: 0, to: WindowBlock.width, by: 8) {
      let base = UnsafeRawPointer(corner + lane)
      @inline(__always) func at(_ row: Int, _ column: Int) -> Lanes {
        base.loadUnaligned(fromByteOffset: (row * down + column * across) * 4, as: Lanes.self)
      }
      @inline(__always) func steps(_ row: Int) -> (Lanes, Lanes, Lanes) {
        let (a, b, c, d) = (at(row, 0), at(row, 1), at(row, 2), at(row, 3))
        return (b - a, c - b, d - c)
      }
      let (r0, r1, r2, r3) = (steps(0), steps(1), steps(2), steps(3))
      let middle = r2.1 - r1.1
      @inline(__always) func bit(_ block: Lanes, _ value: Int32) -> SIMD8<Int32> {
        SIMD8<Int32>(repeating: 0).replacing(with: SIMD8<Int32>(repeating: value), where: block .>= middle)
      }
      var code = bit(r1.0 - r0.0, 128) | bit(r1.1 - r0.1, 64) | bit(r1.2 - r0.2, 32)
      code |= bit(r2.2 - r1.2, 16) | bit(r3.2 - r2.2, 8) | bit(r3.1 - r2.1, 4)
      code |= bit(r3.0 - r2.0, 2) | bit(r2.0 - r1.0, 1)
      UnsafeMutableRawPointer(codes + lane).storeBytes(of: code, as: SIMD8<Int32>.self)
    }
  }
}
