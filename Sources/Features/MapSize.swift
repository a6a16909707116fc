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

  /// An empty map, to be filled in place later.
  public static let empty = FeatureMap(rows: 0, columns: 0, channelCount: 1, channelStride: 1, values: [])

  /// Takes another size and keeps the memory, where it suffices. Values are then left over from before, or zero.
  mutating func reshape(to size: MapSize, channelCount: Int, channelStride: Int) {
    var kept: [Float] = []
    swap(&kept, &values)
    let count = size.count * channelStride
    if kept.capacity < count {
      kept = [Float](repeating: 0, count: count)
    } else if kept.count > count {
      kept.removeLast(kept.count - count)
    } else if kept.count < count {
      kept.append(contentsOf: repeatElement(0, count: count - kept.count))
    }
    self = FeatureMap(
      rows: size.rows, columns: size.columns, channelCount: channelCount, channelStride: channelStride, values: kept)
  }

  mutating func fillWithZeros() {
    values.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
  }
}
