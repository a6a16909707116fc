import Execution
import Geometry
import Imaging

/// Several `DalalTriggsHOG` over the same blocks, their channels side by side: histograms of other orientations, or of
/// other colours, each normalised by itself.
///
/// Signed orientations tell light on dark from dark on light, which persons' clothes make uncertain and their outlines
/// against sky and ground do not; unsigned ones do not tell. Differences of colour channels have edges where brightness
/// has none, and none where light falls. A linear classifier over the layers weighs each place's by itself.
///
/// **Differences from the paper:** Dalal and Triggs take signed or unsigned orientations, and of the colour channels the
/// strongest gradient. The differences of colour channels are the chromatic planes of OpponentSIFT (van de Sande, Gevers
/// and Snoek), but for their scale and sign, and of square roots where `gamma` says so.
///
/// References: N. Dalal, B. Triggs, "Histograms of oriented gradients for human detection", CVPR 2005; K. van de Sande,
/// T. Gevers, C. Snoek, "Evaluating color descriptors for object and scene recognition", PAMI 2010.
public struct DalalTriggsStack: Hashable, Sendable, Codable {
  /// One or more, of the same `cellSize`, `blockCells` and `blockStride`.
  public var layers: [DalalTriggsHOG]

  public init(layers: [DalalTriggsHOG]) { self.layers = layers }

  /// More layers than anyone needs would take all memory.
  public static let layerLimit = 16

  /// The layer whose blocks all others share.
  var grid: DalalTriggsHOG {
    precondition(!layers.isEmpty, "a stack needs a layer; validate(source:) says so")
    return layers[0]
  }

  /// Values of one place: those of all layers, the first layer's first.
  public var channelCount: Int { layers.reduce(0) { $0 + $1.channelCount } }

  /// Values of one place in memory: the channel count, rounded up to whole vectors of 4.
  public var channelStride: Int { (channelCount + 3) / 4 * 4 }

  /// The layers' maps side by side, into the memory of an earlier map.
  ///
  /// - Parameters:
  ///   - image: grey or RGB, of any size.
  ///   - padding: pixels added on each side before the grid is laid, by mirroring at the border (reflect 101).
  /// - Complexity: that of each layer's map, and a copy of it.
  public func fill(
    _ map: inout FeatureMap, with image: ByteImage, padding: PixelSize = PixelSize(width: 0, height: 0)
  ) {
    var layerMap = FeatureMap.empty
    var first = 0
    for (index, layer) in layers.enumerated() {
      layer.fill(&layerMap, with: image, padding: padding)
      if index == 0 {
        map.reshape(to: layerMap.size, channelCount: channelCount, channelStride: channelStride)
        if channelStride != channelCount { map.fillWithZeros() }
      }
      precondition(layerMap.size == map.size, "layers of other blocks; validate(source:) says which")
      map.copyChannels(of: layerMap, to: first)
      first += layer.channelCount
    }
  }

  /// See `HOGFeatures.mirroredChannelOrder`: each layer's own, `nil` where a layer has none.
  public var mirroredChannelOrder: [Int]? {
    var order: [Int] = []
    for layer in layers {
      guard let own = layer.mirroredChannelOrder else { return nil }
      order += own.map { [first = order.count] in first + $0 }
    }
    return order
  }

  /// Checks options that come from outside.
  ///
  /// - Throws: `InputError` naming the first field that cannot be used.
  public func validate(source: String) throws {
    func check(_ holds: Bool, _ field: String, _ found: Any, _ expected: String) throws {
      guard holds else {
        throw InputError(
          source: source, field: field, problem: "HOG option cannot be used", found: "\(found)", expected: expected)
      }
    }
    try check(
      (1...Self.layerLimit).contains(layers.count), "layers", "\(layers.count) layers", "1 to \(Self.layerLimit)")
    for (index, layer) in layers.enumerated() {
      let field = "layers[\(index)]"
      do {
        try layer.validate(source: source)
      } catch let error as InputError {
        throw InputError(
          source: source, field: [field, error.field].compactMap(\.self).joined(separator: "."),
          problem: error.problem, found: error.found, expected: error.expected, hint: error.hint)
      }
      try check(layer.cellSize == grid.cellSize, "\(field).cellSize", layer.cellSize, "\(grid.cellSize), as layers[0]")
      try check(
        layer.blockCells == grid.blockCells, "\(field).blockCells", layer.blockCells,
        "\(grid.blockCells), as layers[0]")
      try check(
        layer.blockStride == grid.blockStride, "\(field).blockStride", layer.blockStride,
        "\(grid.blockStride), as layers[0]")
    }
  }
}

extension FeatureMap {
  /// Copies all channels of a map of the same places to this one's channels from `first` on.
  fileprivate mutating func copyChannels(of source: FeatureMap, to first: Int) {
    precondition(source.size == size && first >= 0 && first + source.channelCount <= channelCount)
    let places = rows * columns
    let (stride, sourceStride, count) = (channelStride, source.channelStride, source.channelCount)
    values.withUnsafeMutableBufferPointer { values in
      source.values.withUnsafeBufferPointer { source in
        guard var to = values.baseAddress.map({ $0 + first }), var from = source.baseAddress else { return }
        for _ in 0..<places {
          to.update(from: from, count: count)
          to += stride
          from += sourceStride
        }
      }
    }
  }
}
