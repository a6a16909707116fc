extension HOGFeatures {
  /// For each channel, the channel it comes from when an image is mirrored left to right.
  ///
  /// A mirrored map (or filter) has at row `r`, column `c`, channel `k` the value at `r`, `columns - 1 - c`,
  /// `mirroredChannelOrder[k]`. `mirrored` applies it.
  ///
  /// - Returns: `channelCount` channels. `nil` for signed Dalal-Triggs (a layer of a stack too) with an odd number of bins: mirroring then
  ///   carries a bin onto no other.
  public var mirroredChannelOrder: [Int]? {
    switch self {
    case .dalalTriggs(let hog): hog.mirroredChannelOrder
    case .dalalTriggsStack(let stack): stack.mirroredChannelOrder
    case .felzenszwalb: FelzenszwalbHOG.mirroredChannelOrder
    case .felzenszwalbWithPatterns: PatternedHOG.mirroredChannelOrder
    }
  }

  /// A filter or map, mirrored left to right.
  ///
  /// - Parameters:
  ///   - filter: `size.count * channelCount` values: channel fastest, then column, then row.
  ///   - size: rows and columns.
  /// - Returns: as many values; `nil` where there is no `mirroredChannelOrder`.
  public func mirrored(_ filter: [Float], size: MapSize) -> [Float]? {
    precondition(filter.count == size.count * channelCount)
    guard let order = mirroredChannelOrder else { return nil }
    var mirrored = [Float](repeating: 0, count: filter.count)
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let to = (row * size.columns + column) * order.count
        let from = (row * size.columns + size.columns - 1 - column) * order.count
        for (channel, source) in order.enumerated() { mirrored[to + channel] = filter[from + source] }
      }
    }
    return mirrored
  }
}

extension DalalTriggsHOG {
  /// See `HOGFeatures.mirroredChannelOrder`. Exact for windows that are symmetric about the block's centre (all but
  /// `gaussianBesideCentre`) where the image's width is that of whole block strides.
  public var mirroredChannelOrder: [Int]? {
    guard orientation == .unsigned || binCount.isMultiple(of: 2) else { return nil }
    var order: [Int] = []
    for bin in 0..<binCount {
      let source =
        orientation == .unsigned ? binCount - 1 - bin : (binCount / 2 - 1 - bin + binCount) % binCount
      for cellRow in 0..<blockCells {
        for cellColumn in 0..<blockCells {
          order.append(channel(cellRow: cellRow, cellColumn: blockCells - 1 - cellColumn, bin: source))
        }
      }
    }
    return order
  }
}

extension FelzenszwalbHOG {
  /// See `HOGFeatures.mirroredChannelOrder`. Exact but for gradients straight up or down, which lie between two
  /// orientations and always go to the first; and where the image's width is that of whole cells.
  public static let mirroredChannelOrder: [Int] =
    (0..<18).map { (27 - $0) % 18 } + (0..<9).map { 18 + (9 - $0) % 9 } + [29, 30, 27, 28]
}
