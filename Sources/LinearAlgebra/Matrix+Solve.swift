import COpenBLAS

/// What a matrix cannot do, met while it is solved.
public enum MatrixError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The leading block of this order is not positive (zero, negative or not a number).
  case notPositiveDefinite(order: Int)
  /// A value is infinite or not a number.
  case notFinite(row: Int, column: Int)
  /// The iteration of the decomposition did not settle.
  case noConvergence

  public var description: String {
    switch self {
    case .notPositiveDefinite(let order): "the matrix is not positive definite: its leading block of order \(order)"
    case .notFinite(let row, let column): "the matrix holds an infinite value or none at row \(row), column \(column)"
    case .noConvergence: "the decomposition of the matrix did not converge"
    }
  }
}

extension Matrix {
  /// The solution X of `self * X = right` for a symmetric positive definite matrix, by Cholesky factors in double
  /// precision (LAPACK dpotrf, dpotrs). Only the lower triangle is read. `n^3 / 3` operations.
  ///
  /// - Parameter right: n rows, any number of columns.
  /// - Throws: `MatrixError.notPositiveDefinite`, `.notFinite`.
  public func solvedByCholesky(_ right: Matrix) throws -> Matrix {
    precondition(rows == columns, "Cholesky of \(rows) x \(columns)")
    precondition(right.rows == rows, "\(right.rows) right-hand rows for \(rows)")
    try checkFinite()
    try right.checkFinite()
    if rows == 0 || right.columns == 0 { return Matrix(rows: rows, columns: right.columns) }
    // Row-major lower is column-major upper: no transpose is needed for the symmetric side.
    var factor = values.map(Double.init)
    var solution = right.columnMajor()
    var order = Int32(rows)
    var count = Int32(right.columns)
    var information: Int32 = 0
    BLAS.prepare()
    dpotrf_("U", &order, &factor, &order, &information, 1)
    guard information == 0 else { throw MatrixError.notPositiveDefinite(order: Int(information)) }
    dpotrs_("U", &order, &count, factor, &order, &solution, &order, &information, 1)
    return Matrix(columnMajor: solution, rows: rows, columns: right.columns, leading: rows)
  }

  /// The X of least Euclidean norm that minimises `|self * X - right|`, for any shape and rank (LAPACK dgelsd, by
  /// singular values, in double precision). `O(m n min(m, n))`.
  ///
  /// - Parameters:
  ///   - right: as many rows as this matrix.
  ///   - rankTolerance: singular values below this share of the largest count as zero.
  /// - Returns: `columns x right.columns`.
  /// - Throws: `MatrixError.notFinite`, `.noConvergence`.
  public func leastSquares(_ right: Matrix, rankTolerance: Double = 1e-10) throws -> Matrix {
    precondition(right.rows == rows, "\(right.rows) right-hand rows for \(rows)")
    try checkFinite()
    try right.checkFinite()
    if rows == 0 || columns == 0 || right.columns == 0 { return Matrix(rows: columns, columns: right.columns) }
    var a = columnMajor()
    let leading = max(rows, columns)
    var b = [Double](repeating: 0, count: leading * right.columns)
    for column in 0..<right.columns {
      for row in 0..<rows { b[column * leading + row] = Double(right.values[row * right.columns + column]) }
    }
    var (m, n, count, leadingB) = (Int32(rows), Int32(columns), Int32(right.columns), Int32(leading))
    var singular = [Double](repeating: 0, count: min(rows, columns))
    var tolerance = rankTolerance
    var rank: Int32 = 0
    var information: Int32 = 0
    var size: [Double] = [0]
    var integerSize: [Int32] = [0]
    var query: Int32 = -1
    BLAS.prepare()
    dgelsd_(
      &m, &n, &count, &a, &m, &b, &leadingB, &singular, &tolerance, &rank, &size, &query, &integerSize, &information)
    var workSize = Int32(size[0])
    var work = [Double](repeating: 0, count: Int(workSize))
    var integers = [Int32](repeating: 0, count: max(1, Int(integerSize[0])))
    dgelsd_(
      &m, &n, &count, &a, &m, &b, &leadingB, &singular, &tolerance, &rank, &work, &workSize, &integers, &information)
    guard information == 0 else { throw MatrixError.noConvergence }
    return Matrix(columnMajor: b, rows: columns, columns: right.columns, leading: leading)
  }

  /// Eigenvalues of a symmetric matrix, falling, and their unit eigenvectors as the rows of a matrix (LAPACK dsyev in
  /// double precision). Only the lower triangle is read. `O(n^3)`.
  ///
  /// An eigenvector's sign is free; here its component of largest size (the first of equals) is positive.
  /// - Throws: `MatrixError.notFinite`, `.noConvergence`.
  public func symmetricEigen() throws -> (values: [Float], vectors: Matrix) {
    precondition(rows == columns, "symmetric eigenvectors of \(rows) x \(columns)")
    try checkFinite()
    if rows == 0 { return ([], self) }
    var a = values.map(Double.init)
    var order = Int32(rows)
    var eigenvalues = [Double](repeating: 0, count: rows)
    var size: [Double] = [0]
    var query: Int32 = -1
    var information: Int32 = 0
    BLAS.prepare()
    dsyev_("V", "U", &order, &a, &order, &eigenvalues, &size, &query, &information, 1, 1)
    var workSize = Int32(size[0])
    var work = [Double](repeating: 0, count: Int(workSize))
    dsyev_("V", "U", &order, &a, &order, &eigenvalues, &work, &workSize, &information, 1, 1)
    guard information == 0 else { throw MatrixError.noConvergence }
    var vectors: [Float] = []
    vectors.reserveCapacity(rows * rows)
    for index in (0..<rows).reversed() {
      let vector = a[index * rows..<(index + 1) * rows]
      let largest = vector.reduce(0.0) { abs($1) > abs($0) ? $1 : $0 }
      vectors += vector.map { Float(largest < 0 ? -$0 : $0) }
    }
    return (eigenvalues.reversed().map { Float($0) }, Matrix(rows: rows, columns: rows, values: vectors))
  }

  private func checkFinite() throws {
    guard let bad = values.firstIndex(where: { !$0.isFinite }) else { return }
    throw MatrixError.notFinite(row: bad / columns, column: bad % columns)
  }

  private func columnMajor() -> [Double] {
    var result = [Double](repeating: 0, count: values.count)
    for row in 0..<rows {
      for column in 0..<columns { result[column * rows + row] = Double(values[row * columns + column]) }
    }
    return result
  }

  private init(columnMajor source: [Double], rows: Int, columns: Int, leading: Int) {
    var values = [Float](repeating: 0, count: rows * columns)
    for row in 0..<rows {
      for column in 0..<columns { values[row * columns + column] = Float(source[column * leading + row]) }
    }
    self.init(rows: rows, columns: columns, values: values)
  }
}
