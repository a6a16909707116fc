/// A dense row-major matrix of `Float`.
public struct Matrix: Hashable, Codable, Sendable {
  public let rows: Int
  public let columns: Int
  /// `rows * columns` values, row after row.
  public private(set) var values: [Float]

  /// - Parameter values: `rows * columns` values, row after row.
  public init(rows: Int, columns: Int, values: [Float]) {
    precondition(rows >= 0 && columns >= 0, "negative size \(rows) x \(columns)")
    precondition(values.count == rows * columns, "\(values.count) values for \(rows) x \(columns)")
    self.rows = rows
    self.columns = columns
    self.values = values
  }

  public init(rows: Int, columns: Int, repeating value: Float = 0) {
    precondition(rows >= 0 && columns >= 0, "negative size \(rows) x \(columns)")
    self.init(rows: rows, columns: columns, values: [Float](repeating: value, count: rows * columns))
  }

  /// Rows of equal length.
  public init(_ rows: [[Float]]) {
    let columns = rows.first?.count ?? 0
    precondition(rows.allSatisfy { $0.count == columns }, "rows of different lengths")
    self.init(rows: rows.count, columns: columns, values: rows.flatMap { $0 })
  }

  public static func identity(_ size: Int) -> Matrix {
    var result = Matrix(rows: size, columns: size)
    for index in 0..<size { result[index, index] = 1 }
    return result
  }

  public subscript(row: Int, column: Int) -> Float {
    get {
      precondition(row >= 0 && row < rows && column >= 0 && column < columns, "(\(row), \(column)) is outside")
      return values[row * columns + column]
    }
    set {
      precondition(row >= 0 && row < rows && column >= 0 && column < columns, "(\(row), \(column)) is outside")
      values[row * columns + column] = newValue
    }
  }

  public func row(_ index: Int) -> [Float] {
    precondition(index >= 0 && index < rows, "row \(index) of \(rows)")
    return Array(values[index * columns..<(index + 1) * columns])
  }

  public func transposed() -> Matrix {
    var result = Matrix(rows: columns, columns: rows)
    for row in 0..<rows {
      for column in 0..<columns { result.values[column * rows + row] = values[row * columns + column] }
    }
    return result
  }

  /// The matrix product; `2 rows columns inner` operations.
  public static func * (left: Matrix, right: Matrix) -> Matrix {
    left.multiplied(by: right)
  }

  /// `op(self) * op(other)`, without forming a transpose.
  public func multiplied(by other: Matrix, transposed: Bool = false, otherTransposed: Bool = false) -> Matrix {
    let resultRows = transposed ? columns : rows
    let inner = transposed ? rows : columns
    let resultColumns = otherTransposed ? other.rows : other.columns
    precondition(
      inner == (otherTransposed ? other.columns : other.rows),
      "product of \(rows) x \(columns) and \(other.rows) x \(other.columns)")
    var result = Matrix(rows: resultRows, columns: resultColumns)
    BLAS.gemm(
      transposeA: transposed, transposeB: otherTransposed, rows: resultRows, columns: resultColumns, inner: inner,
      values, other.values, &result.values)
    return result
  }

  /// The product with a column vector of `columns` values.
  public static func * (left: Matrix, right: [Float]) -> [Float] {
    precondition(left.columns == right.count, "product of \(left.rows) x \(left.columns) and \(right.count)")
    var result = [Float](repeating: 0, count: left.rows)
    BLAS.gemv(rows: left.rows, columns: left.columns, left.values, right, &result)
    return result
  }
}
