import LinearAlgebra
import Testing

struct StatisticsTests {
  @Test func nothingToMeasureIsNil() {
    #expect(Statistics.mean([]) == nil)
    #expect(Statistics.variance([3]) == nil)
    #expect(Statistics.standardDeviation([3]) == nil)
    #expect(Statistics.standardError([3]) == nil)
    #expect(Statistics.median([]) == nil)
    #expect(Statistics.quantile(0.3, of: []) == nil)
    #expect(Statistics.wilsonInterval(successes: 0, trials: 0) == nil)
  }

  @Test func summariesByHand() {
    #expect(Statistics.mean([1, 2, 6]) == 3)
    #expect(Statistics.variance([1, 2, 6]) == 7)
    #expect(Statistics.standardDeviation([1, 1, 5, 5]).map { abs($0 - (16.0 / 3).squareRoot()) < 1e-12 } == true)
    #expect(Statistics.standardError([1, 1, 5, 5]).map { abs($0 - (4.0 / 3).squareRoot()) < 1e-12 } == true)
    #expect(Statistics.median([5, 1, 3]) == 3)
    #expect(Statistics.median([4, 1, 3, 2]) == 2.5)
    #expect(Statistics.quantile(0.25, of: [1, 2, 3, 4]) == 1.75)
    #expect(Statistics.quantile(0, of: [7, 5]) == 5)
    #expect(Statistics.quantile(1, of: [7, 5]) == 7)
    #expect(Statistics.quantile(0.5, of: [-1e308, 1e308]) == 0)
  }

  /// Two passes keep the digits that a sum of squares would lose.
  @Test func varianceFarFromZero() {
    #expect(Statistics.variance([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]) == 30)
  }

  /// Golden: scipy 1.17.1, `binomtest(k, n).proportion_ci(method="wilson")`, tolerance 1e-9.
  @Test(arguments: [
    (8, 10, 0.4901624715366418, 0.9433178485456248), (0, 20, 0, 0.16112515805281935),
    (20, 20, 0.8388748419471808, 1), (453, 1000, 0.4223858864747742, 0.48397382882286794),
  ]) func wilsonAgreesWithScipy(successes: Int, trials: Int, low: Double, high: Double) throws {
    let interval = try #require(Statistics.wilsonInterval(successes: successes, trials: trials))
    #expect(abs(interval.lowerBound - low) < 1e-9 && abs(interval.upperBound - high) < 1e-9)
  }
}
