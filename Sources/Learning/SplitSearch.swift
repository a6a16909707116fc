import Execution
import Synchronization

/// A feature and about what a split by it gains.
struct SplitCandidate: Hashable, Sendable {
  var feature: Int
  var gain: Float

  /// Better ones first; of equal ones the feature with the lower number.
  static func precedes(_ a: SplitCandidate, _ b: SplitCandidate) -> Bool {
    a.gain != b.gain ? a.gain > b.gain : a.feature < b.feature
  }
}

/// Finds the features whose splits gain most, over all features.
///
/// The answer is that of looking at every feature with every sample, on any number of threads: a feature is dropped early
/// only where no split by it can reach those that are kept.
struct SplitSearch: Sendable {
  let table: FeatureTable
  let executor: ParallelExecutor
  /// How many features are wanted.
  let wanted: Int

  /// - Parameter likely: features that may be good, looked at first.
  func best(_ problem: SplitProblem, likely: [Int] = []) -> [SplitCandidate] {
    let found = Leaders(wanted: wanted, floor: problem.baseGain)
    for feature in likely {
      table.withRows(feature..<feature + 1) { row in
        search(problem, feature..<feature + 1, row, found)
      }
    }
    let isLikely = Set(likely)
    let blockCount = (table.features.featureCount + FeatureTable.blockSize - 1) / FeatureTable.blockSize
    // Neighbours look alike: blocks are taken from all over, so that good features come up early.
    let step = SplitSearch.stride(blockCount)
    executor.forEach(blockCount) { number in
      let index = number * step % blockCount
      let lower = index * FeatureTable.blockSize
      let block = lower..<min(table.features.featureCount, lower + FeatureTable.blockSize)
      table.withRows(block) { rows in search(problem, block, rows, found, excluding: isLikely) }
    }
    return found.sorted()
  }

  /// A number without a common factor with `count`, about 0.618 of it.
  private static func stride(_ count: Int) -> Int {
    func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
    var step = max(1, count * 618 / 1000)
    while divisor(step, count) != 1 { step += 1 }
    return step
  }

  /// Looks at the features of one block.
  private func search(
    _ problem: SplitProblem, _ block: Range<Int>, _ rows: UnsafePointer<UInt8>, _ found: Leaders,
    excluding known: Set<Int> = []
  ) {
    let sampleCount = table.features.sampleCount
    let areCategories = table.features.areCategories
    let bins = SplitHistograms.binCount
    // One histogram more than features: groups of four may be filled up with any.
    let histograms = UnsafeMutablePointer<UInt64>.allocate(capacity: (SplitSearch.groupSize + 1) * bins)
    let floats = UnsafeMutablePointer<Float>.allocate(capacity: 2 * bins)
    defer {
      histograms.deallocate()
      floats.deallocate()
    }
    let spare = histograms + SplitSearch.groupSize * bins
    var alive: [Int] = []
    for start in Swift.stride(from: block.lowerBound, to: block.upperBound, by: SplitSearch.groupSize) {
      alive.removeAll(keepingCapacity: true)
      for feature in start..<min(block.upperBound, start + SplitSearch.groupSize) where !known.contains(feature) {
        alive.append(feature)
      }
      histograms.update(repeating: 0, count: SplitSearch.groupSize * bins)
      var segmentStart = 0
      var summed: UInt64 = 0
      for (segment, end) in problem.segmentEnds.enumerated() {
        if alive.isEmpty { break }
        problem.samples.withUnsafeBufferPointer { samples in
          problem.packed.withUnsafeBufferPointer { packed in
            for place in segmentStart..<end { summed &+= packed[place] }
            var next = 0
            while next + 4 <= alive.count {
              let row = { (offset: Int) in rows + (alive[next + offset] - block.lowerBound) * sampleCount }
              // The four must lie side by side: where features were dropped, they are taken one by one.
              if alive[next + 3] - alive[next] == 3 {
                SplitHistograms.addFour(
                  (row(0), row(1), row(2), row(3)), samples: samples.baseAddress!, packed: packed.baseAddress!,
                  range: segmentStart..<end, to: histograms + (alive[next] - start) * bins)
                next += 4
              } else {
                SplitHistograms.addOne(
                  row(0), samples: samples.baseAddress!, packed: packed.baseAddress!, range: segmentStart..<end,
                  to: histograms + (alive[next] - start) * bins)
                next += 1
              }
            }
            while next < alive.count {
              SplitHistograms.addOne(
                rows + (alive[next] - block.lowerBound) * sampleCount, samples: samples.baseAddress!,
                packed: packed.baseAddress!, range: segmentStart..<end,
                to: histograms + (alive[next] - start) * bins)
              next += 1
            }
          }
        }
        let isLast = segment == problem.segmentEnds.count - 1
        let remainder = problem.remainders[segment]
        let floor = found.floor
        alive.removeAll { feature in
          let histogram = histograms + (feature - start) * bins
          if areCategories {
            let bound = SplitHistograms.categoryBound(histogram, criterion: problem.criterion)
            if bound * 1.00001 + remainder < floor { return true }
            guard isLast else { return false }
            found.add(
              feature,
              SplitHistograms.categoryGain(
                histogram, total: summed, criterion: problem.criterion, prior: Float(problem.categoryPrior),
                scratch: spare,
                floats: floats))
          } else {
            let gain = SplitHistograms.thresholdGain(
              histogram, total: summed, criterion: problem.criterion, scratch: floats)
            if !isLast { return gain * 1.00001 + remainder < floor }
            found.add(feature, gain)
          }
          return true
        }
        segmentStart = end
      }
    }
  }

  /// Features whose histograms are in hand together: 64 KB, in the second cache.
  private static let groupSize = 32
}

/// The best candidates so far, and the gain that a feature must reach to be among them.
private final class Leaders: Sendable {
  private let wanted: Int
  private let list: Mutex<[SplitCandidate]>
  private let floorBits: Atomic<UInt32>

  init(wanted: Int, floor: Float) {
    self.wanted = wanted
    list = Mutex([])
    floorBits = Atomic(floor.bitPattern)
  }

  var floor: Float { Float(bitPattern: floorBits.load(ordering: .relaxed)) }

  func add(_ feature: Int, _ gain: Float) {
    guard gain >= floor else { return }
    let candidate = SplitCandidate(feature: feature, gain: gain)
    list.withLock { list in
      let place = list.firstIndex { SplitCandidate.precedes(candidate, $0) } ?? list.count
      guard place < wanted else { return }
      list.insert(candidate, at: place)
      if list.count > wanted { list.removeLast() }
      if list.count == wanted { floorBits.store(list[wanted - 1].gain.bitPattern, ordering: .relaxed) }
    }
  }

  func sorted() -> [SplitCandidate] { list.withLock { $0 } }
}
