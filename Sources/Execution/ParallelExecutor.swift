import Dispatch
import Foundation
import Synchronization

/// Runs independent pieces of work on a fixed number of threads, with results that do not depend on that number.
///
/// Work is handed out by index and results come back in index order. Cut work by the data's size, never by
/// `threadCount`, and reduce in index order: then the same input gives the same bytes on any number of threads.
public struct ParallelExecutor: Sendable {
  /// How many threads work at once; at least 1. May exceed the number of cores.
  public let threadCount: Int

  /// - Parameter threadCount: `nil` takes every core that the process may use.
  public init(threadCount: Int? = nil) {
    let wanted = threadCount ?? ProcessInfo.processInfo.activeProcessorCount
    precondition(wanted >= 1, "a parallel executor needs at least one thread, got \(wanted)")
    self.threadCount = wanted
  }

  /// One thread: the calling one.
  public static let serial = ParallelExecutor(threadCount: 1)

  /// Calls `body` once for each index in `0..<count`, in no fixed order when there are several threads.
  ///
  /// The first error (that of the lowest failing index among those that ran) is thrown after all running calls ended;
  /// indices not yet begun are then left out.
  public func forEach(_ count: Int, _ body: @Sendable (Int) throws -> Void) throws {
    precondition(count >= 0)
    if threadCount == 1 || count <= 1 {
      for index in 0..<count { try body(index) }
      return
    }
    let next = Atomic<Int>(0)
    let failure = Mutex<(index: Int, error: any Error)?>(nil)
    let failed = Atomic<Bool>(false)
    DispatchQueue.concurrentPerform(iterations: min(threadCount, count)) { _ in
      while !failed.load(ordering: .relaxed) {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        do {
          try body(index)
        } catch {
          failed.store(true, ordering: .relaxed)
          failure.withLock { first in
            if first.map({ index < $0.index }) ?? true { first = (index, error) }
          }
        }
      }
    }
    if let first = failure.withLock({ $0 }) { throw first.error }
  }

  /// As the throwing form, for work that cannot fail.
  public func forEach(_ count: Int, _ body: @Sendable (Int) -> Void) {
    if threadCount == 1 || count <= 1 {
      for index in 0..<count { body(index) }
      return
    }
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: min(threadCount, count)) { _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        body(index)
      }
    }
  }

  /// The results of `body` for `0..<count`, in index order.
  public func map<Result: Sendable>(_ count: Int, _ body: @Sendable (Int) throws -> Result) throws -> [Result] {
    let slots = Mutex<[Result?]>(Array(repeating: nil, count: count))
    try forEach(count) { index in
      let value = try body(index)
      slots.withLock { $0[index] = value }
    }
    return slots.withLock { $0.map { $0! } }
  }

  /// As the throwing form, for work that cannot fail.
  public func map<Result: Sendable>(_ count: Int, _ body: @Sendable (Int) -> Result) -> [Result] {
    let slots = Mutex<[Result?]>(Array(repeating: nil, count: count))
    forEach(count) { index in
      let value = body(index)
      slots.withLock { $0[index] = value }
    }
    return slots.withLock { $0.map { $0! } }
  }

  /// Calls `body` for consecutive ranges of at most `chunkSize` indices that cover `0..<count`.
  public func forEachChunk(of count: Int, chunkSize: Int, _ body: @Sendable (Range<Int>) -> Void) {
    precondition(chunkSize >= 1)
    forEach((count + chunkSize - 1) / chunkSize) { chunk in
      body(chunk * chunkSize..<min(count, (chunk + 1) * chunkSize))
    }
  }
}

/// A buffer that several threads write at places that do not overlap.
///
/// The one unchecked promise of the package: who uses it makes sure that no element is written by two threads.
public struct DisjointBuffer<Element>: @unchecked Sendable {
  public let base: UnsafeMutablePointer<Element>
  public let count: Int

  public init(_ buffer: UnsafeMutableBufferPointer<Element>) {
    precondition(buffer.baseAddress != nil || buffer.isEmpty)
    base = buffer.baseAddress ?? UnsafeMutablePointer<Element>.allocate(capacity: 0)
    count = buffer.count
  }
}
