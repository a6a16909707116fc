import Execution
import LinearAlgebra
import TestSupport
import Testing

struct MatrixTests {
  private func random(_ rows: Int, _ columns: Int, _ random: inout RandomStream) -> Matrix {
    Matrix(rows: rows, columns: columns, values: (0..<rows * columns).map { _ in Float(random.gaussian()) })
  }

  @Test(arguments: testSeeds) func productsAgreeWithTheirTransposes(seed: UInt64) {
    var stream = RandomStream(seed: seed)
    let a = random(7, 5, &stream)
    let b = random(5, 9, &stream)
    let product = a * b
    let other = (b.transposed() * a.transposed()).transposed()
    #expect(zip(product.values, other.values).allSatisfy { abs($0 - $1) < 1e-5 }, "seed \(seed)")
    #expect(a.transposed().multiplied(by: b, transposed: true) == product, "seed \(seed)")
    let right = a.multiplied(by: b.transposed(), otherTransposed: true)
    #expect(zip(product.values, right.values).allSatisfy { abs($0 - $1) < 1e-5 }, "seed \(seed)")
    #expect(a * Matrix.identity(5) == a)
    #expect(a * [1, 0, 0, 0, 0] == (0..<7).map { a[$0, 0] })
  }

  @Test func choleskyByHand() throws {
    let a = Matrix([[4, 2], [2, 3]])
    let x = try a.solvedByCholesky(Matrix([[8, 4], [8, 2]]))
    #expect(zip(x.values, [1, 1, 2, 0]).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test(arguments: testSeeds) func choleskySolvesPositiveDefiniteSystems(seed: UInt64) throws {
    var stream = RandomStream(seed: seed)
    let root = random(12, 12, &stream)
    var a = root.multiplied(by: root, otherTransposed: true)
    for index in 0..<12 { a[index, index] += 1 }
    let right = random(12, 3, &stream)
    let solution = try a.solvedByCholesky(right)
    let back = a * solution
    #expect(zip(back.values, right.values).allSatisfy { abs($0 - $1) < 1e-3 }, "seed \(seed)")
  }

  @Test func whatIsNotPositiveDefiniteIsNamed() {
    #expect(throws: MatrixError.notPositiveDefinite(order: 2)) {
      try Matrix([[1, 2], [2, 1]]).solvedByCholesky(Matrix([[1], [1]]))
    }
    #expect(throws: MatrixError.notFinite(row: 1, column: 0)) {
      try Matrix([[1, 0], [.nan, 1]]).solvedByCholesky(Matrix([[1], [1]]))
    }
    #expect(throws: MatrixError.notFinite(row: 0, column: 1)) {
      try Matrix([[1, .infinity], [0, 1]]).symmetricEigen()
    }
  }

  @Test func leastSquaresOfEveryShape() throws {
    // A line through three points: slope 1.5, offset -1/3.
    let line = try Matrix([[0, 1], [1, 1], [2, 1]]).leastSquares(Matrix([[0], [0.5], [3]]))
    #expect(abs(line[0, 0] - 1.5) < 1e-5 && abs(line[1, 0] + 1 / 3) < 1e-5)
    // Fewer equations than unknowns, and a matrix of rank 1: the shortest solution.
    let short = try Matrix([[1, 1]]).leastSquares(Matrix([[2]]))
    #expect(zip(short.values, [1, 1]).allSatisfy { abs($0 - $1) < 1e-6 })
    let flat = try Matrix([[1, 2], [2, 4], [3, 6]]).leastSquares(Matrix([[5], [10], [15]]))
    #expect(zip(flat.values, [1, 2]).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(try Matrix(rows: 3, columns: 2).leastSquares(Matrix([[1], [2], [3]])).values == [0, 0])
    #expect(try Matrix(rows: 0, columns: 2).leastSquares(Matrix(rows: 0, columns: 1)).values == [0, 0])
  }

  @Test func eigenvectorsByHand() throws {
    let (values, vectors) = try Matrix([[2, 1], [1, 2]]).symmetricEigen()
    #expect(abs(values[0] - 3) < 1e-6 && abs(values[1] - 1) < 1e-6)
    let half = Float(0.5).squareRoot()
    #expect(abs(vectors[0, 0] - half) < 1e-6 && abs(vectors[0, 1] - half) < 1e-6)
    #expect(abs(abs(vectors[1, 0]) - half) < 1e-6 && abs(vectors[1, 0] + vectors[1, 1]) < 1e-6)
  }

  @Test(arguments: testSeeds) func eigenvectorsMakeTheMatrixAgain(seed: UInt64) throws {
    var stream = RandomStream(seed: seed)
    let root = random(9, 9, &stream)
    let a = root.multiplied(by: root, otherTransposed: true)
    let (values, vectors) = try a.symmetricEigen()
    #expect(values == values.sorted(by: >), "seed \(seed)")
    let unit = vectors.multiplied(by: vectors, otherTransposed: true)
    #expect(zip(unit.values, Matrix.identity(9).values).allSatisfy { abs($0 - $1) < 1e-5 }, "seed \(seed)")
    var scaled = vectors
    for row in 0..<9 { for column in 0..<9 { scaled[row, column] *= values[row] } }
    let back = vectors.multiplied(by: scaled, transposed: true)
    #expect(zip(back.values, a.values).allSatisfy { abs($0 - $1) < 1e-3 }, "seed \(seed)")
  }
}
