import Features
import Synchronization

/// Feature maps whose memory is free to be used again, shared by the threads of a scan.
///
/// A scan's levels are computed one after the other in each thread, so that it needs a map or two a thread; fresh memory
/// for each level would have to be zeroed and mapped in.
final class SpareMaps: Sendable {
  private let maps = Mutex<[FeatureMap]>([])

  /// A map of any size and content.
  func take() -> FeatureMap {
    maps.withLock { $0.popLast() } ?? .empty
  }

  func giveBack(_ map: FeatureMap) {
    maps.withLock { $0.append(map) }
  }
}
