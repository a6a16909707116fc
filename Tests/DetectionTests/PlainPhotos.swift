import Detection
import Execution
import Geometry
import Imaging
import TestSupport

/// Photos held in memory.
struct PlainPhotos: TrainingImageSource {
  var images: [ByteImage]
  var boxes: [[Annotation]] = []
  /// Photos that cannot be read.
  var broken: Set<Int> = []
  var barred: Set<Int> = []
  /// Photos without some of their rows.
  var cut: Set<Int> = []
  var copyCounts: [Int: Int] = [:]

  /// Noise of these sizes.
  static func noise(_ sizes: [(Int, Int)], seed: UInt64 = 1) -> PlainPhotos {
    PlainPhotos(
      images: sizes.enumerated().map { index, size in
        noiseImage(width: size.0, height: size.1, channelCount: 1, seed: seed + UInt64(index))
      })
  }

  var count: Int { images.count }

  func name(at index: Int) -> String { "photo \(index)" }

  func annotations(at index: Int) -> [Annotation] { index < boxes.count ? boxes[index] : [] }

  func image(at index: Int) throws -> ByteImage {
    if broken.contains(index) { throw InputError(source: name(at: index), problem: "is broken") }
    return images[index]
  }

  func photo(at index: Int) throws -> TrainingPhoto {
    TrainingPhoto(
      try image(at: index), damage: cut.contains(index) ? "is cut short: rows from 3 on are grey" : nil)
  }

  func copies(at index: Int) -> Int? { copyCounts[index] }

  func allowsNegatives(at index: Int) -> Bool { !barred.contains(index) }

  func origin(at index: Int) -> FileLine? { FileLine(file: "list.txt", line: index + 1) }
}

func target(_ x: Double, _ y: Double, _ width: Double, _ height: Double, isIgnored: Bool = false) -> Annotation {
  Annotation(box: Box(x: x, y: y, width: width, height: height), label: "object", isIgnored: isIgnored)
}
