import Execution
import Foundation
import TestSupport
import Testing

@testable import LinearAlgebra

struct BLASTests {
  @Test func aProductByHand() {
    var c: [Float] = [1, 1, 1, 1]
    BLAS.gemm(rows: 2, columns: 2, inner: 3, [1, 2, 3, 4, 5, 6], [1, 0, 0, 1, 2, 2], beta: 10, &c)
    #expect(c == [17, 18, 26, 27])
    var y: [Float] = [0, 0]
    BLAS.gemv(rows: 2, columns: 3, [1, 2, 3, 4, 5, 6], [1, 0, -1], &y)
    #expect(y == [-2, -2])
    BLAS.axpy(2, [1, 2], &y)
    #expect(y == [0, 2])
    #expect(BLAS.dot([1, 2, 3], [4, 5, 6]) == 32)
  }

  @Test(arguments: testSeeds) func productsAgreeWithTheDefinition(seed: UInt64) {
    var random = RandomStream(seed: seed)
    for _ in 0..<24 {
      let (rows, columns, inner) = (1 + random.index(below: 33), 1 + random.index(below: 33), random.index(below: 40))
      let (transposeA, transposeB) = (random.index(below: 2) == 1, random.index(below: 2) == 1)
      let leadingA = (transposeA ? rows : inner) + random.index(below: 4)
      let leadingB = (transposeB ? inner : columns) + random.index(below: 4)
      let leadingC = columns + random.index(below: 4)
      let a = (0..<max(1, (transposeA ? inner : rows) * leadingA)).map { _ in Float(random.gaussian()) }
      let b = (0..<max(1, (transposeB ? columns : inner) * leadingB)).map { _ in Float(random.gaussian()) }
      // With beta 0 the old content must not be read.
      let beta: Float = random.index(below: 2) == 1 ? 0.5 : 0
      let old = (0..<rows * leadingC).map { _ in beta == 0 ? Float.nan : Float(random.gaussian()) }
      var c = old
      BLAS.gemm(
        transposeA: transposeA, transposeB: transposeB, rows: rows, columns: columns, inner: inner, alpha: 1.5, a,
        leadingA: leadingA, b, leadingB: leadingB, beta: beta, &c, leadingC: leadingC)
      for row in 0..<rows {
        for column in 0..<leadingC {
          let place = row * leadingC + column
          guard column < columns else {
            #expect(c[place].bitPattern == old[place].bitPattern, "padding changed, seed \(seed)")
            continue
          }
          var sum = 0.0
          for k in 0..<inner {
            let left = transposeA ? a[k * leadingA + row] : a[row * leadingA + k]
            let right = transposeB ? b[column * leadingB + k] : b[k * leadingB + column]
            sum += Double(left) * Double(right)
          }
          let expected = 1.5 * sum + (beta == 0 ? 0 : Double(beta) * Double(old[place]))
          #expect(abs(Double(c[place]) - expected) < 1e-4, "seed \(seed), \(rows) x \(inner) x \(columns)")
        }
      }
    }
  }

  @Test(arguments: testSeeds) func vectorProductsAgreeWithTheDefinition(seed: UInt64) {
    var random = RandomStream(seed: seed)
    for transpose in [false, true] {
      let (rows, columns) = (1 + random.index(below: 50), 1 + random.index(below: 50))
      let a = (0..<rows * columns).map { _ in Float(random.gaussian()) }
      let x = (0..<(transpose ? rows : columns)).map { _ in Float(random.gaussian()) }
      var y = [Float](repeating: .nan, count: transpose ? columns : rows)
      BLAS.gemv(transpose: transpose, rows: rows, columns: columns, a, x, &y)
      for index in y.indices {
        let expected = x.indices.reduce(0.0) { sum, k in
          sum + Double(a[transpose ? k * columns + index : index * columns + k]) * Double(x[k])
        }
        #expect(abs(Double(y[index]) - expected) < 1e-4, "seed \(seed)")
      }
    }
  }

  @Test func emptySizesDoNothingOrScale() {
    var c: [Float] = [2, 4]
    BLAS.gemm(rows: 1, columns: 2, inner: 0, [], [], beta: 0.5, &c)
    #expect(c == [1, 2])
    BLAS.gemm(rows: 1, columns: 2, inner: 0, [], [], &c)
    #expect(c == [0, 0])
    var none: [Float] = []
    BLAS.gemm(rows: 0, columns: 2, inner: 3, [], [1, 2, 3, 4, 5, 6], &none)
    BLAS.gemv(rows: 0, columns: 3, [], [1, 2, 3], &none)
    #expect(none.isEmpty)
    var y: [Float] = [7]
    BLAS.gemv(rows: 1, columns: 0, [], [], &y)
    #expect(y == [0])
    #expect(BLAS.dot([], []) == 0)
  }

  @Test func kernelsFitTheProcessorsFlags() {
    func core(_ flags: String) -> String? {
      BLAS.betterCore(thanPrescottFor: "processor\t: 0\nflags\t\t: fpu sse sse2 \(flags)\nbogomips: 1\n")
    }
    #expect(core("pni ssse3") == nil)
    #expect(core("avx avx2") == nil, "Haswell kernels use fused multiply-add")
    #expect(core("avx avx2 fma") == "Haswell")
    #expect(core("fma avx2 avx512f avx512dq") == "Haswell", "SkylakeX kernels want the five server sets")
    #expect(core("fma avx2 avx512f avx512dq avx512bw avx512vl avx512cd") == "SkylakeX")
    #expect(BLAS.betterCore(thanPrescottFor: "") == nil)
  }

  @Test func noOldKernelsOnAProcessorThatCanDoBetter() throws {
    let information = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    if BLAS.betterCore(thanPrescottFor: information) != nil,
      ProcessInfo.processInfo.environment["OPENBLAS_CORETYPE"] == nil
    {
      #expect(BLAS.coreName != "Prescott")
    }
    #expect(!BLAS.coreName.isEmpty)
  }
}
