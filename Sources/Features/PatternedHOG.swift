import Execution
import Geometry
import Imaging

/// The 31 channels of `FelzenszwalbHOG` and histograms of uniform local binary patterns on the same cells.
///
/// Channels 0...30 are those of `FelzenszwalbHOG`; channels 31...89 the bins of `UniformPatterns` over the image's luma.
/// Gradients say how strong an edge is and which way it runs; patterns say how brightness changes from pixel to pixel,
/// whatever the contrast, and so tell clothing from foliage. A pixel's pattern counts in the 4 nearest cells,
/// bilinearly; a cell's channels are the square roots of the shares of its bins (so that their inner product is the
/// Bhattacharyya coefficient), times `patternNorm`. The image's outermost pixels have no pattern.
///
/// **Differences from the paper:** patterns are voted into cells as gradients are, and not counted in cells of
/// 16 x 16 pixels; HOG is the form with 31 channels; there is no reasoning about occlusion.
///
/// Reference: X. Wang, T. X. Han, S. Yan, "An HOG-LBP human detector with partial occlusion handling", ICCV 2009.
public struct PatternedHOG: Hashable, Sendable {
  /// Side of a cell in pixels; 2 or more.
  public var cellSize: Int
  /// The Euclidean norm of a cell's 59 pattern channels; more than 0. That of the 31 others is at most about 1.5.
  public var patternNorm: Double

  public init(cellSize: Int = 8, patternNorm: Double = 1) {
    self.cellSize = cellSize
    self.patternNorm = patternNorm
  }

  /// Values of one cell.
  public static let channelCount = FelzenszwalbHOG.channelCount + UniformPatterns.binCount
  /// Values of one cell in memory.
  public static let channelStride = (channelCount + 3) / 4 * 4

  var gradients: FelzenszwalbHOG { FelzenszwalbHOG(cellSize: cellSize) }

  /// See `HOGFeatures.mirroredChannelOrder`. Exact for the patterns; see `FelzenszwalbHOG` for the others.
  public static let mirroredChannelOrder: [Int] =
    FelzenszwalbHOG.mirroredChannelOrder
    + UniformPatterns.mirroredBinOrder.map { FelzenszwalbHOG.channelCount + $0 }

  /// Cells of an image: as `FelzenszwalbHOG` has them.
  public func mapSize(for image: PixelSize) -> MapSize { gradients.mapSize(for: image) }

  /// The cells of a whole image into the memory of an earlier map.
  ///
  /// - Parameters:
  ///   - image: grey or RGB, of any size.
  ///   - padding: places of zeros added on each side of the map.
  public func fill(
    _ map: inout FeatureMap, with image: ByteImage, padding: MapSize = MapSize(rows: 0, columns: 0)
  ) {
    gradients.fill(
      &map, with: image, padding: padding, channelCount: Self.channelCount, channelStride: Self.channelStride
    ) { cells, rowStride, size in
      for row in 0..<size.rows {
        for column in 0..<size.columns {
          (cells + row * rowStride + column * Self.channelStride + FelzenszwalbHOG.channelCount).update(
            repeating: 0, count: Self.channelStride - FelzenszwalbHOG.channelCount)
        }
      }
      PatternHistograms(cellSize: cellSize, placeStride: Self.channelStride, norm: Float(patternNorm)).fill(
        cells + FelzenszwalbHOG.channelCount, rowStride: rowStride, cells: size, image: image.grey())
    }
  }

  /// Checks options that come from outside.
  ///
  /// - Throws: `InputError` where the cell size is not in 2...256 or the norm not in 0.001...100.
  public func validate(source: String) throws {
    try gradients.validate(source: source)
    guard (0.001...100).contains(patternNorm) else {
      throw InputError(
        source: source, field: "patternNorm", problem: "HOG option cannot be used", found: "\(patternNorm)",
        expected: "0.001 to 100")
    }
  }
}

extension PatternedHOG: Codable {
  private enum CodingKeys: String, CodingKey {
    case cellSize
    case patternNorm
  }

  /// Reads the cell size and, where it is given, the norm.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(cellSize: try container.decode(Int.self, forKey: .cellSize))
    if let norm = try container.decodeIfPresent(Double.self, forKey: .patternNorm) { patternNorm = norm }
  }
}
