import Execution
import Geometry
import Imaging
import Synchronization
import TestSupport
import Testing

@testable import Detection

@Suite("Negative windows")
struct NegativeWindowsTests {
  private func options(_ width: Int, _ height: Int) -> NegativeWindowOptions {
    NegativeWindowOptions(windowSize: PixelSize(width: width, height: height))
  }

  private struct Key: Hashable {
    var photo: Int
    var place: NegativeWindow.Place
  }

  /// Every window that the lattice holds, found the slow way: every place of every level, every object.
  private func oracle(
    _ photos: PlainPhotos, _ options: NegativeWindowOptions, region: (Box) -> Box = { $0 }
  ) -> Set<Key> {
    var keys: Set<Key> = []
    for photo in 0..<photos.count where photos.allowsNegatives(at: photo) {
      let size = photos.images[photo].size
      for (index, level) in options.levels(of: size).enumerated() {
        for y in stride(from: 0, through: level.size.height - options.windowSize.height, by: options.stride) {
          for x in stride(from: 0, through: level.size.width - options.windowSize.width, by: options.stride) {
            let window = Box(
              x: Double(x), y: Double(y), width: Double(options.windowSize.width),
              height: Double(options.windowSize.height))
            let isFree = photos.annotations(at: photo).allSatisfy { annotation in
              let box = level.fromImage(annotation.box)
              let own = level.fromImage(region(annotation.box))
              if options.overlapLimit == 0 {
                return window.intersectionArea(box) == 0
                  && (annotation.isIgnored || window.intersectionArea(own) == 0)
              }
              return annotation.isIgnored
                ? window.coveredShare(by: box) < options.overlapLimit
                : window.intersectionOverUnion(own) < options.overlapLimit
            }
            if isFree {
              keys.insert(
                Key(photo: photo, place: .init(level: Int32(index), x: Int32(x), y: Int32(y))))
            }
          }
        }
      }
    }
    return keys
  }

  private func all(_ windows: NegativeWindows, threads: Int = 2) throws -> NegativeHarvest {
    try windows.harvest(windows.count + 5, from: 0, executor: ParallelExecutor(threadCount: threads)) {
      Array($0.windows.indices)
    }
  }

  @Test("One photo of 66 x 28, a window of 19 x 14, levels of 1.2, by hand")
  func byHand() throws {
    // Levels 66 x 28, 55 x 23, 46 x 19, 38 x 16, 32 x 14; the next, 27 x 11, is too low.
    let wanted = 48 * 15 + 37 * 10 + 28 * 6 + 20 * 3 + 14 * 1
    let windows = try NegativeWindows(try OpenedPhotos(PlainPhotos.noise([(66, 28)])), options: options(19, 14))
    #expect(wanted == 1332 && windows.count == wanted)
    let harvest = try windows.harvest(10_000, from: 0) { Array($0.windows.indices) }
    #expect(harvest.sources.count == 1332 && harvest.visited == 1332)
    #expect(harvest.isExhausted && harvest.cursor == 1332 && harvest.acceptance == 1)
    #expect(Set(harvest.sources.map(\.place)).count == 1332)
    var coarse = options(19, 14)
    coarse.stride = 5
    coarse.scaleFactor = 2
    // 66 x 28: 10 columns (0, 5, … 45), 3 rows; 33 x 14: 3 columns, 1 row.
    #expect(try NegativeWindows(try OpenedPhotos(PlainPhotos.noise([(66, 28)])), options: coarse).count == 33)
  }

  @Test("An object in the middle bars what touches it, by hand")
  func barredByHand() throws {
    var photos = PlainPhotos.noise([(20, 10)])
    photos.boxes = [[target(8, 4, 4, 2)]]
    var options = options(4, 4)
    options.scaleFactor = 16
    // 17 x 7 places; columns 5...11 and rows 1...5 touch the box.
    #expect(try NegativeWindows(try OpenedPhotos(photos), options: options).count == 17 * 7 - 7 * 5)
    photos.boxes = [[target(8, 4, 4, 2, isIgnored: true)]]
    #expect(try NegativeWindows(try OpenedPhotos(photos), options: options).count == 17 * 7 - 7 * 5)
    options.overlapLimit = 0.5
    // Of 16 pixels of a window at least 8 must lie in the box, which has 8: only where it lies wholly in it, one column, 3 rows.
    #expect(try NegativeWindows(try OpenedPhotos(photos), options: options).count == 17 * 7 - 1 * 3)
    photos.barred = [0]
    #expect(try NegativeWindows(try OpenedPhotos(photos), options: options).count == 0)
  }

  @Test("Every window once, and no other, as the slow way finds them", arguments: testSeeds)
  func oracle(seed: UInt64) throws {
    var random = RandomStream(seed: seed, stream: 77)
    var sizes: [(Int, Int)] = []
    var boxes: [[Annotation]] = []
    for _ in 0..<4 {
      let (width, height) = (5 + random.index(below: 45), 5 + random.index(below: 45))
      sizes.append((width, height))
      boxes.append(
        (0..<random.index(below: 4)).map { _ in
          target(
            random.uniform(in: -6..<Double(width)).rounded(random.uniform() < 0.5 ? .down : .toNearestOrEven),
            random.uniform(in: -6..<Double(height)), random.uniform(in: 0.5..<20), random.uniform(in: 0.5..<20),
            isIgnored: random.uniform() < 0.4)
        })
    }
    var photos = PlainPhotos.noise(sizes, seed: seed)
    photos.boxes = boxes
    photos.barred = seed % 2 == 0 ? [1] : []
    var options = options(4 + random.index(below: 8), 4 + random.index(below: 8))
    options.scaleFactor = random.uniform(in: 1.1..<2)
    options.stride = 1 + random.index(below: 3)
    options.overlapLimit = [0, 0.2, 0.5][random.index(below: 3)]
    options.seed = seed
    var positives = PositiveSampleOptions(windowSize: options.windowSize)
    positives.context = 1.2
    let windows = try NegativeWindows(try OpenedPhotos(photos), options: options, positives: positives)
    let wanted = oracle(photos, options) { positives.region(of: $0) }
    #expect(windows.count == wanted.count, "seed \(seed)")
    let harvest = try all(windows)
    let keys = harvest.sources.map { Key(photo: $0.photo, place: $0.place) }
    #expect(keys.count == wanted.count && Set(keys) == wanted, "seed \(seed)")
    #expect(harvest.sources.map(\.order) == Array(0..<windows.count), "seed \(seed)")
  }

  @Test("A window's pixels are those of the level that detection sees, cut or whole")
  func pixels() throws {
    let photos = PlainPhotos.noise([(50, 40), (31, 33)])
    let windows = try NegativeWindows(try OpenedPhotos(photos), options: options(9, 7))
    let few = try windows.harvest(20, from: 100) { Array($0.windows.indices) }
    let all = try all(windows)
    #expect(few.sources == Array(all.sources[100..<120]))
    for harvest in [few, all] {
      for (number, source) in harvest.sources.enumerated() {
        let level = windows.options.levels(of: photos.images[source.photo].size)[Int(source.place.level)]
        let wanted = photos.images[source.photo].resizedAsOpenCV(to: level.size).crop(
          x: Int(source.place.x), y: Int(source.place.y), width: 9, height: 7)
        #expect(Array(harvest.pixels[number * 63..<(number + 1) * 63]) == wanted.pixels)
      }
    }
  }

  @Test("The outcome is that of one window after the other, for any threads, batches and memory")
  func sequential() throws {
    let photos = PlainPhotos.noise([(50, 40), (31, 33), (60, 20), (8, 8)])
    let kept = try NegativeWindows(try OpenedPhotos(photos), options: options(9, 7))
    let read = try NegativeWindows(try OpenedPhotos(photos, memory: 0), options: options(9, 7))
    // Accepts by the pixels alone: about one in three.
    @Sendable func accepts(_ unit: NegativeUnit) -> [Int] {
      unit.windows.indices.filter { unit.image.pixels[unit.windows[$0].y * unit.image.width + unit.windows[$0].x] < 85 }
    }
    let everything = try kept.harvest(Int.max, from: 0, executor: .serial, accepts: accepts)
    #expect(everything.isExhausted && everything.visited == kept.count)
    for threads in [1, 2, 5] {
      for expected in [1, 0.3, 1e-4] {
        var cursor = 0
        var sources: [NegativeHarvest.Source] = []
        var pixels: [UInt8] = []
        while sources.count < 300 {
          let part = try (threads == 2 ? read : kept).harvest(
            100, from: cursor, expectedAcceptance: expected, executor: ParallelExecutor(threadCount: threads),
            accepts: accepts)
          #expect(part.sources.count == 100 && part.visited == part.cursor - cursor)
          #expect(part.cursor == part.sources[99].order + 1)
          cursor = part.cursor
          sources += part.sources
          pixels += part.pixels
        }
        #expect(sources == Array(everything.sources[..<300]), "threads \(threads), expected \(expected)")
        #expect(pixels == Array(everything.pixels[..<(300 * 63)]))
      }
    }
  }

  @Test("A limit ends the visit; nothing accepted ends it too")
  func ends() throws {
    let windows = try NegativeWindows(try OpenedPhotos(PlainPhotos.noise([(66, 28)])), options: options(19, 14))
    let limited = try windows.harvest(5, from: 1000, limit: 100) { _ in [] }
    #expect(limited.visited == 100 && limited.cursor == 1100 && !limited.isExhausted && limited.acceptance == 0)
    let none = try windows.harvest(5, from: 1000) { _ in [] }
    #expect(none.visited == 332 && none.isExhausted && none.sources.isEmpty)
    let over = try windows.harvest(5, from: 1332) { Array($0.windows.indices) }
    #expect(over.visited == 0 && over.isExhausted && over.acceptance == nil)
    #expect(try windows.harvest(0, from: 3) { Array($0.windows.indices) }.cursor == 3)
  }

  @Test("Any stretch spreads over the photos as their windows do")
  func spread() throws {
    let photos = PlainPhotos.noise(Array(repeating: (40, 40), count: 10))
    let windows = try NegativeWindows(try OpenedPhotos(photos), options: options(8, 8))
    let part = try windows.harvest(1000, from: 500) { Array($0.windows.indices) }
    for photo in 0..<10 {
      let count = part.sources.count { $0.photo == photo }
      // 100 expected, standard deviation 9.5.
      #expect((60...140).contains(count), "photo \(photo): \(count)")
    }
    let first = part.sources.count { $0.place.level == 0 }
    let share = Double(33 * 33 * 10) / Double(windows.count)
    #expect(abs(Double(first) / 1000 - share) < 0.08)
    var other = options(8, 8)
    other.seed = 2
    let others = try NegativeWindows(try OpenedPhotos(photos), options: other)
    #expect(
      try others.harvest(50, from: 0) { Array($0.windows.indices) }.sources
        != all(windows).sources.prefix(50).map { $0 })
  }

  @Test("A photo that is there again counts once, and keeps clear of what any of its entries annotates")
  func repeatedPhotos() throws {
    var photos = PlainPhotos.noise([(30, 24), (26, 26), (22, 30)])
    let once = try NegativeWindows(try OpenedPhotos(photos), options: options(10, 10))
    photos.images += [photos.images[1], photos.images[0], photos.images[1]]
    let again = try NegativeWindows(try OpenedPhotos(photos), options: options(10, 10))
    #expect(again.count == once.count && again.summary.repeatedPhotos == 3)
    #expect(try all(again).sources == all(once).sources)
    let progress = RecordedProgress()
    again.tellLeftOut(to: progress)
    let warning = try #require(progress.warnings.first)
    #expect(progress.warnings.count == 1 && warning.contains("list.txt:4: photo 3 as list.txt:2: photo 1"))
    #expect(warning.contains("left out so that no window counts twice: 3 "))

    // An object that the second entry alone knows of.
    photos.boxes = [[], [], [], [target(0, 0, 26, 16)], [target(3, 3, 4, 4)], []]
    var plain = PlainPhotos(images: Array(photos.images[..<3]))
    plain.boxes = [[target(3, 3, 4, 4)], [target(0, 0, 26, 16)], []]
    let joined = try NegativeWindows(try OpenedPhotos(photos), options: options(10, 10))
    let annotated = try NegativeWindows(try OpenedPhotos(plain), options: options(10, 10))
    #expect(joined.count == annotated.count && joined.count < once.count)
    #expect(try all(joined).sources == all(annotated).sources)
    // Objects may be unlabelled in a photo, whichever entry says so.
    photos.barred = [5]
    plain.barred = [1]
    #expect(
      try NegativeWindows(try OpenedPhotos(photos), options: options(10, 10)).count
        == NegativeWindows(try OpenedPhotos(plain), options: options(10, 10)).count)
  }

  @Test("A photo that was cut short gives no windows, and is told")
  func cutPhotos() throws {
    var photos = PlainPhotos.noise([(30, 24), (26, 26)])
    photos.cut = [0]
    let windows = try NegativeWindows(try OpenedPhotos(photos), options: options(10, 10))
    let alone = try NegativeWindows(
      try OpenedPhotos(PlainPhotos(images: [photos.images[1]])), options: options(10, 10))
    #expect(windows.count == alone.count && windows.summary.damagedPhotos == 1)
    let progress = RecordedProgress()
    windows.tellLeftOut(to: progress)
    #expect(progress.warnings.count == 1 && progress.warnings[0].contains("cut short"))
    photos.cut = [0, 1]
    let error = try #require(throws: InputError.self) {
      try NegativeWindows(try OpenedPhotos(photos), options: options(10, 10)).requireWindows()
    }
    #expect(error.found?.contains("2 that are damaged or were cut short") ?? false)
  }

  @Test("Limits that leave no window are named, be they beyond every photo or against themselves")
  func limits() throws {
    var limited = options(10, 10)
    limited.smallestWindow = PixelSize(width: 100_000, height: 100_000)
    let photos = try OpenedPhotos(PlainPhotos.noise([(60, 50), (70, 60), (9, 9)]))
    var error = try #require(throws: InputError.self) {
      try NegativeWindows(photos, options: limited).requireWindows()
    }
    #expect(
      error.found
        == "3 photos, 1 of them smaller than the window, 2 without a window of at least 100000 x 100000 (smallestWindow) "
        + "(the largest is 70 x 60)")
    #expect(error.hint?.contains("limits") ?? false)
    // No level of a photo has windows between these two.
    limited.smallestWindow = PixelSize(width: 21, height: 21)
    limited.largestWindow = PixelSize(width: 21, height: 21)
    limited.scaleFactor = 2
    error = try #require(throws: InputError.self) { try NegativeWindows(photos, options: limited).requireWindows() }
    #expect(error.found?.contains("at least 21 x 21 (smallestWindow) and of at most 21 x 21 (largestWindow)") ?? false)
    for (smallest, largest) in [(nil, 3), (nil, 9), (30, 20)] as [(Int?, Int)] {
      limited.smallestWindow = smallest.map { PixelSize(width: $0, height: $0) }
      limited.largestWindow = PixelSize(width: largest, height: largest)
      error = try #require(throws: InputError.self) { try NegativeWindows(photos, options: limited) }
      #expect(error.field == "largestWindow" && error.found == "\(largest) x \(largest)")
      #expect(error.expected?.hasPrefix("at least \(smallest ?? 10) x ") ?? false)
    }
  }

  @Test("A photo of the positives that is among the negatives by another name keeps its objects out of them")
  func borrowedObjects() throws {
    var positives = PlainPhotos.noise([(30, 24), (26, 26)], seed: 3)
    positives.boxes = [[target(8, 6, 7, 9)], [target(3, 3, 8, 8, isIgnored: true)]]
    // The first again without annotations, one that is no positive, and the second with its own.
    var negatives = PlainPhotos(
      images: [positives.images[0], noiseImage(width: 28, height: 22, channelCount: 1, seed: 40), positives.images[1]])
    negatives.boxes = [[], [], positives.boxes[1]]
    var annotated = negatives
    annotated.boxes[0] = positives.boxes[0]
    let objects = try OpenedPhotos(positives)
    let windows = try NegativeWindows(
      try OpenedPhotos(negatives), options: options(6, 6), objects: objects)
    let wanted = try NegativeWindows(try OpenedPhotos(annotated), options: options(6, 6))
    let plain = try NegativeWindows(try OpenedPhotos(negatives), options: options(6, 6))
    #expect(windows.count == wanted.count && windows.count < plain.count)
    let harvest = try all(windows)
    #expect(try harvest.sources == all(wanted).sources)
    let progress = RecordedProgress()
    windows.tellLeftOut(to: progress)
    #expect(progress.warnings.count == 1)
    #expect(
      progress.warnings.first?.hasSuffix("keep clear of them: 1 (list.txt:1: photo 0 as list.txt:1: photo 0)") ?? false)
    // Where objects may be unlabelled, whoever says so.
    positives.barred = [0]
    let barred = try NegativeWindows(
      try OpenedPhotos(negatives), options: options(6, 6), objects: try OpenedPhotos(positives))
    #expect(barred.summary.barredPhotos == 1)
  }

  @Test("A window larger than every photo, and photos full of objects: no windows, and why")
  func noWindows() throws {
    var photos = PlainPhotos.noise([(30, 10), (25, 12), (40, 40)])
    photos.boxes = [[], [], [target(0, 0, 40, 40)]]
    let windows = try NegativeWindows(try OpenedPhotos(photos), options: options(20, 20))
    #expect(windows.count == 0)
    let error = try #require(throws: InputError.self) { try windows.requireWindows() }
    #expect(
      error.found
        == "3 photos, 2 of them smaller than the window, 1 without a place clear of objects (the largest is 40 x 40)")
    let harvest = try windows.harvest(10, from: 0) { Array($0.windows.indices) }
    #expect(harvest.isExhausted && harvest.sources.isEmpty && harvest.visited == 0)
  }

  @Test("A photo that changes behind the training's back is told")
  func changed() throws {
    final class Changing: TrainingImageSource {
      let calls = LockedCount()
      let count = 1
      func name(at index: Int) -> String { "photo" }
      func annotations(at index: Int) -> [Annotation] { [] }
      func image(at index: Int) throws -> ByteImage {
        noiseImage(width: 20 + calls.next(), height: 20, channelCount: 1, seed: 1)
      }
    }
    let windows = try NegativeWindows(try OpenedPhotos(Changing(), memory: 0), options: options(8, 8))
    let error = try #require(throws: InputError.self) { try windows.harvest(1, from: 0) { _ in [] } }
    #expect(error.problem == "has changed since it was opened")
  }

  @Test("The order holds every number once", arguments: [0, 1, 2, 3, 4, 5, 7, 8, 9, 64, 65, 1332, 4097])
  func permutation(count: Int) {
    for seed in testSeeds {
      let order = IndexPermutation(count: count, seed: seed)
      #expect(Set((0..<count).map { order($0) }).count == count)
      #expect((0..<count).allSatisfy { (0..<count).contains(order($0)) })
    }
    if count > 1000 {
      let order = IndexPermutation(count: count, seed: 1)
      // Places and numbers are not correlated: within four standard deviations.
      let mean = Double(count - 1) / 2
      let covariance = (0..<count).reduce(0.0) { $0 + (Double($1) - mean) * (Double(order($1)) - mean) }
      let variance = (0..<count).reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
      #expect(abs(covariance / variance) < 4 / Double(count).squareRoot())
    }
  }
}

/// Counts calls from any thread, from 0.
final class LockedCount: Sendable {
  private let value = Mutex(0)
  func next() -> Int {
    value.withLock {
      $0 += 1
      return $0 - 1
    }
  }
}
