import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@testable import Detection

@Suite("Samples of pictures")
struct PicturePositivesTests {
  private func options(_ width: Int, _ height: Int) -> PositiveSampleOptions {
    var options = PositiveSampleOptions(windowSize: PixelSize(width: width, height: height))
    options.fit = .cover
    options.jitterShift = 0
    options.jitterScale = 0
    options.jitterRotation = 0
    return options
  }

  private func picture(_ width: Int, _ height: Int, seed: UInt64 = 1) -> PicturePositives.Picture {
    .init(name: "p\(seed)", cutOut: CutOut(noiseImage(width: width, height: height, channelCount: 1, seed: seed)))
  }

  @Test("Not turned, of the window's shape: the picture itself; otherwise its rest shows the ground")
  func plain() throws {
    let own = try PicturePositives([picture(10, 8)], count: 3, options: options(10, 8))
    for index in 0..<3 { #expect(try own.sample(at: index) == picture(10, 8).cutOut.image) }
    let wide = try PicturePositives([picture(10, 4)], count: 1, level: 200, options: options(10, 8))
    let sample = try wide.sample(at: 0)
    #expect(sample.crop(x: 0, y: 2, width: 10, height: 4) == picture(10, 4).cutOut.image)
    #expect(Set(sample.crop(x: 0, y: 0, width: 10, height: 2).pixels) == [200])
    #expect(Set(sample.crop(x: 0, y: 6, width: 10, height: 2).pixels) == [200])
  }

  @Test("One by one, together, on any threads: the same; backgrounds differ until all are used")
  func sameHowever() throws {
    let photos = try OpenedPhotos(PlainPhotos.noise([(16, 12), (14, 14)]))
    let lattice = NegativeWindowOptions(windowSize: PixelSize(width: 12, height: 10))
    let grounds = try NegativeWindows(photos, options: lattice)
    // Levels 16 x 12, 13 x 10; 14 x 14, 12 x 12.
    #expect(grounds.count == 5 * 3 + 2 + 3 * 5 + 3)
    var options = options(12, 10)
    options.jitterShift = 0.2
    options.jitterScale = 0.2
    options.jitterRotation = 30
    options.jitterTiltX = 60
    options.jitterTiltY = 60
    options.jitterIntensity = 40
    options.inversion = .random
    options.mirrors = true
    // Nearly all of the window is ground: a speck of a picture.
    options.context = 10
    let samples = try PicturePositives(
      [picture(9, 9), picture(20, 5, seed: 2)], count: 70, backgrounds: grounds, options: options)
    let all = try samples.samples(at: Array(0..<70), executor: ParallelExecutor(threadCount: 4))
    #expect(try samples.samples(at: Array(0..<70), executor: .serial) == all)
    let each = try (0..<70).map { try samples.sample(at: $0).pixels }
    #expect(each.flatMap { $0 } == all)
    #expect(try samples.samples(at: [69, 3, 3], executor: .serial) == each[69] + each[3] + each[3])
    // Corners are ground.
    let corners = (0..<70).map { each[$0][0] }
    let own = try grounds.harvest(35, from: 0) { Array($0.windows.indices) }
    #expect((0..<70).allSatisfy { corners[$0] == own.pixels[$0 % 35 * 120] })
    #expect(samples.name(at: 3) == "p2#3")
  }

  @Test("Turned far, all of it is shown where that is asked for", arguments: testSeeds)
  func whole(seed: UInt64) throws {
    var options = options(40, 40)
    options.jitterRotation = 180
    options.jitterTiltX = 60
    options.jitterTiltY = 60
    options.seed = seed
    let white = PicturePositives.Picture(
      name: "white", cutOut: CutOut(ByteImage(width: 60, height: 60, channelCount: 1, filledWith: 255)))
    func border(_ image: ByteImage) -> Int {
      (0..<40).count { image.pixels[$0] > 0 } + (0..<40).count { image.pixels[39 * 40 + $0] > 0 }
        + (0..<40).count { image.pixels[$0 * 40] > 0 } + (0..<40).count { image.pixels[$0 * 40 + 39] > 0 }
    }
    options.context = 1.1
    let whole = try PicturePositives([white], count: 20, level: 0, options: options, showsWhole: true)
    let cut = try PicturePositives([white], count: 20, level: 0, options: options)
    for index in 0..<20 {
      #expect(border(try whole.sample(at: index)) == 0, "seed \(seed)")
      #expect(try whole.sample(at: index).pixels.contains(255))
    }
    #expect(try (0..<20).contains { border(try cut.sample(at: $0)) > 0 })
  }

  @Test("Tilted copies of annotated objects: one colour stays, patterns change, indices give the same")
  func tiltedCopies() throws {
    var photos = PlainPhotos.noise([(80, 60), (80, 60)])
    photos.images[1] = ByteImage(width: 80, height: 60, channelCount: 1, filledWith: 77)
    photos.boxes = [[target(20, 20, 24, 24)], [target(70, 50, 18, 18)]]
    var options = PositiveSampleOptions(windowSize: PixelSize(width: 20, height: 20))
    options.copies = 10
    options.jitterTiltX = 75
    options.jitterTiltY = 75
    options.leastVisibleShare = 0
    let opened = try OpenedPhotos(photos)
    let samples = try AnnotatedPositives(opened, options: options)
    let indices = Array(0..<samples.count)
    let all = try samples.samples(at: indices, executor: ParallelExecutor(threadCount: 3))
    var noise: Set<[UInt8]> = []
    for index in indices {
      let sample = try samples.sample(at: index)
      #expect(sample.pixels == Array(all[index * 400..<(index + 1) * 400]))
      if samples.name(at: index).hasPrefix("photo 1") {
        #expect(Set(sample.pixels) == [77])
      } else {
        noise.insert(sample.pixels)
      }
    }
    #expect(noise.count == 11)
    #expect(
      samples.inFileOrder(indices).map { samples.name(at: $0) }.prefix(3) == [
        "photo 0#0", "photo 0#0 copy 1", "photo 0#0 copy 2",
      ])
  }

  @Test("Intensity and negatives: of copies by their limits, of all where always")
  func tones() throws {
    var photos = PlainPhotos(images: [ByteImage(width: 40, height: 40, channelCount: 1, filledWith: 100)])
    photos.boxes = [[target(5, 5, 20, 20)]]
    var options = PositiveSampleOptions(windowSize: PixelSize(width: 20, height: 20))
    options.copies = 40
    options.jitterIntensity = 30
    func levels() throws -> [UInt8] {
      let samples = try AnnotatedPositives(try OpenedPhotos(photos), options: options)
      return try (0..<samples.count).map { try samples.sample(at: $0).pixels[0] }
    }
    var found = try levels()
    #expect(found[0] == 100 && found.allSatisfy { (70...130).contains($0) } && Set(found).count > 15)
    options.inversion = .always
    #expect(try levels() == found.map { 255 - $0 })
    options.jitterIntensity = 0
    options.inversion = .random
    found = try levels()
    #expect(found[0] == 100 && Set(found) == [100, 155])
    #expect((10...30).contains(found.count { $0 == 155 }))
  }
}
