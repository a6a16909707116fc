import Execution
import Features
import Foundation
import Geometry
import Imaging
import Testing

@testable import Detection

@Suite struct HOGAugmentationTests {
  private func picture(width: Int = 41, height: Int = 33, channels: Int = 1) -> ByteImage {
    var random = RandomStream(seed: 3)
    return ByteImage(
      width: width, height: height, channelCount: channels,
      pixels: (0..<width * height * channels).map { _ in UInt8(random.index(below: 256)) })
  }

  /// A quarter turn about a pixel corner moves whole pixels: what lies below comes to lie on the left.
  @Test(arguments: [1, 3]) func quarterTurnMovesWholePixels(channels: Int) {
    let image = picture(channels: channels)
    let box = Box(x: 10, y: 8, width: 12, height: 12)
    let turned = ImageOctaves(image, smallest: image.size).window(
      box, size: PixelSize(width: 12, height: 12), rotation: .pi / 2, pivot: box.center)
    for row in 0..<12 {
      for column in 0..<12 {
        for c in 0..<channels {
          // Target offset (u, v) from the pivot comes from (-v, u).
          let source = ((8 + column) * image.width + 10 + 11 - row) * channels + c
          #expect(turned.pixels[(row * 12 + column) * channels + c] == image.pixels[source])
        }
      }
    }
  }

  /// Turned by nothing, and by next to nothing, a window is what the upright cut gives, at half size too and outside.
  @Test func noTurnIsTheUprightWindow() {
    let octaves = ImageOctaves(picture(width: 90, height: 70), smallest: PixelSize(width: 8, height: 8))
    for box in [
      Box(x: 3.3, y: 4.7, width: 30, height: 30), Box(x: -12, y: 40, width: 56, height: 56),
      Box(x: 20, y: 10, width: 11, height: 11),
    ] {
      let size = PixelSize(width: 20, height: 20)
      let upright = octaves.window(box, size: size)
      let turned = octaves.window(box, size: size, rotation: 1e-9, pivot: box.center)
      let greatest = zip(upright.pixels, turned.pixels).map { abs(Int($0) - Int($1)) }.max()!
      #expect(greatest <= 1, "\(box)")
    }
  }

  @Test func contrastAndNoiseAreWhatIsAskedFor() {
    let flat = ByteImage(width: 200, height: 100, channelCount: 1, filledWith: 227)
    var random = RandomStream(seed: 4)
    #expect(flat.degraded(contrast: 0.5, noise: 0, using: &random).pixels.allSatisfy { $0 == 177 })
    let noisy = flat.degraded(contrast: 0.5, noise: 6, using: &random).pixels.map(Double.init)
    let mean = noisy.reduce(0, +) / 20_000
    let deviation = (noisy.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000).squareRoot()
    #expect(abs(mean - 177.25) < 0.3 && abs(deviation - 6) < 0.2)
  }

  /// Eyes at (10, 20) and (20, 30): tilted by 45 degrees clockwise.
  @Test func tiltFollowsFromLandmarks() {
    let levelling = HOGTrainerOptions.Levelling(left: ["a", "b"], right: ["c"])
    func annotation(_ points: [(String, Point?)]) -> Annotation {
      Annotation(
        box: Box(x: 0, y: 0, width: 1, height: 1), label: "face",
        landmarks: points.map { Landmark(name: $0.0, point: $0.1) })
    }
    let eyes =
      [("a", Point(x: 9, y: 20)), ("b", Point(x: 11, y: 20)), ("c", Point(x: 20, y: 30))] as [(String, Point?)]
    #expect(abs(levelling.tilt(of: annotation(eyes))! - .pi / 4) < 1e-12)
    #expect(levelling.tilt(of: annotation(Array(eyes.dropLast()))) == nil)
    #expect(levelling.tilt(of: annotation([("a", Point(x: 0, y: 0)), ("b", nil), ("c", nil)])) == nil)
    #expect(levelling.tilt(of: annotation([])) == nil)
  }

  /// A tilted object that is levelled gives the features of the upright one.
  @Test func levellingUndoesATilt() {
    let cutter = WindowCutter(features: .felzenszwalb(.init(cellSize: 4)))
    let size = PixelSize(width: 40, height: 40)
    let upright = ImageOctaves(picture(width: 80, height: 80), smallest: size)
    let window = Box(x: 20, y: 20, width: 40, height: 40)
    // The whole picture, turned a quarter counter-clockwise, as the tilted photo.
    let tilted = ImageOctaves(
      upright.window(
        Box(x: 0, y: 0, width: 80, height: 80), size: PixelSize(width: 80, height: 80), rotation: .pi / 2,
        pivot: Point(x: 40, y: 40)), smallest: size)
    var appearance = SampleAppearance()
    appearance.rotation = -.pi / 2
    let expected = cutter.descriptor(upright, window: window, size: size)
    let levelled = cutter.descriptor(tilted, window: window, size: size, appearance: appearance)
    #expect(zip(expected, levelled).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func appearancesStayInTheirRanges() {
    let degradation = HOGTrainerOptions.Degradation(
      lowResolutionShare: 0.5, leastResolution: 0.4, leastContrast: 0.25, greatestNoise: 7)
    var random = RandomStream(seed: 6)
    let drawn = (0..<2000).map { _ in SampleAppearance(degradation, using: &random) }
    #expect(drawn.allSatisfy { (0.4...1).contains($0.resolution) && (0.25...1).contains($0.contrast) })
    #expect(drawn.allSatisfy { (0..<7).contains($0.noise) && $0.rotation == 0 })
    let lowered = drawn.count { $0.resolution < 1 }
    #expect((900...1100).contains(lowered))
  }
}

@Suite struct HOGTrainingUseTests {
  /// Crosses of which every second photo says how it is to be used.
  private struct Mixed: TrainingImageSource {
    let photos = SyntheticPhotos(count: 12, seed: 1)
    var count: Int { photos.count }
    var mined = true
    func name(at index: Int) -> String { photos.name(at: index) }
    func annotations(at index: Int) -> [Annotation] { photos.annotations(at: index) }
    func image(at index: Int) throws -> ByteImage { try photos.image(at: index) }
    func copies(at index: Int) -> Int? { index % 2 == 0 ? 3 : nil }
    func allowsNegatives(at index: Int) -> Bool { mined && index % 2 == 0 }
  }

  private var options: HOGTrainerOptions {
    var options = HOGTrainerOptions.crosses
    options.rounds = 1
    options.degradation = .init()
    options.jitterRotation = 8
    options.positiveWeightRatio = 0.3
    return options
  }

  @Test func copiesFollowTheSource() throws {
    let result = try HOGTrainer.train(photos: Mixed(), options: options)
    // Six photos with three copies and six with one, each mirrored too.
    #expect(result.report.rounds[0].positives == (6 * 4 + 6 * 2) * 2)
  }

  /// Photos turned a quarter clockwise.
  private struct Turned: TrainingImageSource {
    let photos: SyntheticPhotos
    var count: Int { photos.count }
    func name(at index: Int) -> String { photos.name(at: index) }
    func annotations(at index: Int) -> [Annotation] {
      photos.annotations(at: index).map { annotation in
        var copy = annotation
        let box = annotation.box
        copy.box = Box(x: Double(photos.height) - box.maxY, y: box.x, width: box.height, height: box.width)
        return copy
      }
    }
    func image(at index: Int) throws -> ByteImage {
      let image = try photos.image(at: index)
      var pixels: [UInt8] = []
      for x in 0..<image.width {
        for y in (0..<image.height).reversed() { pixels.append(image.pixels[y * image.width + x]) }
      }
      return ByteImage(width: image.height, height: image.width, channelCount: 1, pixels: pixels)
    }
  }

  /// A component that is tilted by a quarter cuts from a photo what an upright one cuts from the turned photo.
  @Test func tiltTurnsTheObjects() throws {
    var options = HOGTrainerOptions.crosses
    options.jitterCopies = 0
    options.objectRegion = Box(x: 0, y: 0, width: 1, height: 1)
    let photos = SyntheticPhotos(count: 6, seed: 8, width: 120, height: 120)
    func samples(_ source: any TrainingImageSource, tilt: Double?, mirrors: Bool) throws -> [Float] {
      var options = options
      options.mirrorsPositives = mirrors
      options.components[0].tilt = tilt
      let trainer = HOGTrainer(
        options: options, photos: TrainingPhotos(annotated: source, backgrounds: nil), executor: .serial,
        progress: SilentProgress(), cancellation: Cancellation())
      return try (0..<source.count).flatMap { try trainer.positives(photo: $0).samples[0] }
    }
    let turned = try samples(photos, tilt: 90, mirrors: false)
    let expected = try samples(Turned(photos: photos), tilt: nil, mirrors: false)
    #expect(turned.count == expected.count && !turned.isEmpty)
    // Levels are rounded to whole grey levels after another order of sums.
    let mean = zip(turned, expected).reduce(0) { $0 + abs($1.0 - $1.1) } / Float(turned.count)
    #expect(mean < 0.002, "\(mean)")
    let upright = try samples(photos, tilt: nil, mirrors: false)
    #expect(zip(turned, upright).reduce(0) { $0 + abs($1.0 - $1.1) } / Float(turned.count) > 0.02)
  }

  @Test func photosThatMayNotBeMinedAreNot() throws {
    let error = #expect(throws: InputError.self) {
      try HOGTrainer.train(photos: Mixed(mined: false), options: options)
    }
    #expect(error?.problem == "no negatives")
  }

  @Test func degradedTrainingDoesNotDependOnThreads() throws {
    let trained = try [1, 2, 5].map { threads in
      try HOGTrainer.train(photos: Mixed(), options: options, executor: ParallelExecutor(threadCount: threads))
    }
    #expect(trained[1].detector.components == trained[0].detector.components)
    #expect(trained[2].detector.components == trained[0].detector.components)
    var plain = options
    plain.degradation = nil
    #expect(
      try HOGTrainer.train(photos: Mixed(), options: plain).detector.components != trained[0].detector.components)
  }

  @Test func roundsShareOutThePhotos() throws {
    func searched(_ limit: Int?, round: Int) throws -> [Int] {
      var options = options
      options.photosPerRound = limit
      return HOGTrainer(
        options: options, photos: TrainingPhotos(annotated: SyntheticPhotos(count: 10, seed: 1), backgrounds: nil),
        executor: .serial, progress: SilentProgress(), cancellation: Cancellation()
      ).searchedPhotos(round: round)
    }
    #expect(try searched(nil, round: 2) == Array(0..<10))
    #expect(try searched(10, round: 2) == Array(0..<10))
    #expect(try searched(3, round: 1) == [0, 3, 6])
    #expect(try searched(3, round: 2) == [1, 4, 7])
    #expect(try searched(3, round: 4) == [0, 3, 6])
    #expect(try searched(7, round: 2) == [0, 1, 2, 4, 5, 7, 8])
  }

  @Test func positivesWeighWhatIsAskedFor() throws {
    var options = options
    options.svm.negativeWeight = 2
    let trainer = HOGTrainer(
      options: options, photos: TrainingPhotos(annotated: SyntheticPhotos(count: 1, seed: 1), backgrounds: nil),
      executor: .serial, progress: SilentProgress(), cancellation: Cancellation())
    let svm = trainer.svmOptions(positives: 20, negatives: 50)
    #expect(abs(svm.positiveWeight * 20 - 0.3 * svm.negativeWeight * 50) < 1e-12 && svm.negativeWeight == 2)
  }

  @Test func rangesAreChecked() throws {
    try options.validate()
    for (field, change) in [
      ("jitterRotation", { (o: inout HOGTrainerOptions) in o.jitterRotation = 200 }),
      ("degradation.leastResolution", { $0.degradation?.leastResolution = 0 }),
      ("degradation.greatestNoise", { $0.degradation?.greatestNoise = .nan }),
      ("levelling.right", { $0.levelling = .init(left: ["a"], right: []) }),
      ("positiveWeightRatio", { $0.positiveWeightRatio = 0 }), ("photosPerRound", { $0.photosPerRound = 0 }),
      ("components[0].tilt", { $0.components[0].tilt = 270 }),
    ] as [(String, (inout HOGTrainerOptions) -> Void)] {
      var options = options
      change(&options)
      let error = #expect(throws: InputError.self) { try options.validate() }
      #expect(error?.field == field)
    }
  }
}
