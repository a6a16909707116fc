import Geometry

extension BlockPattern {
  /// Every pattern that fits in a window, in the order in which `opencv_traincascade` numbers them: by column, row, block
  /// width and block height. A window of 24 x 24 has 8464.
  ///
  /// - Parameter window: width and height in pixels; none where it is smaller than 3 x 3.
  public static func all(in window: PixelSize) -> [BlockPattern] {
    var patterns: [BlockPattern] = []
    patterns.reserveCapacity(count(in: window))
    for x in 0..<max(0, window.width) {
      for y in 0..<max(0, window.height) {
        for blockWidth in 0..<(window.width - x) / 3 {
          for blockHeight in 0..<(window.height - y) / 3 {
            patterns.append(BlockPattern(x: x, y: y, blockWidth: blockWidth + 1, blockHeight: blockHeight + 1))
          }
        }
      }
    }
    return patterns
  }

  /// How many patterns fit in a window.
  /// - Complexity: O(width + height).
  public static func count(in window: PixelSize) -> Int { places(3, window.width) * places(3, window.height) }

  /// Places and lengths of `parts` equal blocks side by side on an axis.
  private static func places(_ parts: Int, _ length: Int) -> Int {
    stride(from: parts, through: max(0, length), by: parts).reduce(0) { $0 + length - $1 + 1 }
  }
}
