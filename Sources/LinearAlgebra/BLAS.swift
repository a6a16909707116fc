import COpenBLAS

/// Row-major single-precision BLAS on OpenBLAS: one thread a call, the right kernels chosen once.
///
/// Every call checks its sizes with `precondition` (a wrong size is a programmer's mistake) and passes the rest on, so
/// costs are those of OpenBLAS: for an `m x k` by `k x n` product `2 m n k` operations, at 70-150 GFLOP/s on a core with
/// AVX2 or AVX-512. OpenBLAS is kept to one thread: parallel work is cut by `ParallelExecutor`, whose results do not
/// depend on the number of threads. The same call on the same machine gives the same bytes; another processor may take
/// another kernel and differ in the last bits.
public enum BLAS {
  /// The kernel family in use, for example "Haswell", "SkylakeX", "Zen". Benchmarks record it.
  public static var coreName: String {
    prepare()
    return String(cString: openblas_get_corename())
  }

  /// `C = alpha * op(A) * op(B) + beta * C`, all row-major.
  ///
  /// With `beta == 0` the old content of C is not read, so it may be anything, NaN too.
  /// - Parameters:
  ///   - rows: rows of op(A) and C.
  ///   - columns: columns of op(B) and C.
  ///   - inner: columns of op(A), rows of op(B). Zero leaves `beta * C`.
  ///   - a: `rows x inner`, or `inner x rows` when `transposeA`; rows `leadingA` floats apart, so at least as many as A
  ///     has columns.
  ///   - b: `inner x columns`, or `columns x inner` when `transposeB`; rows `leadingB` floats apart.
  ///   - c: `rows x columns`, rows `leadingC` floats apart. Must not overlap A or B.
  public static func gemm(
    transposeA: Bool = false, transposeB: Bool = false, rows: Int, columns: Int, inner: Int, alpha: Float = 1,
    _ a: UnsafePointer<Float>, leadingA: Int, _ b: UnsafePointer<Float>, leadingB: Int, beta: Float = 0,
    _ c: UnsafeMutablePointer<Float>, leadingC: Int
  ) {
    precondition(rows >= 0 && columns >= 0 && inner >= 0, "negative size")
    precondition(leadingA >= (transposeA ? rows : inner), "leadingA \(leadingA) is less than A's columns")
    precondition(leadingB >= (transposeB ? inner : columns), "leadingB \(leadingB) is less than B's columns")
    precondition(leadingC >= columns, "leadingC \(leadingC) is less than C's columns")
    if rows == 0 || columns == 0 { return }
    if inner == 0 {
      for row in 0..<rows {
        for column in 0..<columns {
          c[row * leadingC + column] = beta == 0 ? 0 : beta * c[row * leadingC + column]
        }
      }
      return
    }
    prepare()
    cblas_sgemm(
      CblasRowMajor, transposeA ? CblasTrans : CblasNoTrans, transposeB ? CblasTrans : CblasNoTrans, blasint(rows),
      blasint(columns), blasint(inner), alpha, a, blasint(leadingA), b, blasint(leadingB), beta, c, blasint(leadingC))
  }

  /// `C = alpha * op(A) * op(B) + beta * C` on dense row-major arrays without gaps between rows.
  public static func gemm(
    transposeA: Bool = false, transposeB: Bool = false, rows: Int, columns: Int, inner: Int, alpha: Float = 1,
    _ a: [Float], _ b: [Float], beta: Float = 0, _ c: inout [Float]
  ) {
    precondition(rows >= 0 && columns >= 0 && inner >= 0, "negative size")
    precondition(a.count == rows * inner, "A has \(a.count) values, not \(rows) x \(inner)")
    precondition(b.count == inner * columns, "B has \(b.count) values, not \(inner) x \(columns)")
    precondition(c.count == rows * columns, "C has \(c.count) values, not \(rows) x \(columns)")
    if c.isEmpty { return }
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        c.withUnsafeMutableBufferPointer { c in
          // An empty A or B (inner == 0) has no address; the product then reads neither, so C's stands in.
          let stand = UnsafePointer(c.baseAddress!)
          gemm(
            transposeA: transposeA, transposeB: transposeB, rows: rows, columns: columns, inner: inner, alpha: alpha,
            a.baseAddress ?? stand, leadingA: transposeA ? rows : inner, b.baseAddress ?? stand,
            leadingB: transposeB ? inner : columns, beta: beta, c.baseAddress!, leadingC: columns)
        }
      }
    }
  }

  /// `y = alpha * op(A) * x + beta * y`; A is `rows x columns`, row-major.
  ///
  /// - Parameters:
  ///   - x: `columns` values, or `rows` when `transpose`.
  ///   - y: `rows` values, or `columns` when `transpose`. Not read when `beta == 0`.
  public static func gemv(
    transpose: Bool = false, rows: Int, columns: Int, alpha: Float = 1, _ a: UnsafePointer<Float>, leadingA: Int,
    _ x: UnsafePointer<Float>, beta: Float = 0, _ y: UnsafeMutablePointer<Float>
  ) {
    precondition(rows >= 0 && columns >= 0, "negative size")
    precondition(leadingA >= columns, "leadingA \(leadingA) is less than A's columns")
    let results = transpose ? columns : rows
    if results == 0 { return }
    if rows == 0 || columns == 0 {
      for index in 0..<results { y[index] = beta == 0 ? 0 : beta * y[index] }
      return
    }
    prepare()
    cblas_sgemv(
      CblasRowMajor, transpose ? CblasTrans : CblasNoTrans, blasint(rows), blasint(columns), alpha, a,
      blasint(leadingA), x, 1, beta, y, 1)
  }

  /// `y = alpha * op(A) * x + beta * y` on arrays without gaps between rows.
  public static func gemv(
    transpose: Bool = false, rows: Int, columns: Int, alpha: Float = 1, _ a: [Float], _ x: [Float], beta: Float = 0,
    _ y: inout [Float]
  ) {
    precondition(rows >= 0 && columns >= 0, "negative size")
    precondition(a.count == rows * columns, "A has \(a.count) values, not \(rows) x \(columns)")
    precondition(x.count == (transpose ? rows : columns), "x has \(x.count) values")
    precondition(y.count == (transpose ? columns : rows), "y has \(y.count) values")
    if y.isEmpty { return }
    a.withUnsafeBufferPointer { a in
      x.withUnsafeBufferPointer { x in
        y.withUnsafeMutableBufferPointer { y in
          let stand = UnsafePointer(y.baseAddress!)
          gemv(
            transpose: transpose, rows: rows, columns: columns, alpha: alpha, a.baseAddress ?? stand,
            leadingA: columns, x.baseAddress ?? stand, beta: beta, y.baseAddress!)
        }
      }
    }
  }

  /// The sum of products of two runs of `count` values, accumulated in single precision.
  public static func dot(_ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>, count: Int) -> Float {
    precondition(count >= 0, "negative size")
    prepare()
    return cblas_sdot(blasint(count), x, 1, y, 1)
  }

  /// The sum of products of two arrays of equal length, accumulated in single precision; 0 for empty arrays.
  public static func dot(_ x: [Float], _ y: [Float]) -> Float {
    precondition(x.count == y.count, "dot of \(x.count) and \(y.count) values")
    if x.isEmpty { return 0 }
    return x.withUnsafeBufferPointer { x in
      y.withUnsafeBufferPointer { y in dot(x.baseAddress!, y.baseAddress!, count: x.count) }
    }
  }

  /// `y += alpha * x` for `count` values.
  public static func axpy(
    _ alpha: Float, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, count: Int
  ) {
    precondition(count >= 0, "negative size")
    prepare()
    cblas_saxpy(blasint(count), alpha, x, 1, y, 1)
  }

  /// `y += alpha * x` for arrays of equal length.
  public static func axpy(_ alpha: Float, _ x: [Float], _ y: inout [Float]) {
    precondition(x.count == y.count, "axpy of \(x.count) and \(y.count) values")
    if x.isEmpty { return }
    x.withUnsafeBufferPointer { x in
      y.withUnsafeMutableBufferPointer { y in axpy(alpha, x.baseAddress!, y.baseAddress!, count: x.count) }
    }
  }
}
