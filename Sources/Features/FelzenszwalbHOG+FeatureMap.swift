import Geometry
import Imaging

extension FelzenszwalbHOG {
  /// The cells of a whole image.
  ///
  /// The cell at row `r` and column `c` is centred on pixel coordinates `((c + 0.5) * cellSize, (r + 0.5) * cellSize)`.
  ///
  /// - Parameters:
  ///   - image: grey or RGB, of any size.
  ///   - padding: places of zeros added on each side of the map.
  /// - Returns: a map of `mapSize(for:)` and the padding, of 31 channels with a stride of 32.
  /// - Complexity: linear in pixels and cells, all SIMD.
  public func featureMap(of image: ByteImage, padding: MapSize = MapSize(rows: 0, columns: 0)) -> FeatureMap {
    var map = FeatureMap.empty
    fill(&map, with: image, padding: padding)
    return map
  }

  /// As `featureMap(of:padding:)`, into the memory of an earlier map: fresh memory costs more than a map's computation
  /// on some machines, so a pyramid should use one map's memory for all its levels.
  public func fill(
    _ map: inout FeatureMap, with image: ByteImage, padding: MapSize = MapSize(rows: 0, columns: 0)
  ) {
    fill(&map, with: image, padding: padding, channelCount: Self.channelCount, channelStride: Self.channelStride) {
      _, _, _ in
    }
  }

  /// A map of more channels, of which these are the first 31.
  ///
  /// - Parameter addChannels: fills the others. It is given the first cell's place, the values from one row of cells to the
  ///   next, and the cells of the image; not called where they are all zero. `channelStride` leaves 32 values or more.
  func fill(
    _ map: inout FeatureMap, with image: ByteImage, padding: MapSize, channelCount: Int, channelStride: Int,
    addChannels: (UnsafeMutablePointer<Float>, Int, MapSize) -> Void
  ) {
    precondition(cellSize >= 2, "a cell of 2 pixels or more expected, got \(cellSize)")
    precondition(padding.rows >= 0 && padding.columns >= 0)
    let cells = mapSize(for: image.size)
    map.reshape(
      to: MapSize(rows: cells.rows + 2 * padding.rows, columns: cells.columns + 2 * padding.columns),
      channelCount: channelCount, channelStride: channelStride)
    guard cells.count > 0 && image.width > 2 && image.height > 2 else {
      map.fillWithZeros()
      return
    }
    let rowStride = map.columns * map.channelStride
    let border = padding.columns * channelStride
    map.values.withUnsafeMutableBufferPointer { values in
      let base = values.baseAddress!
      let first = base + padding.rows * rowStride + border
      for row in 0..<cells.rows {
        (first - border + row * rowStride).update(repeating: 0, count: border)
        (first + row * rowStride + cells.columns * channelStride).update(repeating: 0, count: border)
      }
      base.update(repeating: 0, count: padding.rows * rowStride)
      (base + (padding.rows + cells.rows) * rowStride).update(repeating: 0, count: padding.rows * rowStride)
      CellHistograms(cellSize: cellSize, placeStride: channelStride).fill(
        first, rowStride: rowStride, cells: cells, image: image)
      CellChannels(cells: cells, rowStride: rowStride, placeStride: channelStride).replaceHistograms(first)
      addChannels(first, rowStride, cells)
    }
  }
}
