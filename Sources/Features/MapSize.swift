/// Rows and columns of places in a `FeatureMap`.
public struct MapSize: Hashable, Codable, Sendable {
  public var rows: Int
  public var columns: Int

  public init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// How many places the map has.
  public var count: Int { rows * columns }
}

extension FeatureMap {
  public var size: MapSize { MapSize(rows: rows, columns: columns) }

  /// A map of zeros.
  init(size: MapSize, channelCount: Int, channelStride: Int) {
    self.init(
      rows: size.rows, columns: size.columns, channelCount: channelCount, channelStride: channelStride,
      values: [Float](repeating: 0, count: size.count * channelStride))
  }
}
