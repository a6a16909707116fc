import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@testable import Detection

@Suite("Positive samples")
struct PositiveSamplesTests {
  private func options(_ width: Int, _ height: Int) -> PositiveSampleOptions {
    PositiveSampleOptions(windowSize: PixelSize(width: width, height: height))
  }

  @Test("How a box of 40 x 10 about (50, 20) fits a window of 20 x 20, by hand")
  func fits() {
    var options = options(20, 20)
    let box = Box(x: 30, y: 15, width: 40, height: 10)
    let wanted: [PositiveSampleOptions.Fit: Box] = [
      .area: Box(x: 40, y: 10, width: 20, height: 20), .width: Box(x: 30, y: 0, width: 40, height: 40),
      .height: Box(x: 45, y: 15, width: 10, height: 10), .cover: Box(x: 30, y: 0, width: 40, height: 40),
      .stretch: box,
    ]
    for (fit, region) in wanted {
      options.fit = fit
      #expect(options.region(of: box) == region, "\(fit)")
    }
    options.fit = .area
    options.context = 1.5
    #expect(options.region(of: box) == Box(x: 35, y: 5, width: 30, height: 30))
  }

  @Test("A window of the box's own size is the photo's pixels; its mirror is mirrored")
  func plainCut() throws {
    var photos = PlainPhotos.noise([(30, 20)])
    photos.boxes = [[target(3, 4, 10, 8)]]
    var options = options(10, 8)
    options.mirrors = true
    let samples = try AnnotatedPositives(try OpenedPhotos(photos), options: options)
    #expect(samples.count == 2 && samples.objectCount == 1)
    let cut = photos.images[0].crop(x: 3, y: 4, width: 10, height: 8)
    #expect(try samples.sample(at: 0) == cut)
    #expect(try samples.sample(at: 1) == cut.mirrored())
    #expect(samples.name(at: 1) == "photo 0#0 mirrored")
  }

  @Test("Objects that give no sample, and why")
  func leftOut() throws {
    var photos = PlainPhotos.noise([(40, 40), (40, 40)])
    photos.boxes = [
      [
        target(0, 0, 20, 20), target(5, 5, 15, 15), target(30, 0, 20, 20), target(31, 0, 20, 20),
        target(60, 60, 20, 20), target(1, 1, 0, 20), target(.nan, 1, 20, 20), target(2, 2, 20, 20, isIgnored: true),
      ],
      [Annotation(box: Box(x: 0, y: 0, width: 30, height: 30), label: "other"), target(0, 0, 16, 16)],
    ]
    let samples = try AnnotatedPositives(try OpenedPhotos(photos), options: options(20, 20), labels: ["object"])
    // 15 and 20 / 1.25 = 16: the first is too small, the second just is not.
    #expect(samples.objectCount == 3)
    #expect(
      samples.leftOut.map(\.reason) == [.tooSmall, .outside, .outside, .empty, .empty, .otherLabel])
    #expect(
      AnnotatedPositives.reasons(samples.leftOut)
        == "2 without area, 2 outside the photo, 1 too small, 1 with another label")
  }

  @Test("No object: an error that counts what there was")
  func none() throws {
    var photos = PlainPhotos.noise([(40, 40)])
    photos.boxes = [[target(0, 0, 5, 5), target(0, 0, 20, 20, isIgnored: true)]]
    let error = try #require(throws: InputError.self) {
      try AnnotatedPositives(try OpenedPhotos(photos), options: options(20, 20))
    }
    #expect(error.found == "1 photos, of whose objects none can be used: 1 too small")
    #expect(error.hint == "take a smaller window, or enlarge objects more than 1.25 times")
    let labels = try #require(throws: InputError.self) {
      try AnnotatedPositives(try OpenedPhotos(photos), options: options(5, 5), labels: ["cat"])
    }
    #expect(labels.hint == "asked for cat; there are object")
  }

  @Test("A box that sticks out is filled with the border's pixels")
  func border() throws {
    var photos = PlainPhotos.noise([(12, 12)])
    photos.boxes = [[target(-4, -2, 10, 8)]]
    var options = options(10, 8)
    options.leastVisibleShare = 0.1
    let sample = try AnnotatedPositives(try OpenedPhotos(photos), options: options).sample(at: 0)
    #expect(sample == photos.images[0].crop(x: -4, y: -2, width: 10, height: 8))
  }

  @Test("Shrinking averages: a fine chequer becomes grey, turned or not")
  func antialiased() throws {
    let board = ByteImage(
      width: 96, height: 96, channelCount: 1, pixels: (0..<96 * 96).map { ($0 / 96 + $0) % 2 == 0 ? 0 : 255 })
    var photos = PlainPhotos(images: [board])
    photos.boxes = [[target(16, 16, 64, 64)]]
    var options = options(8, 8)
    options.copies = 6
    options.jitterRotation = 20
    let samples = try AnnotatedPositives(try OpenedPhotos(photos), options: options)
    for index in 0..<samples.count {
      #expect(
        try samples.sample(at: index).pixels.allSatisfy { abs(Int($0) - 127) <= 30 }, "\(samples.name(at: index))")
    }
  }

  @Test("Objects, mirrors and copies: counts, order, and all different")
  func copies() throws {
    var photos = PlainPhotos.noise([(60, 60), (60, 60), (60, 60)])
    photos.boxes = [
      [target(10, 10, 20, 20), target(30, 30, 20, 20)], [target(20, 20, 24, 24)], [target(5, 5, 30, 30)],
    ]
    photos.copyCounts = [1: 0, 2: 5]
    var options = options(20, 20)
    options.mirrors = true
    options.copies = 3
    let opened = try OpenedPhotos(photos)
    let samples = try AnnotatedPositives(opened, options: options)
    // 4 objects, twice, and 3 + 3 + 0 + 5 copies.
    #expect(samples.count == 19 && samples.objectCount == 4)
    #expect(Set((0..<4).map { samples.name(at: $0) }) == ["photo 0#0", "photo 0#1", "photo 1#0", "photo 2#0"])
    #expect((4..<8).allSatisfy { samples.name(at: $0).hasSuffix(" mirrored") })
    #expect(samples.name(at: 18) == "photo 2#0 copy 5")
    let all = try samples.samples(at: Array(0..<19), executor: ParallelExecutor(threadCount: 4))
    let length = 400
    #expect(Set((0..<19).map { Array(all[$0 * length..<($0 + 1) * length]) }).count == 19)
    for index in 0..<19 {
      #expect(try samples.sample(at: index).pixels == Array(all[index * length..<(index + 1) * length]))
    }
    let some = [7, 0, 18, 7]
    let part = try samples.samples(at: some, executor: .serial)
    for (number, index) in some.enumerated() {
      #expect(part[number * length..<(number + 1) * length] == all[index * length..<(index + 1) * length])
    }
    var other = options
    other.seed = 2
    let others = try AnnotatedPositives(opened, options: other)
    #expect(
      try others.samples(at: Array(8..<19), executor: .serial) != samples.samples(at: Array(8..<19), executor: .serial))
  }

  @Test("Jitter stays within its bounds", arguments: testSeeds)
  func jitterBounds(seed: UInt64) {
    var options = options(20, 20)
    options.jitterShift = 0.1
    options.jitterScale = 0.25
    options.jitterRotation = 7
    var random = RandomStream(seed: seed)
    var mirrored = 0
    for _ in 0..<500 {
      let jitter = PositiveJitter(options, using: &random)
      let region = jitter.apply(to: Box(x: 100, y: 100, width: 40, height: 40))
      #expect(abs(region.center.x - 120) <= 4 && abs(region.center.y - 120) <= 4, "seed \(seed)")
      #expect(region.width >= 40 / 1.25 - 1e-9 && region.width <= 40 * 1.25 + 1e-9, "seed \(seed)")
      #expect(abs(jitter.rotation) <= 7 * Double.pi / 180)
      mirrored += jitter.isMirrored ? 1 : 0
    }
    #expect(mirrored == 0)
  }

  @Test("Options that cannot be used are named")
  func validation() {
    func field(_ change: (inout PositiveSampleOptions) -> Void) -> String? {
      var changed = options(20, 20)
      change(&changed)
      do {
        try changed.validate()
        return nil
      } catch { return (error as? InputError)?.field }
    }
    #expect(field { _ in } == nil)
    #expect(field { $0.windowSize.width = 0 } == "windowSize")
    #expect(field { $0.windowSize.height = 100_000 } == "windowSize")
    #expect(field { $0.context = .nan } == "context")
    #expect(field { $0.largestEnlargement = 0 } == "largestEnlargement")
    #expect(field { $0.leastVisibleShare = 1.5 } == "leastVisibleShare")
    #expect(field { $0.copies = -1 } == "copies")
    #expect(field { $0.jitterScale = -0.1 } == "jitterScale")
    #expect(field { $0.jitterRotation = 181 } == "jitterRotation")
  }

  @Test("Boxes without measure: left out with their line; large ones that are not are cut within the photo's bounds")
  func hugeBoxes() throws {
    var photos = PlainPhotos.noise([(80, 60), (80, 60)])
    photos.boxes = [
      [
        target(-1e6, -1e6, 2e6, 2e6), target(-1e12, -1e12, 2e12, 2e12), target(0, 0, 1e300, 5), target(0, 0, 5, 1e200),
        target(-1e5, 0, 2e5, 50),
      ], [target(-3000, -2500, 6000, 5000), target(10, 10, 30, 30)],
    ]
    for fit in PositiveSampleOptions.Fit.allCases {
      var options = PositiveSampleOptions(windowSize: PixelSize(width: 8, height: 8))
      options.fit = fit
      options.leastVisibleShare = 0
      options.largestEnlargement = 100
      options.copies = 3
      options.jitterTiltX = 60
      options.jitterTiltY = 60
      for rotation in [0.0, 20] {
        options.jitterRotation = rotation
        let samples = try AnnotatedPositives(try OpenedPhotos(photos), options: options)
        let far = samples.leftOut.filter { $0.reason == .tooLarge }
        let origin = FileLine(file: "list.txt", line: 1)
        #expect(far.contains { $0.box.width == 2e12 } && far.allSatisfy { $0.origin == origin }, "\(fit)")
        #expect(samples.leftOut.allSatisfy { $0.box.width != 6000 && $0.box.width != 30 })
        let all = Array(0..<samples.count)
        #expect(try samples.samples(at: all, executor: .serial).count == 64 * samples.count)
      }
    }
    photos.boxes = [[target(-1e6, -1e6, 2e6, 2e6)]]
    var options = PositiveSampleOptions(windowSize: PixelSize(width: 8, height: 8))
    options.leastVisibleShare = 0
    let error = try #require(throws: InputError.self) {
      try AnnotatedPositives(try OpenedPhotos(photos), options: options)
    }
    #expect(error.description.contains("1 far larger than the photo") && error.description.contains("list.txt:1"))
  }
}
