import Execution
import Synchronization

/// Bytes of all features over all samples, as far as the memory goes: the first features are kept, the others computed
/// anew each time.
final class FeatureTable: @unchecked Sendable {
  let features: any BoostingFeatures
  /// How many features are kept; they are the first.
  let keptCount: Int
  private let rows: UnsafeMutablePointer<UInt8>
  private let spare = Mutex<[ByteRow]>([])

  /// Features that are computed and searched at a time.
  static let blockSize = 256
  /// Features that are computed at a time where all are kept: the samples' integral images are read once for each.
  private static let fillSize = 2048

  /// Memory as a training asks for it again and again: it is taken from the system once.
  final class Storage: @unchecked Sendable {
    fileprivate var base: UnsafeMutablePointer<UInt8>
    fileprivate var capacity: Int

    init() {
      base = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
      capacity = 1
    }

    fileprivate func reserve(_ count: Int) {
      guard count > capacity else { return }
      base.deallocate()
      base = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
      capacity = count
    }

    deinit { base.deallocate() }
  }

  /// - Parameters:
  ///   - byteLimit: the most memory for kept bytes; each thread takes `blockSize` rows besides.
  ///   - storage: not used by another table meanwhile.
  init(_ features: any BoostingFeatures, byteLimit: Int, storage: Storage, executor: ParallelExecutor) {
    self.features = features
    self.storage = storage
    let sampleCount = features.sampleCount
    keptCount = min(features.featureCount, max(0, byteLimit) / max(1, sampleCount))
    storage.reserve(max(1, keptCount * sampleCount))
    rows = storage.base
    let target = ByteRow(base: rows)
    executor.forEachChunk(of: keptCount, chunkSize: FeatureTable.fillSize) { block in
      features.fillBytes(block, into: target.base + block.lowerBound * sampleCount)
    }
  }

  private let storage: Storage

  struct ByteRow: @unchecked Sendable {
    let base: UnsafeMutablePointer<UInt8>
  }

  deinit {
    for row in spare.withLock({ $0 }) { row.base.deallocate() }
  }

  /// Calls `body` with the rows of some features, at most `blockSize`.
  func withRows<Result>(_ block: Range<Int>, _ body: (UnsafePointer<UInt8>) throws -> Result) rethrows -> Result {
    precondition(block.count <= FeatureTable.blockSize)
    let sampleCount = features.sampleCount
    if block.upperBound <= keptCount { return try body(UnsafePointer(rows + block.lowerBound * sampleCount)) }
    let scratch =
      spare.withLock { $0.popLast() }
      ?? ByteRow(base: .allocate(capacity: FeatureTable.blockSize * sampleCount))
    defer { spare.withLock { $0.append(scratch) } }
    features.fillBytes(block, into: scratch.base)
    return try body(UnsafePointer(scratch.base))
  }
}
