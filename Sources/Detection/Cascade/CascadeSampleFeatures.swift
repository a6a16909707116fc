import Execution
import Features
import Geometry
import Learning
import Synchronization

/// The features of a cascade over its training samples, as boosting asks for them.
///
/// Haar features are binned in 256 equal steps within 3.5 standard deviations of their mean, both taken from a part of the
/// samples; what lies beyond falls into the outermost bins. Boosting finds thresholds on the values themselves.
///
/// Integral images are kept as far as the memory goes and made anew where it does not.
final class CascadeSampleFeatures: BoostingFeatures, @unchecked Sendable {
  enum Table: Sendable {
    case haar(HaarFeatureTable)
    case patterns(BlockPatternTable)

    init(_ features: CascadeFeatures, windowSize: PixelSize) {
      switch features {
      case .haar(let list): self = .haar(HaarFeatureTable(list, windowSize: windowSize))
      case .blockPatterns(let list): self = .patterns(BlockPatternTable(list, windowSize: windowSize))
      }
    }

    var hasTilted: Bool { if case .haar(let table) = self { table.hasTilted } else { false } }
  }

  let featureCount: Int
  let sampleCount: Int
  let areCategories: Bool
  private let table: Table
  private let windowSize: PixelSize
  private let pixels: [UInt8]
  private var kept: [WindowBlock] = []
  private let spare = Mutex<[WindowBlock]>([])
  private var binnings: [SIMD2<Float>] = []

  /// Standard deviations on each side of the mean that bins cover.
  private static let reach: Float = 3.5
  /// Samples that the bins are laid out by.
  private static let binningSamples = 512

  /// - Parameters:
  ///   - pixels: the samples one after the other, each `windowSize.height * windowSize.width` grey values.
  ///   - byteLimit: the most memory for integral images.
  init(_ pixels: [UInt8], windowSize: PixelSize, table: Table, byteLimit: Int, executor: ParallelExecutor) {
    let area = windowSize.width * windowSize.height
    precondition(pixels.count % area == 0)
    self.pixels = pixels
    self.windowSize = windowSize
    self.table = table
    sampleCount = pixels.count / area
    switch table {
    case .haar(let table):
      featureCount = table.count
      areCategories = false
    case .patterns(let table):
      featureCount = table.count
      areCategories = true
    }
    let blockCount = (sampleCount + WindowBlock.width - 1) / WindowBlock.width
    let blockBytes = WindowBlock.byteCount(windowSize: windowSize, hasTilted: table.hasTilted)
    let keptCount = min(blockCount, max(0, byteLimit) / blockBytes)
    kept = (0..<keptCount).map { _ in WindowBlock(windowSize: windowSize, hasTilted: table.hasTilted) }
    executor.forEach(keptCount) { fill(kept[$0], $0) }
    if case .haar(let table) = table { binnings = layOutBins(table, executor) }
  }

  deinit {
    for block in kept { block.release() }
    for block in spare.withLock({ $0 }) { block.release() }
  }

  private func fill(_ block: WindowBlock, _ index: Int) {
    let area = windowSize.width * windowSize.height
    pixels.withUnsafeBufferPointer { pixels in
      for lane in 0..<min(WindowBlock.width, sampleCount - index * WindowBlock.width) {
        block.fill(lane, pixels.baseAddress! + (index * WindowBlock.width + lane) * area)
      }
    }
  }

  private func withBlocks(_ body: (WindowBlock, _ first: Int, _ count: Int) -> Void) {
    let blockCount = (sampleCount + WindowBlock.width - 1) / WindowBlock.width
    for index in 0..<blockCount {
      let first = index * WindowBlock.width
      let count = min(WindowBlock.width, sampleCount - first)
      if index < kept.count {
        body(kept[index], first, count)
        continue
      }
      let block =
        spare.withLock { $0.popLast() } ?? WindowBlock(windowSize: windowSize, hasTilted: table.hasTilted)
      fill(block, index)
      body(block, first, count)
      spare.withLock { $0.append(block) }
    }
  }

  private func layOutBins(_ table: HaarFeatureTable, _ executor: ParallelExecutor) -> [SIMD2<Float>] {
    let area = windowSize.width * windowSize.height
    let used = min(sampleCount, CascadeSampleFeatures.binningSamples)
    let blockCount = (used + WindowBlock.width - 1) / WindowBlock.width
    let blocks = (0..<blockCount).map { _ in WindowBlock(windowSize: windowSize, hasTilted: table.hasTilted) }
    defer { for block in blocks { block.release() } }
    pixels.withUnsafeBufferPointer { pixels in
      for number in 0..<used {
        blocks[number / WindowBlock.width].fill(
          number % WindowBlock.width, pixels.baseAddress! + number * sampleCount / used * area)
      }
    }
    return [SIMD2<Float>](unsafeUninitializedCapacity: table.count) { buffer, count in
      let target = DisjointBuffer(buffer)
      executor.forEachChunk(of: table.count, chunkSize: 1024) { features in
        withUnsafeTemporaryAllocation(of: Float.self, capacity: WindowBlock.width) { values in
          for feature in features {
            var (sum, squares): (Float, Float) = (0, 0)
            for (index, block) in blocks.enumerated() {
              table.fill(feature, of: block, into: values.baseAddress!)
              for lane in 0..<min(WindowBlock.width, used - index * WindowBlock.width) {
                sum += values[lane]
                squares += values[lane] * values[lane]
              }
            }
            let mean = sum / Float(used)
            let spread = max(0, squares / Float(used) - mean * mean).squareRoot() * CascadeSampleFeatures.reach
            (target.base + feature).initialize(
              to: spread > 0 ? SIMD2(mean - spread, 128 / spread) : SIMD2(mean, 0))
          }
        }
      }
      count = table.count
    }
  }

  func fillBytes(_ features: Range<Int>, into bytes: UnsafeMutablePointer<UInt8>) {
    withBlocks { block, first, count in
      switch table {
      case .haar(let table):
        binnings.withUnsafeBufferPointer {
          table.fillBins(
            features, of: block, binnings: $0.baseAddress!, count: count, into: bytes + first, stride: sampleCount)
        }
      case .patterns(let table):
        table.fill(features, of: block, count: count, into: bytes + first, stride: sampleCount)
      }
    }
  }

  func fillValues(_ feature: Int, into values: UnsafeMutablePointer<Float>) {
    guard case .haar(let table) = table else { preconditionFailure("patterns have no ordered values") }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: WindowBlock.width) { row in
      withBlocks { block, first, count in
        table.fill(feature, of: block, into: row.baseAddress!)
        (values + first).update(from: row.baseAddress!, count: count)
      }
    }
  }
}
