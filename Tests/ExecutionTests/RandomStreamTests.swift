import Execution
import TestSupport
import Testing

struct RandomStreamTests {
  @Test func sameSeedGivesTheSameNumbersAndStreamsDiffer() {
    var a = RandomStream(seed: 7)
    var b = RandomStream(seed: 7)
    var c = RandomStream(seed: 7, stream: 1)
    let first = (0..<16).map { _ in a.next() }
    #expect(first == (0..<16).map { _ in b.next() })
    #expect(first != (0..<16).map { _ in c.next() })
  }

  @Test(arguments: testSeeds) func indexStaysBelowItsBoundAndReachesAll(seed: UInt64) {
    var random = RandomStream(seed: seed)
    var seen = Set<Int>()
    for _ in 0..<2000 {
      let value = random.index(below: 7)
      #expect((0..<7).contains(value), "seed \(seed)")
      seen.insert(value)
    }
    #expect(seen.count == 7, "seed \(seed)")
  }

  @Test(arguments: testSeeds) func sampleIsSortedAndDistinct(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let chosen = random.sample(40, of: 100)
    #expect(chosen.count == 40)
    #expect(chosen == Set(chosen).sorted(), "seed \(seed)")
  }

  @Test func gaussianHasMeanZeroAndVarianceOne() {
    var random = RandomStream(seed: 3)
    let values = (0..<40_000).map { _ in random.gaussian() }
    let mean = values.reduce(0, +) / 40_000
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 40_000
    #expect(abs(mean) < 0.02)
    #expect(abs(variance - 1) < 0.03)
  }
}
