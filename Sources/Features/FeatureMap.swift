/// Features on a grid of cells (or blocks): `rows x columns` places with `channelCount` values each, a place's values
/// side by side.
///
/// The value of channel `k` at row `r` and column `c` is `values[(r * columns + c) * channelStride + k]`. Places are
/// padded with zeros from `channelCount` to `channelStride`, so that a kernel may run over whole SIMD vectors.
public struct FeatureMap: Sendable, Hashable {
  public let rows: Int
  public let columns: Int
  public let channelCount: Int
  /// Values a place takes in memory: `channelCount` or more.
  public let channelStride: Int
  public var values: [Float]

  /// - Precondition: `values` holds `rows * columns * channelStride` values.
  public init(rows: Int, columns: Int, channelCount: Int, channelStride: Int, values: [Float]) {
    precondition(rows >= 0 && columns >= 0 && channelCount >= 1 && channelStride >= channelCount)
    precondition(values.count == rows * columns * channelStride)
    self.rows = rows
    self.columns = columns
    self.channelCount = channelCount
    self.channelStride = channelStride
    self.values = values
  }

  public subscript(row: Int, column: Int, channel: Int) -> Float {
    values[(row * columns + column) * channelStride + channel]
  }
}
