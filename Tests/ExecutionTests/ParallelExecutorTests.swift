import Execution
import Testing

struct ParallelExecutorTests {
  struct Failure: Error, Equatable { let index: Int }

  @Test(arguments: [1, 2, 5, 16]) func mapKeepsOrder(threads: Int) {
    let squares = ParallelExecutor(threadCount: threads).map(257) { $0 * $0 }
    #expect(squares == (0..<257).map { $0 * $0 })
  }

  @Test(arguments: [1, 2, 5, 16]) func anErrorComesBack(threads: Int) {
    #expect(throws: Failure(index: 11)) {
      try ParallelExecutor(threadCount: threads).forEach(100) { index in
        if index == 11 { throw Failure(index: index) }
      }
    }
  }

  @Test(arguments: [1, 3]) func chunksCoverTheRangeOnce(threads: Int) {
    var counts = [Int](repeating: 0, count: 103)
    counts.withUnsafeMutableBufferPointer { buffer in
      let shared = DisjointBuffer(buffer)
      ParallelExecutor(threadCount: threads).forEachChunk(of: 103, chunkSize: 10) { range in
        for i in range { shared.base[i] += 1 }
      }
    }
    #expect(counts.allSatisfy { $0 == 1 })
  }
}
