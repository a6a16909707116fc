import Execution
import Geometry
import Imaging

extension NegativeWindows {
  /// The most windows that are looked at together: 16 bytes of memory each while they are sorted, then 8.
  public static let largestBatch = 1 << 23

  /// The windows of one batch, by photo.
  struct Batch: Sendable {
    /// Place in the order of the batch's first window.
    let start: Int
    /// For each window its number in its photo and, in the low bits, its place in the batch; those of a photo together.
    let keys: [UInt64]
    /// Where each photo's windows begin in `keys`, and the count at the end.
    let photoStarts: [Int]

    static let orderBits: UInt64 = 24
  }

  /// Sorts a stretch of the order by photo.
  ///
  /// - Complexity: O(windows), on all threads.
  func batch(_ range: Range<Int>, executor: ParallelExecutor) -> Batch {
    precondition(range.count <= NegativeWindows.largestBatch && range.upperBound <= count)
    let photoCount = photos.count
    // The chunks are cut by the batch's size alone; 32 keep any machine busy, and their tables small.
    let chunkSize = max(1 << 12, (range.count + 31) / 32)
    let chunks = stride(from: 0, to: range.count, by: chunkSize).map { $0..<min(range.count, $0 + chunkSize) }
    // The order is dear: it is asked for once.
    let counted = executor.map(chunks.count) { chunk -> (numbers: [Int], photos: [Int32]) in
      let numbers = chunks[chunk].map { order(range.lowerBound + $0) }
      var table = [Int32](repeating: 0, count: photoCount)
      for number in numbers { table[photo(of: number)] += 1 }
      return (numbers, table)
    }
    var photoStarts = [Int](repeating: 0, count: photoCount + 1)
    var chunkStarts = counted.map { _ in [Int](repeating: 0, count: photoCount) }
    var total = 0
    for photo in 0..<photoCount {
      photoStarts[photo] = total
      for chunk in counted.indices {
        chunkStarts[chunk][photo] = total
        total += Int(counted[chunk].photos[photo])
      }
    }
    photoStarts[photoCount] = total
    let firsts = chunkStarts
    let keys = [UInt64](unsafeUninitializedCapacity: range.count) { buffer, filled in
      let target = DisjointBuffer(buffer)
      executor.forEach(chunks.count) { (chunk: Int) -> Void in
        var next = firsts[chunk]
        for (number, offset) in zip(counted[chunk].numbers, chunks[chunk]) {
          let photo = photo(of: number)
          (target.base + next[photo]).initialize(
            to: UInt64(number - starts[photo]) << Batch.orderBits | UInt64(offset))
          next[photo] += 1
        }
      }
      filled = range.count
    }
    return Batch(start: range.lowerBound, keys: keys, photoStarts: photoStarts)
  }

  /// The photo that a window's number lies in.
  private func photo(of number: Int) -> Int {
    guide.withUnsafeBufferPointer { guide in
      starts.withUnsafeBufferPointer { starts in
        var photo = Int(guide[number >> guideShift])
        while starts[photo + 1] <= number { photo += 1 }
        return photo
      }
    }
  }

  /// For each stretch of `1 << shift` windows the photo of the first, with about eight stretches a photo: a search among all
  /// photos for each of millions of windows takes longer than to look at most of them.
  static func guide(_ starts: [Int]) -> (photos: [Int32], shift: Int) {
    let count = starts[starts.count - 1]
    var shift = 0
    while count >> shift > 8 * starts.count { shift += 1 }
    var photos: [Int32] = []
    var photo = 0
    for number in stride(from: 0, to: count, by: 1 << shift) {
      while starts[photo + 1] <= number { photo += 1 }
      photos.append(Int32(photo))
    }
    return (photos, shift)
  }

  /// Hands the windows of one photo of a batch to `body`, in units.
  ///
  /// - Parameter limit: windows whose place in the order is this or later are passed over.
  func forEachUnit(of photo: Int, in batch: Batch, before limit: Int, _ body: (NegativeUnit) throws -> Void) throws {
    var keys = Array(batch.keys[batch.photoStarts[photo]..<batch.photoStarts[photo + 1]])
    let mask = (UInt64(1) << Batch.orderBits) - 1
    if limit < batch.start + batch.keys.count { keys.removeAll { batch.start + Int($0 & mask) >= limit } }
    guard !keys.isEmpty else { return }
    keys.sort()
    let grey = try photos.grey(at: photo)
    let levels = self.levels(of: photo)
    let (width, height) = (options.windowSize.width, options.windowSize.height)
    var sheet = WindowSheet(windowSize: options.windowSize)
    var next = 0
    var first = 0
    for (index, level) in levels.enumerated() {
      let end = first + levelCounts[levelStarts[photo] + index]
      let begin = next
      while next < keys.count, Int(keys[next] >> Batch.orderBits) < end { next += 1 }
      let origin = first
      first = end
      guard next > begin else { continue }
      var windows: [NegativeWindow] = []
      windows.reserveCapacity(next - begin)
      var at = begin
      level.places(keys[begin..<next].lazy.map { Int($0 >> Batch.orderBits) - origin }) { x, y in
        windows.append(
          NegativeWindow(
            x: x, y: y, order: batch.start + Int(keys[at] & mask),
            place: .init(level: Int32(index), x: Int32(x), y: Int32(y))))
        at += 1
      }
      // Cutting a window costs about twice its pixels of a level; below that, and with few enough to hold, they are cut.
      if 2 * windows.count * width * height < level.level.size.width * level.level.size.height {
        for window in windows {
          let part = grey.resizedAsOpenCV(
            to: level.level.size, columns: window.x..<window.x + width, rows: window.y..<window.y + height)
          sheet.add(part, window)
        }
        if sheet.isFull { try body(sheet.take(photo: photo)) }
      } else {
        try body(
          NegativeUnit(photo: photo, image: grey.resizedAsOpenCV(to: level.level.size), windows: windows))
      }
    }
    if !sheet.isEmpty { try body(sheet.take(photo: photo)) }
  }
}

/// Windows cut from several levels, one below the other.
private struct WindowSheet {
  let windowSize: PixelSize
  private var pixels: [UInt8] = []
  private var windows: [NegativeWindow] = []

  init(windowSize: PixelSize) { self.windowSize = windowSize }

  var isEmpty: Bool { windows.isEmpty }

  /// A sheet larger than a large photo is handed on.
  var isFull: Bool { pixels.count > 1 << 22 }

  mutating func add(_ image: ByteImage, _ window: NegativeWindow) {
    var window = window
    window.x = 0
    window.y = windows.count * windowSize.height
    windows.append(window)
    pixels += image.pixels
  }

  mutating func take(photo: Int) -> NegativeUnit {
    let image = ByteImage(
      width: windowSize.width, height: windows.count * windowSize.height, channelCount: 1, pixels: pixels)
    let unit = NegativeUnit(photo: photo, image: image, windows: windows)
    pixels.removeAll(keepingCapacity: true)
    windows.removeAll(keepingCapacity: true)
    return unit
  }
}
