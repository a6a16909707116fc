import Execution
import Geometry
import Imaging
import Synchronization

/// Negatives that a cascade accepts.
public struct NegativeHarvest: Sendable {
  /// Their pixels, one window after the other: `windowSize.width * windowSize.height` grey values each.
  public var pixels: [UInt8] = []
  /// Where each comes from, in the order in which they are visited.
  public var sources: [Source] = []
  /// How many windows were visited for them.
  public var visited = 0
  /// Where the next visit begins.
  public var cursor = 0
  /// Whether no window is left.
  public var isExhausted = false

  public struct Source: Hashable, Sendable {
    public var photo: Int
    public var place: NegativeWindow.Place
    /// Its place in the order of all windows.
    public var order: Int
  }

  /// Accepted windows as a share of those that were visited; `nil` before any was.
  public var acceptance: Double? { visited > 0 ? Double(sources.count) / Double(visited) : nil }

  /// The largest share that goes with so few accepted ones, with a confidence of 95 %: `largestMean` of them as a share of
  /// those that were visited, 1 at most; `nil` before any was. None of n shows a share of 3 / n.
  public var acceptanceBound: Double? {
    visited > 0 ? min(1, NegativeHarvest.largestMean(of: sources.count) / Double(visited)) : nil
  }

  /// The mean of a Poisson distribution of which this count or less is drawn once in 20 times: the upper end of the exact
  /// interval, within 1 % by the approximation of E. B. Wilson and M. M. Hilferty ("The distribution of chi-square", PNAS
  /// 1931). Rare events among many windows are counted so; of frequent ones it is more than needed.
  static func largestMean(of count: Int) -> Double {
    let more = Double(count + 1)
    let root = 1 - 1 / (9 * more) + 1.6449 / (3 * more.squareRoot())
    return more * root * root * root
  }
}

extension NegativeWindows {
  /// The first windows from a place of the order on that are accepted.
  ///
  /// The outcome is that of looking at one window after the other and stopping at the last that is wanted; it depends
  /// neither on the number of threads nor on how windows are batched. No window is passed over, so that harvest after harvest
  /// from the cursor of the one before meets every window once. It always ends: each window is visited at most once.
  ///
  /// - Parameters:
  ///   - wanted: how many; fewer come back where no more are left, or `limit` is reached.
  ///   - cursor: where to begin, in `0...count`.
  ///   - limit: the most windows to visit; `nil` visits all there are.
  ///   - expectedAcceptance: the share of windows that are probably accepted, above 0: a better guess wastes less work.
  ///   - advanced: told now and then how many were visited and found.
  ///   - accepts: which windows of a unit are accepted, as rising indices of its `windows`. Called on several threads.
  /// - Throws: what `accepts` throws; `InputError` where a photo cannot be read any more; `CancelledError`.
  /// - Complexity: a batch of visited windows opens each photo at most once (those of which `OpenedPhotos` keeps a grey copy
  ///   not even that) and makes each level at most once. Memory: 16 bytes for each window of a batch (`largestBatch`), the
  ///   accepted windows, and a photo with one level for each thread.
  public func harvest(
    _ wanted: Int, from cursor: Int, limit: Int? = nil, expectedAcceptance: Double = 1,
    executor: ParallelExecutor = ParallelExecutor(), cancellation: Cancellation = Cancellation(),
    advanced: (_ visited: Int, _ found: Int) -> Void = { _, _ in },
    accepts: @Sendable (NegativeUnit) throws -> [Int]
  ) throws -> NegativeHarvest {
    precondition(wanted >= 0 && (0...count).contains(cursor))
    precondition(expectedAcceptance > 0 && (limit ?? 0) >= 0)
    let stop = limit.map { cursor + min($0, count - cursor) } ?? count
    var expected = expectedAcceptance
    var result = NegativeHarvest()
    result.cursor = cursor
    while result.sources.count < wanted && result.cursor < stop {
      try cancellation.check()
      let missing = wanted - result.sources.count
      // A tenth more than expected: a second batch for the last few would open every photo again.
      let estimate = Double(missing) / expected * 1.1 + 16
      let size = min(
        stop - result.cursor,
        estimate < Double(NegativeWindows.largestBatch) ? Int(estimate) : NegativeWindows.largestBatch)
      let range = result.cursor..<result.cursor + size
      let found = try accepted(missing, in: range, executor: executor, cancellation: cancellation, accepts: accepts)
      for item in found {
        result.pixels += item.pixels
        result.sources.append(item.source)
      }
      let end = found.count == missing && missing > 0 ? found[found.count - 1].source.order + 1 : range.upperBound
      result.visited += end - result.cursor
      result.cursor = end
      // Fewer than expected: the next batch goes by what was seen, and grows at least fourfold where that was nothing.
      expected = found.isEmpty ? expected / 4 : Double(found.count) / Double(size)
      advanced(result.visited, result.sources.count)
    }
    result.isExhausted = result.cursor == count
    return result
  }

  private func accepted(
    _ wanted: Int, in range: Range<Int>, executor: ParallelExecutor, cancellation: Cancellation,
    accepts: @Sendable (NegativeUnit) throws -> [Int]
  ) throws -> [FirstWindows.Item] {
    let batch = batch(range, executor: executor)
    let touched = (0..<photos.count).filter { batch.photoStarts[$0] < batch.photoStarts[$0 + 1] }
    let first = Mutex(FirstWindows(wanted))
    try executor.forEach(touched.count) { number in
      try cancellation.check()
      let limit = first.withLock { $0.limit }
      try forEachUnit(of: touched[number], in: batch, before: limit) { unit in
        let chosen = try accepts(unit)
        guard !chosen.isEmpty else { return }
        // What is already sure to be too late in the order is not cut.
        let limit = first.withLock { $0.limit }
        let items = chosen.lazy.map { unit.windows[$0] }.filter { $0.order < limit }.map { window in
          FirstWindows.Item(
            source: .init(photo: unit.photo, place: window.place, order: window.order),
            pixels: unit.image.crop(
              x: window.x, y: window.y, width: options.windowSize.width, height: options.windowSize.height
            ).pixels)
        }
        let cut = Array(items)
        first.withLock { for item in cut { $0.add(item) } }
      }
    }
    return first.withLock { $0.sorted() }
  }
}

/// The windows that come first in the order, of all that are added, whatever the order in which they are added.
private struct FirstWindows: Sendable {
  struct Item: Sendable {
    var source: NegativeHarvest.Source
    var pixels: [UInt8]
  }

  private let wanted: Int
  /// A heap with the latest on top.
  private var items: [Item] = []

  init(_ wanted: Int) { self.wanted = wanted }

  /// Windows from this place in the order on cannot be among the first any more.
  var limit: Int { items.count < wanted ? Int.max : items.first?.source.order ?? 0 }

  mutating func add(_ item: Item) {
    if items.count < wanted {
      items.append(item)
      var child = items.count - 1
      while child > 0, order((child - 1) / 2) < order(child) {
        items.swapAt((child - 1) / 2, child)
        child = (child - 1) / 2
      }
    } else if item.source.order < limit {
      items[0] = item
      var parent = 0
      while true {
        var largest = parent
        for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && order(child) > order(largest) {
          largest = child
        }
        if largest == parent { break }
        items.swapAt(largest, parent)
        parent = largest
      }
    }
  }

  private func order(_ index: Int) -> Int { items[index].source.order }

  func sorted() -> [Item] { items.sorted { $0.source.order < $1.source.order } }
}
