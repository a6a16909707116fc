import Execution
import Geometry
import Imaging

/// Histograms of oriented gradients in overlapping, normalised blocks (Dalal and Triggs 2005).
///
/// Each pixel's gradient votes with its magnitude into two neighbouring orientation bins (linearly) and into the cells
/// of each block that holds the pixel (bilinearly, weighted by a window over the block). A block's histogram is
/// normalised by L2-Hys: scaled to unit length, clipped, scaled again.
///
/// The default options are those of the paper. `DalalTriggsHOG.openCV` holds the options whose values equal those of
/// OpenCV's `HOGDescriptor` with its own defaults, and which its people detector's weights were trained on.
///
/// Rules that fix the last digits (found by experiment against OpenCV 4.14):
/// - Gradients are `[-1, 0, 1]` differences over the whole image, with borders mirrored without repeating the border
///   pixel (reflect 101), so that the gradient across a border is zero. A window inside an image sees its neighbours.
/// - In colour, the channel of the largest magnitude gives the gradient; a tie goes to blue, then green, then red.
/// - Bin `k` of `n` is centred at `(k + 0.5) * range / n`, where the range is 180 degrees (unsigned) or 360 (signed);
///   angles run from the x axis (to the right) towards the y axis (down).
/// - With values in 0...255 (or their square roots), a block of `n` values is divided by `norm + 0.1 n`, clipped, and
///   divided by `norm + 0.001`.
///
/// With a `colourDifference`, gradients are taken of one plane, a difference of colour channels, in place of the strongest
/// channel; with a `gradientReach`, of pixels further apart, whose edges are coarser. Such layers stand beside others in a
/// `DalalTriggsStack`.
///
/// **Differences from the paper:** cells and blocks are square; the colour channels are those of RGB only; the small
/// constants of L2-Hys are OpenCV's; differences of colour channels; of its masks `[-1, 0, 1]` alone, and wider ones.
///
/// Reference: N. Dalal, B. Triggs, "Histograms of oriented gradients for human detection", CVPR 2005.
public struct DalalTriggsHOG: Hashable, Codable, Sendable {
  /// How pixel values are changed before gradients are taken.
  public enum Gamma: String, NamedChoice, Hashable, Sendable {
    case none
    case squareRoot
  }

  /// Whether opposite gradients fall into one bin.
  public enum Orientation: String, NamedChoice, Hashable, Sendable {
    /// 0...180 degrees: light to dark counts as dark to light.
    case unsigned
    /// 0...360 degrees.
    case signed
  }

  /// A difference of colour channels (after `gamma`) as a plane that gradients are taken of. Grey images give zeros.
  public enum ColourDifference: String, NamedChoice, Hashable, Sendable {
    /// Red less green.
    case redGreen
    /// Blue less the mean of red and green.
    case blueYellow
  }

  /// The weights of a block's pixels.
  public enum BlockWindow: Hashable, Codable, Sendable {
    /// All pixels count alike.
    case uniform
    /// A Gaussian of `sigma` pixels about the block's centre.
    case gaussian(sigma: Double)
    /// As OpenCV has it: the Gaussian's centre lies half a pixel further right and down than the block's, so that
    /// mirroring an image does not exactly mirror its map.
    case gaussianBesideCentre(sigma: Double)
  }

  /// Side of a cell in pixels; 2 or more.
  public var cellSize: Int
  /// Cells along a side of a block.
  public var blockCells: Int
  /// Pixels from one block to the next: the step of the block map.
  public var blockStride: Int
  /// Orientation bins of a cell.
  public var binCount: Int
  public var orientation: Orientation
  public var gamma: Gamma
  public var blockWindow: BlockWindow
  /// No value of a block exceeds this before the second scaling.
  public var clip: Float
  /// What gradients are taken of; `nil`: of the channel in which the pixel's gradient is strongest.
  public var colourDifference: ColourDifference?
  /// A gradient is the difference of the pixels this far to the right and to the left, and below and above; `nil`: 1, as in
  /// the paper's mask `[-1, 0, 1]`.
  public var gradientReach: Int?

  public init(
    cellSize: Int = 8, blockCells: Int = 2, blockStride: Int = 8, binCount: Int = 9,
    orientation: Orientation = .unsigned, gamma: Gamma = .squareRoot, blockWindow: BlockWindow = .gaussian(sigma: 8),
    clip: Float = 0.2, colourDifference: ColourDifference? = nil,
    gradientReach: Int? = nil
  ) {
    self.cellSize = cellSize
    self.blockCells = blockCells
    self.blockStride = blockStride
    self.binCount = binCount
    self.orientation = orientation
    self.gamma = gamma
    self.blockWindow = blockWindow
    self.clip = clip
    self.colourDifference = colourDifference
    self.gradientReach = gradientReach
  }

  /// The defaults of OpenCV's `HOGDescriptor`: a Gaussian of a quarter of the block's side, half a pixel off centre.
  public static let openCV = DalalTriggsHOG(blockWindow: .gaussianBesideCentre(sigma: 4))

  /// `gradientReach`, 1 where there is none.
  public var reach: Int { gradientReach ?? 1 }

  /// Side of a block in pixels.
  public var blockSize: Int { blockCells * cellSize }

  /// Values of one block: `blockCells * blockCells * binCount`.
  public var channelCount: Int { blockCells * blockCells * binCount }

  /// Values of one block in memory: the channel count, rounded up to whole vectors of 4.
  public var channelStride: Int { (channelCount + 3) / 4 * 4 }

  /// The channel of an orientation bin of a cell: `(bin * blockCells + cellRow) * blockCells + cellColumn`. Cells vary
  /// fastest (columns before rows), bins slowest.
  public func channel(cellRow: Int, cellColumn: Int, bin: Int) -> Int {
    (bin * blockCells + cellRow) * blockCells + cellColumn
  }

  /// Blocks in an image: whole blocks only, at multiples of the stride. Zero where the image is smaller than a block.
  public func mapSize(for image: PixelSize) -> MapSize {
    guard image.width >= blockSize && image.height >= blockSize else { return MapSize(rows: 0, columns: 0) }
    return MapSize(
      rows: (image.height - blockSize) / blockStride + 1, columns: (image.width - blockSize) / blockStride + 1)
  }
}

extension DalalTriggsHOG {
  /// Checks options that come from outside.
  ///
  /// - Parameter source: the file or option they came from, for the error's text.
  /// - Throws: `InputError` naming the first field that cannot be used.
  public func validate(source: String) throws {
    func check(_ holds: Bool, _ field: String, _ found: Any, _ expected: String) throws {
      guard holds else {
        throw InputError(
          source: source, field: field, problem: "HOG option cannot be used", found: "\(found)", expected: expected)
      }
    }
    try check((2...256).contains(cellSize), "cellSize", cellSize, "2 to 256 pixels")
    try check((1...16).contains(blockCells), "blockCells", blockCells, "1 to 16 cells")
    try check((1...4096).contains(blockStride), "blockStride", blockStride, "1 to 4096 pixels")
    try check((2...256).contains(binCount), "binCount", binCount, "2 to 256 bins")
    try check(clip > 0 && clip <= 1, "clip", clip, "above 0, at most 1")
    try check((1...64).contains(reach), "gradientReach", reach, "1 to 64 pixels")
    switch blockWindow {
    case .uniform: break
    case .gaussian(let sigma), .gaussianBesideCentre(let sigma):
      try check(sigma > 0 && sigma.isFinite, "blockWindow.sigma", sigma, "a finite number of pixels above 0")
    }
  }

  /// Weights along one axis of a block: `weights[cell][pixel]`, the product of a cell's linear interpolation and the
  /// block window's factor. Both separate, so a pixel's weight in a cell is the product of the weights of both axes.
  func axisWeights() -> [[Float]] {
    var weights = [[Float]](repeating: [Float](repeating: 0, count: blockSize), count: blockCells)
    for pixel in 0..<blockSize {
      let window = windowFactor(pixel)
      let position = (Double(pixel) + 0.5) / Double(cellSize) - 0.5
      for cell in 0..<blockCells {
        weights[cell][pixel] = Float(window * max(0, 1 - abs(position - Double(cell))))
      }
    }
    return weights
  }

  private func windowFactor(_ pixel: Int) -> Double {
    switch blockWindow {
    case .uniform: return 1
    case .gaussian(let sigma):
      let offset = Double(pixel) - Double(blockSize - 1) / 2
      return gaussian(offset / sigma)
    case .gaussianBesideCentre(let sigma):
      return gaussian((Double(pixel) - Double(blockSize) / 2) / sigma)
    }
  }
}
