import Features
import LinearAlgebra

/// Scores of one filter at every place of a map: `rows x columns` values, row after row. Empty where it does not fit.
struct ScoreMap: Sendable {
  let rows: Int
  let columns: Int
  var values: [Float]
}

/// Linear filters laid out so that one matrix product answers all cells of all filters.
///
/// For a strip of map rows, the product of the cells' weights (cells x channels) and the strip (channels x places)
/// holds what every filter cell says of every place; a filter's score is the sum of its cells' rows, each shifted by
/// the cell's position. Of the ways that were measured (a 640 x 480 photo, one thread, OpenBLAS 0.3.21, Haswell and
/// SkylakeX kernels) this was the fastest for one filter (7 x 15 cells of 36: 3.6 ms against 5.9 ms for unfolded
/// rows, 27 levels) and within a sixth of unfolded rows for five filters of 10 x 10 cells of 31, at a fraction of the
/// memory traffic; so it is the only one.
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

  /// Values that the product of one strip may take: half of a usual second-level cache.
  private static let stripCapacity = 1 << 17

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
    // One product covers neighbouring filters; a filter that is left out parts two products.
    var first = 0
    while first < filters.count {
      if results[first].values.isEmpty {
        first += 1
        continue
      }
      var last = first
      while last + 1 < filters.count && !results[last + 1].values.isEmpty { last += 1 }
      add(filters: first...last, of: map, to: &results)
      first = last + 1
    }
    return results
  }

  private func add(filters range: ClosedRange<Int>, of map: FeatureMap, to results: inout [ScoreMap]) {
    let firstCell = filters[range.lowerBound].firstCell
    let end = filters[range.upperBound]
    let cells = end.firstCell + end.rows * end.columns - firstCell
    let stripRows = min(map.rows, max(1, min(16, FilterBank.stripCapacity / (cells * map.columns))))
    let capacity = cells * stripRows * map.columns
    withUnsafeTemporaryAllocation(of: Float.self, capacity: capacity) { product in
      let product = product.baseAddress!
      weights.withUnsafeBufferPointer { weights in
        map.values.withUnsafeBufferPointer { values in
          for top in stride(from: 0, to: map.rows, by: stripRows) {
            let height = min(stripRows, map.rows - top)
            let places = height * map.columns
            BLAS.gemm(
              transposeB: true, rows: cells, columns: places, inner: channelCount,
              weights.baseAddress! + firstCell * channelCount, leadingA: channelCount,
              values.baseAddress! + top * map.columns * map.channelStride, leadingB: map.channelStride, product,
              leadingC: places)
            for index in range {
              let filter = filters[index]
              results[index].addShifted(
                product + (filter.firstCell - firstCell) * places, filter: filter, top: top, height: height,
                mapColumns: map.columns)
            }
          }
        }
      }
    }
  }
}

extension ScoreMap {
  /// Adds what the map rows `top..<top + height` say to every window that reaches into them.
  @inline(never)
  fileprivate mutating func addShifted(
    _ product: UnsafePointer<Float>, filter: FilterBank.Filter, top: Int, height: Int, mapColumns: Int
  ) {
    let places = height * mapColumns
    let columns = columns
    let rows = rows
    values.withUnsafeMutableBufferPointer { values in
      for line in 0..<height {
        for cellRow in 0..<filter.rows {
          let row = top + line - cellRow
          guard row >= 0 && row < rows else { continue }
          let sums = values.baseAddress! + row * columns
          for cellColumn in 0..<filter.columns {
            let shifted = product + (cellRow * filter.columns + cellColumn) * places + line * mapColumns + cellColumn
            for column in 0..<columns { sums[column] += shifted[column] }
          }
        }
      }
    }
  }
}
