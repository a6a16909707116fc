import Geometry
import Imaging

extension DalalTriggsHOG {
  /// The blocks of an image on the stride's grid.
  ///
  /// The block at row `r` and column `c` covers the pixels `[c * blockStride, c * blockStride + blockSize)` across and
  /// likewise down, less `padding`. Blocks that would stick out at the right or the bottom are left out.
  ///
  /// - Parameters:
  ///   - image: grey or RGB, of any size.
  ///   - padding: pixels added on each side before the grid is laid, by mirroring at the border (reflect 101).
  /// - Returns: a map of `mapSize(for:)` of the padded image, `channelCount` values a place in the order of
  ///   `channel(cellRow:cellColumn:bin:)`, each in 0...1. Empty where the padded image is smaller than a block.
  /// - Complexity: linear in pixels where blocks are of 2 x 2 cells with a stride of one cell (all SIMD); otherwise
  ///   linear in blocks times a block's pixels.
  public func blockMap(of image: ByteImage, padding: PixelSize = PixelSize(width: 0, height: 0)) -> FeatureMap {
    var map = FeatureMap.empty
    fill(&map, with: image, padding: padding)
    return map
  }

  /// As `blockMap(of:padding:)`, into the memory of an earlier map: fresh memory costs more than a map's computation on
  /// some machines, so a pyramid should use one map's memory for all its levels.
  public func fill(
    _ map: inout FeatureMap, with image: ByteImage, padding: PixelSize = PixelSize(width: 0, height: 0)
  ) {
    precondition(padding.width >= 0 && padding.height >= 0)
    preconditionValid()
    let padded = PixelSize(width: image.width + 2 * padding.width, height: image.height + 2 * padding.height)
    let size = image.width > 0 && image.height > 0 ? mapSize(for: padded) : MapSize(rows: 0, columns: 0)
    map.reshape(to: size, channelCount: channelCount, channelStride: channelStride)
    if size.count == 0 { return }
    if blockCells == 2 && blockStride == cellSize {
      PairBlocks(self).fill(&map, image: image, padding: padding)
    } else {
      map.fillWithZeros()
      fillAnyBlocks(&map, image: image, padding: padding)
    }
  }

  /// The descriptor of a window: its blocks row by row, each with its channels in this module's order.
  ///
  /// - Returns: `windowMapSize.count * channelCount` values: 3780 for 64 x 128 pixels and the default options.
  public func descriptor(of window: ByteImage) -> [Float] {
    let map = blockMap(of: window)
    guard map.channelStride != map.channelCount else { return map.values }
    return (0..<map.rows * map.columns).flatMap {
      map.values[$0 * map.channelStride..<$0 * map.channelStride + map.channelCount]
    }
  }

  func preconditionValid() {
    precondition(
      cellSize >= 2 && blockCells >= 1 && blockStride >= 1 && binCount >= 2 && clip > 0 && reach >= 1,
      "HOG options cannot be used; validate(source:) says which")
  }
}
