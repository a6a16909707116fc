import Execution
import Geometry
import Imaging

/// Histograms of oriented gradients in 31 channels a cell (Felzenszwalb et al. 2010).
///
/// Channels 0...17 hold the 18 signed orientations (of 20 degrees, the first centred on the x axis, then turning
/// towards the y axis, which points down), channels 18...26 the 9 unsigned ones, channels 27...30 the gradient energy
/// under the four normalisations, whose blocks of 2 x 2 cells reach down and to the right, up and to the right, down
/// and to the left, and up and to the left of the cell, in this order. All are in 0...0.4 but the texture, which is in
/// 0...0.85.
///
/// The values equal those of dlib's `extract_fhog_features` (which leaves out the outermost cells): its row `r` and
/// column `c` is this map's `r + 1`, `c + 1`. Rules that fix the last digits:
/// - A map has `height / cellSize` rows rounded to the nearest (halves up), columns likewise. A last cell of half its
///   size or more is kept; less is left out.
/// - Gradients are `[-1, 0, 1]` differences. The image's outermost pixels have none. In colour, the channel of the
///   largest magnitude gives the gradient; a tie goes to blue, then green, then red (dlib: in the last up to 8
///   columns the other way round, where its vectors end).
/// - A pixel votes for one orientation, the nearest (a vertical gradient lies between two and goes to the first), and
///   for the 4 nearest cells, bilinearly.
/// - **Outermost cells** lack neighbours for some of their normalisations; the nearest existing cells stand in.
///
/// **Differences from the paper:** nearest orientation and the border rule, as said.
///
/// Reference: P. Felzenszwalb, R. Girshick, D. McAllester, D. Ramanan, "Object detection with discriminatively trained
/// part-based models", PAMI 2010.
public struct FelzenszwalbHOG: Hashable, Codable, Sendable {
  /// Side of a cell in pixels; 2 or more.
  public var cellSize: Int

  public init(cellSize: Int = 8) {
    self.cellSize = cellSize
  }

  /// Values of one cell.
  public static let channelCount = 31
  /// Values of one cell in memory.
  public static let channelStride = 32

  /// Cells of an image: sides divided by the cell size, rounded to the nearest.
  public func mapSize(for image: PixelSize) -> MapSize {
    MapSize(
      rows: (2 * image.height + cellSize) / (2 * cellSize), columns: (2 * image.width + cellSize) / (2 * cellSize))
  }

  /// Checks options that come from outside.
  ///
  /// - Throws: `InputError` where the cell size is not in 2...256.
  public func validate(source: String) throws {
    guard (2...256).contains(cellSize) else {
      throw InputError(
        source: source, field: "cellSize", problem: "HOG option cannot be used", found: "\(cellSize)",
        expected: "2 to 256 pixels")
    }
  }
}
