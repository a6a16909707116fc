import Execution
import Geometry

/// Which Haar features a cascade is trained from: the three sets that `opencv_traincascade` names by `-mode`.
public enum HaarFeatureSet: String, NamedChoice, Hashable, Sendable {
  /// Upright edges, lines of three, and four-square features (Viola and Jones 2001).
  case basic
  /// And upright lines of four and centre-surround features.
  case core
  /// And edges and lines turned by 45 degrees (Lienhart and Maydt 2002).
  case all

  /// Every feature of the set that fits in a window, in the order in which `opencv_traincascade` numbers them: by column of
  /// the corner, row, width and height of the smallest part, then by kind.
  ///
  /// A window of 24 x 24 has 162 336 (basic), 210 400 (core) or 261 600 (all) features.
  ///
  /// - Parameter window: width and height in pixels.
  /// - Returns: none where the window is too small for any.
  /// - Complexity: O(features); about 100 bytes a feature.
  public func features(in window: PixelSize) -> [HaarFeature] {
    var features: [HaarFeature] = []
    features.reserveCapacity(featureCount(in: window))
    for x in 0..<max(0, window.width) {
      for y in 0..<max(0, window.height) {
        for width in 1...window.width {
          for height in 1...window.height {
            let part = Part(x: x, y: y, width: width, height: height, window: window)
            for kind in Kind.order where kind.belongs(to: self) && part.fits(kind) {
              features.append(part.feature(kind))
            }
          }
        }
      }
    }
    return features
  }

  /// How many features of the set fit in a window.
  /// - Complexity: O(width * height); nothing is listed.
  public func featureCount(in window: PixelSize) -> Int {
    Kind.order.lazy.filter { $0.belongs(to: self) }.reduce(0) { $0 + $1.count(in: window) }
  }

  /// The shapes, each as OpenCV composes it of a whole with the weight -1 and one or two parts that are taken again.
  private enum Kind {
    case edgeX, edgeY, lineX, lineY, wideLineX, wideLineY, fourSquare, surround
    case tiltedEdgeX, tiltedEdgeY, tiltedLineX, tiltedLineY, tiltedWideLineX, tiltedWideLineY

    static let order: [Kind] = [
      .edgeX, .edgeY, .lineX, .lineY, .wideLineX, .wideLineY, .fourSquare, .surround,
      .tiltedEdgeX, .tiltedEdgeY, .tiltedLineX, .tiltedLineY, .tiltedWideLineX, .tiltedWideLineY,
    ]

    func belongs(to set: HaarFeatureSet) -> Bool {
      switch self {
      case .edgeX, .edgeY, .lineX, .lineY, .fourSquare: true
      case .wideLineX, .wideLineY, .surround: set != .basic
      default: set == .all
      }
    }

    /// How many parts lie side by side, and one below the other.
    var parts: (across: Int, down: Int) {
      switch self {
      case .edgeX, .tiltedEdgeX: (2, 1)
      case .edgeY, .tiltedEdgeY: (1, 2)
      case .lineX, .tiltedLineX: (3, 1)
      case .lineY, .tiltedLineY: (1, 3)
      case .wideLineX, .tiltedWideLineX: (4, 1)
      case .wideLineY, .tiltedWideLineY: (1, 4)
      case .fourSquare: (2, 2)
      case .surround: (3, 3)
      }
    }

    func count(in window: PixelSize) -> Int {
      let parts = self.parts
      var total = 0
      for wide in stride(from: parts.across, through: max(0, window.width), by: parts.across) {
        for high in stride(from: parts.down, through: max(0, window.height), by: parts.down) {
          // A turned box reaches to the left of its corner by one side, to the right by the other, and down by both.
          let (across, down) = isTilted ? (wide + high, wide + high) : (wide, high)
          total += max(0, window.width - across + 1) * max(0, window.height - down + 1)
        }
      }
      return total
    }

    var isTilted: Bool {
      switch self {
      case .tiltedEdgeX, .tiltedEdgeY, .tiltedLineX, .tiltedLineY, .tiltedWideLineX, .tiltedWideLineY: true
      default: false
      }
    }
  }

  /// The corner of a feature and the size of the part that it is built of.
  private struct Part {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    let window: PixelSize

    func fits(_ kind: Kind) -> Bool {
      let (across, down) = kind.parts
      let (wide, high) = (across * width, down * height)
      if kind.isTilted {
        return x + wide <= window.width && y + wide + high <= window.height && x - high >= 0
      }
      return x + wide <= window.width && y + high <= window.height
    }

    func feature(_ kind: Kind) -> HaarFeature {
      let (across, down) = kind.parts
      let whole = box(0, 0, across, down, -1)
      switch kind {
      case .edgeX: return HaarFeature(boxes: [whole, box(1, 0, 1, 1, 2)])
      case .edgeY: return HaarFeature(boxes: [whole, box(0, 1, 1, 1, 2)])
      case .lineX: return HaarFeature(boxes: [whole, box(1, 0, 1, 1, 2)])
      case .lineY: return HaarFeature(boxes: [whole, box(0, 1, 1, 1, 2)])
      case .wideLineX: return HaarFeature(boxes: [whole, box(1, 0, 2, 1, 2)])
      case .wideLineY: return HaarFeature(boxes: [whole, box(0, 1, 1, 2, 2)])
      case .fourSquare: return HaarFeature(boxes: [whole, box(0, 0, 1, 1, 2), box(1, 1, 1, 1, 2)])
      case .surround: return HaarFeature(boxes: [whole, box(1, 1, 1, 1, 9)])
      case .tiltedEdgeX, .tiltedEdgeY: return HaarFeature(boxes: [whole, box(0, 0, 1, 1, 2)], isTilted: true)
      case .tiltedLineX: return HaarFeature(boxes: [whole, turned(1, 0, 1, 1, 3)], isTilted: true)
      case .tiltedLineY: return HaarFeature(boxes: [whole, turned(0, 1, 1, 1, 3)], isTilted: true)
      case .tiltedWideLineX: return HaarFeature(boxes: [whole, turned(1, 0, 2, 1, 2)], isTilted: true)
      case .tiltedWideLineY: return HaarFeature(boxes: [whole, turned(0, 1, 1, 2, 2)], isTilted: true)
      }
    }

    private func box(_ right: Int, _ down: Int, _ wide: Int, _ high: Int, _ weight: Float) -> HaarFeature.WeightedBox {
      HaarFeature.WeightedBox(
        x: x + right * width, y: y + down * height, width: wide * width, height: high * height, weight: weight)
    }

    /// A box that begins some parts along the two turned axes.
    private func turned(
      _ along: Int, _ across: Int, _ wide: Int, _ high: Int, _ weight: Float
    ) -> HaarFeature.WeightedBox {
      HaarFeature.WeightedBox(
        x: x + along * width - across * height, y: y + along * width + across * height, width: wide * width,
        height: high * height, weight: weight)
    }
  }
}
