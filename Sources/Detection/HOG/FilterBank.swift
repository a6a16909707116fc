import Features
import LinearAlgebra

/// Scores of one filter at every place of a map: `rows x columns` values, row after row. Empty where it does not fit.
struct ScoreMap: Sendable {
  let rows: Int
  let columns: Int
  var values: [Float]
}

/// Linear filters laid out so that one matrix product answers all cells of a filter.
///
/// For a strip of map rows, the product of the cells' weights (cells x channels) and the strip (channels x places)
/// holds what every filter cell says of every place; the filter's score is the sum of its cells' rows, each shifted by
/// the cell's position. Filter rows of which no window reaches into the strip are left out: in the people detector's
/// scan of a 640 x 480 photo three tenths of the multiplications. Unfolded rows (5.9 ms against 3.6 for one filter of
/// 7 x 15 cells of 36 over 27 levels, before rows were left out; one thread, OpenBLAS 0.3.21) cost more memory traffic.
struct FilterBank: Sendable {
  struct Filter: Sendable {
    let rows: Int
    let columns: Int
    let bias: Float
    /// Index of the filter's first cell among all cells of the bank.
    let firstCell: Int
  }

  let filters: [Filter]
  let channelCount: Int
  /// `cells x channelCount`, cells in filter, row, column order.
  private let weights: [Float]

  /// Map rows of one product: enough for `sgemm`'s speed; few, so that the product stays in the second-level cache and
  /// little is computed that no window asks for.
  private static let stripRows = 4

  init(_ components: [HOGComponent], channelCount: Int) {
    var filters: [Filter] = []
    var weights: [Float] = []
    for component in components {
      precondition(component.weights.count == component.rows * component.columns * channelCount)
      filters.append(
        Filter(
          rows: component.rows, columns: component.columns, bias: component.bias,
          firstCell: weights.count / channelCount))
      weights += component.weights
    }
    self.filters = filters
    self.weights = weights
    self.channelCount = channelCount
  }

  /// The scores of the filters in `active`; the others get empty maps.
  ///
  /// - Complexity: O(places x cells of the active filters x channels), at the speed of `sgemm`.
  func scores(of map: FeatureMap, active: [Bool]) -> [ScoreMap] {
    precondition(active.count == filters.count && map.channelCount == channelCount)
    var results = filters.indices.map { index in
      let filter = filters[index]
      let rows = map.rows - filter.rows + 1
      let columns = map.columns - filter.columns + 1
      guard active[index], rows > 0, columns > 0 else { return ScoreMap(rows: 0, columns: 0, values: []) }
      return ScoreMap(rows: rows, columns: columns, values: Array(repeating: filter.bias, count: rows * columns))
    }
    for index in filters.indices where !results[index].values.isEmpty {
      add(filters[index], of: map, to: &results[index])
    }
    return results
  }

  private func add(_ filter: Filter, of map: FeatureMap, to scores: inout ScoreMap) {
    let capacity = filter.rows * filter.columns * FilterBank.stripRows * map.columns
    withUnsafeTemporaryAllocation(of: Float.self, capacity: capacity) { product in
      let product = product.baseAddress!
      weights.withUnsafeBufferPointer { weights in
        map.values.withUnsafeBufferPointer { values in
          for top in stride(from: 0, to: map.rows, by: FilterBank.stripRows) {
            let strip = top..<min(top + FilterBank.stripRows, map.rows)
            let places = strip.count * map.columns
            // Near the map's upper and lower edge only the filter's first and last rows meet the strip.
            let cellRows = max(0, top - scores.rows + 1)..<min(filter.rows, strip.upperBound)
            BLAS.gemm(
              transposeB: true, rows: cellRows.count * filter.columns, columns: places, inner: channelCount,
              weights.baseAddress! + (filter.firstCell + cellRows.lowerBound * filter.columns) * channelCount,
              leadingA: channelCount, values.baseAddress! + top * map.columns * map.channelStride,
              leadingB: map.channelStride, product, leadingC: places)
            scores.addShifted(product, filter: filter, cellRows: cellRows, strip: strip, mapColumns: map.columns)
          }
        }
      }
    }
  }
}

extension ScoreMap {
  /// Adds what the map rows of a strip say to every window that reaches into them.
  ///
  /// - Parameter product: a row for each cell of the filter's rows `cellRows`, of the strip's places.
  @inline(never)
  fileprivate mutating func addShifted(
    _ product: UnsafePointer<Float>, filter: FilterBank.Filter, cellRows: Range<Int>, strip: Range<Int>,
    mapColumns: Int
  ) {
    let places = strip.count * mapColumns
    let columns = columns
    let rows = rows
    values.withUnsafeMutableBufferPointer { values in
      for line in strip {
        for cellRow in cellRows {
          let row = line - cellRow
          guard row >= 0 && row < rows else { continue }
          let sums = values.baseAddress! + row * columns
          let line = product + (line - strip.lowerBound) * mapColumns
          for cellColumn in 0..<filter.columns {
            let cell = (cellRow - cellRows.lowerBound) * filter.columns + cellColumn
            let shifted = line + cell * places + cellColumn
            for column in 0..<columns { sums[column] += shifted[column] }
          }
        }
      }
    }
  }
}
