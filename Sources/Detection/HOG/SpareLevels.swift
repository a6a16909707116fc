import Features
import Imaging
import Synchronization

/// What computing one level takes memory for: its padded image, its map, and the map of a level near it.
struct LevelMemory: Sendable {
  var image = ByteImage(width: 0, height: 0, channelCount: 3, pixels: [])
  var computed = FeatureMap.empty
  var interpolated = FeatureMap.empty
}

/// Memory of levels that is free to be used again, shared by the threads of a scan.
///
/// A scan's levels are computed one after the other in each thread, so that it needs one such a thread; fresh memory for
/// each level would have to be zeroed and mapped in.
final class SpareLevels: Sendable {
  private let free = Mutex<[LevelMemory]>([])

  /// Memory of any size and content.
  func take() -> LevelMemory {
    free.withLock { $0.popLast() } ?? LevelMemory()
  }

  func giveBack(_ memory: LevelMemory) {
    free.withLock { $0.append(memory) }
  }
}
