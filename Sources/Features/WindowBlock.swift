import Geometry

/// Integral images of up to 128 windows of one size, interleaved: the values of all windows at one place lie side by side,
/// so that a feature is computed for all of them at once.
///
/// Values are those of `IntegralImage` and `TiltedIntegralImage` as `Float`, exact up to `largestArea` pixels. Training reads
/// a window tens of thousands of times for each time it is filled in.
public struct WindowBlock: @unchecked Sendable {
  /// Windows in a block.
  public static let width = 128
  /// The most pixels of a window: sums stay exact in 24 bits.
  public static let largestArea = 65_793

  public let windowSize: PixelSize
  public let hasTilted: Bool
  /// `(windowSize.height + 1) * (windowSize.width + 1)` rows of `width` sums, then as many tilted ones.
  let sums: UnsafeMutablePointer<Float>
  /// What Haar features of each window are multiplied by; 0 for a window without contrast.
  let scales: UnsafeMutablePointer<Float>

  /// Bytes that a block takes.
  public static func byteCount(windowSize: PixelSize, hasTilted: Bool) -> Int {
    ((windowSize.height + 1) * (windowSize.width + 1) * (hasTilted ? 2 : 1) + 1) * width * 4
  }

  /// Takes memory; `release` gives it back.
  ///
  /// - Precondition: a window of at most `largestArea` pixels.
  public init(windowSize: PixelSize, hasTilted: Bool) {
    precondition(windowSize.width * windowSize.height <= WindowBlock.largestArea)
    self.windowSize = windowSize
    self.hasTilted = hasTilted
    let places = (windowSize.height + 1) * (windowSize.width + 1)
    sums = .allocate(capacity: places * (hasTilted ? 2 : 1) * WindowBlock.width)
    sums.initialize(repeating: 0, count: places * (hasTilted ? 2 : 1) * WindowBlock.width)
    scales = .allocate(capacity: WindowBlock.width)
    scales.initialize(repeating: 0, count: WindowBlock.width)
  }

  public func release() {
    sums.deallocate()
    scales.deallocate()
  }

  /// Sets one window's pixels.
  ///
  /// - Parameters:
  ///   - lane: which of the block's windows.
  ///   - pixels: `windowSize.height * windowSize.width` grey values.
  public func fill(_ lane: Int, _ pixels: UnsafePointer<UInt8>) {
    precondition((0..<WindowBlock.width).contains(lane))
    let (width, height) = (windowSize.width, windowSize.height)
    let lanes = WindowBlock.width
    let stride = (width + 1) * lanes
    for row in 0..<height {
      var running: Float = 0
      let above = sums + row * stride + lane
      let target = above + stride
      let line = pixels + row * width
      for column in 0..<width {
        running += Float(line[column])
        target[(column + 1) * lanes] = above[(column + 1) * lanes] + running
      }
    }
    if hasTilted { fillTilted(lane, pixels) }
    scales[lane] = WindowContrast.scale(pixels, windowSize)
  }

  /// As `TiltedIntegralImage`: the value at row r and column c is the sum of the triangle whose lowest pixel is (c - 1, r - 1).
  private func fillTilted(_ lane: Int, _ pixels: UnsafePointer<UInt8>) {
    let (width, height) = (windowSize.width, windowSize.height)
    let lanes = WindowBlock.width
    let stride = (width + 1) * lanes
    let tilted = sums + (height + 1) * stride + lane
    for row in 0..<height {
      let target = tilted + (row + 1) * stride
      let above = tilted + row * stride
      let line = pixels + row * width
      func tip(_ column: Int) -> Float {
        Float(line[column]) + (row > 0 ? Float((line - width)[column]) : 0)
      }
      target[0] = above[lanes]
      for column in 1..<max(width, 1) {
        let twoAbove = row > 0 ? (above - stride)[column * lanes] : 0
        target[column * lanes] =
          above[(column - 1) * lanes] + above[(column + 1) * lanes] - twoAbove + tip(column - 1)
      }
      target[width * lanes] = above[(width - 1) * lanes] + tip(width - 1)
    }
  }
}

/// The contrast by which Haar features of a window are divided, as OpenCV has it.
public enum WindowContrast {
  /// 1 over the window's standard deviation times its area, both of what lies inside a border of one pixel; 0 where there is
  /// no contrast.
  ///
  /// - Parameter pixels: `size.height * size.width` grey values.
  public static func scale(_ pixels: UnsafePointer<UInt8>, _ size: PixelSize) -> Float {
    var (sum, squares) = (0, 0)
    for row in 1..<max(1, size.height - 1) {
      for column in 1..<max(1, size.width - 1) {
        let value = Int(pixels[row * size.width + column])
        sum += value
        squares += value * value
      }
    }
    return scale(area: (size.width - 2) * (size.height - 2), sum: sum, squares: squares)
  }

  /// As above, of the sums over the inside.
  public static func scale(area: Int, sum: Int, squares: Int) -> Float {
    let spread = Double(area) * Double(squares) - Double(sum) * Double(sum)
    return area > 0 && spread > 0 ? Float(1 / spread.squareRoot()) : 0
  }
}

extension WindowContrast {
  /// Whether a detector looks at a window at all: OpenCV 4 leaves windows out whose standard deviation is 10 grey levels or
  /// less (of 0...255).
  ///
  /// - Parameter scale: of `scale(area:sum:squares:)`.
  public static func isSeen(area: Int, scale: Float) -> Bool {
    scale > 0 && Double(area) * Double(scale) < 0.1
  }
}
