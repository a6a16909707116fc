import Execution
import Features
import Testing

struct FeatureMapResamplingTests {
  private func ramp(rows: Int, columns: Int, channels: Int, stride: Int) -> FeatureMap {
    var values: [Float] = []
    for row in 0..<rows {
      for column in 0..<columns {
        values += (0..<stride).map { $0 < channels ? Float(100 * row + 10 * column + $0) : 0 }
      }
    }
    return FeatureMap(rows: rows, columns: columns, channelCount: channels, channelStride: stride, values: values)
  }

  /// Values that are linear in row and column are met exactly between places, and repeat beyond the border.
  @Test(arguments: [(4, 4), (31, 32), (5, 7)]) func linearValuesAreInterpolatedExactly(channels: Int, stride: Int) {
    let source = ramp(rows: 3, columns: 4, channels: channels, stride: stride)
    var map = FeatureMap.empty
    map.fill(
      size: MapSize(rows: 5, columns: 6), from: source, rows: PlaceSampling(origin: -0.5, step: 0.75),
      columns: PlaceSampling(origin: 0.25, step: 0.75), keepsLengths: false)
    #expect(map.size == MapSize(rows: 5, columns: 6) && map.channelCount == channels && map.channelStride == stride)
    let rows: [Float] = [0, 0.25, 1, 1.75, 2]
    let columns: [Float] = [0.25, 1, 1.75, 2.5, 3, 3]
    for row in 0..<5 {
      for column in 0..<6 {
        for channel in 0..<channels {
          let expected = 100 * rows[row] + 10 * columns[column] + Float(channel)
          #expect(abs(map[row, column, channel] - expected) < 1e-4)
        }
      }
    }
  }

  /// Half way between two places at a right angle the mean is shorter than either; its length becomes the mean of theirs.
  @Test func lengthsAreKept() {
    let source = FeatureMap(rows: 1, columns: 3, channelCount: 2, channelStride: 2, values: [3, 0, 0, 1, 0, 0])
    var map = FeatureMap.empty
    let columns = PlaceSampling(origin: 0.5, step: 1)
    let row = PlaceSampling(origin: 0, step: 1)
    map.fill(size: MapSize(rows: 1, columns: 3), from: source, rows: row, columns: columns)
    // Means (1.5, 0.5), (0, 0.5), (0, 0); lengths 2, 0.5, 0.
    let scale = 2 / Float(2.5).squareRoot()
    let expected: [Float] = [1.5 * scale, 0.5 * scale, 0, 0.5, 0, 0]
    #expect(zip(map.values, expected).allSatisfy { abs($0 - $1) < 1e-6 }, "\(map.values)")
  }

  @Test func theSameGridGivesTheSameValues() {
    var random = RandomStream(seed: 3)
    let source = FeatureMap(
      rows: 6, columns: 5, channelCount: 36, channelStride: 36,
      values: (0..<6 * 5 * 36).map { _ in Float(random.gaussian()) })
    var map = ramp(rows: 9, columns: 9, channels: 2, stride: 2)
    let same = PlaceSampling(origin: 0, step: 1)
    map.fill(size: source.size, from: source, rows: same, columns: same, keepsLengths: false)
    #expect(map == source)
    map.fill(size: source.size, from: source, rows: same, columns: same)
    #expect(zip(map.values, source.values).allSatisfy { abs($0 - $1) < 1e-5 })
    map.fill(size: MapSize(rows: 0, columns: 5), from: source, rows: same, columns: same)
    #expect(map.values.isEmpty && map.rows == 0)
  }
}
