import Execution
import Features
import Foundation
import Geometry
import Imaging
import ModelFiles
import Synchronization
import TestSupport
import Testing

@testable import Detection

@Suite struct HOGTrainerTests {
  private let photos = SyntheticPhotos(count: 40, seed: 1)
  private let backgrounds = SyntheticPhotos(count: 30, seed: 2, hasObjects: false)
  private let provenance = Provenance(command: "test", dataSets: [], seed: 5)

  private func train(
    _ options: HOGTrainerOptions, threads: Int = 2, checkpoint: String? = nil, photos: SyntheticPhotos? = nil,
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> HOGTrainingResult {
    try HOGTrainer.train(
      photos: photos ?? self.photos, backgrounds: backgrounds, options: options, checkpoint: checkpoint,
      executor: ParallelExecutor(threadCount: threads), progress: progress, cancellation: cancellation)
  }

  private func bytes(_ result: HOGTrainingResult) throws -> [UInt8] {
    try result.detector.modelFile(provenance: provenance).bytes()
  }

  private func scratch(_ name: String) -> String {
    NSTemporaryDirectory() + "windhover-\(name)-\(ProcessInfo.processInfo.processIdentifier).checkpoint"
  }

  /// Learns from 40 photos, finds the crosses of 30 it has not seen, and false alarms grow fewer.
  @Test func learnsToFindCrosses() throws {
    let result = try HOGTrainer.train(
      photos: photos, backgrounds: backgrounds, validation: SyntheticPhotos(count: 30, seed: 4), options: .crosses)
    let rounds = result.report.rounds
    #expect(rounds.map(\.round) == [0, 1, 2])
    #expect(rounds[0].positives == 40 * 2 * 2 && rounds[0].falsePositivesPerWindow == nil)
    #expect(rounds.allSatisfy { $0.trainingError < 0.02 && $0.objective > 0 })
    #expect(rounds[1].newNegatives > 0 && rounds[1].scannedWindows > 10_000)
    let first = try #require(rounds[1].falsePositivesPerWindow)
    let second = try #require(rounds[2].falsePositivesPerWindow)
    #expect(second <= first)
    #expect(result.report.unreachable.isEmpty)

    let unseen = SyntheticPhotos(count: 30, seed: 3)
    var hits = 0
    var alarms = 0
    for index in 0..<unseen.count {
      let truth = unseen.annotations(at: index)[0].box
      for found in result.detector.detect(in: try unseen.image(at: index)) {
        if found.box.intersectionOverUnion(truth) >= 0.5 { hits += 1 } else { alarms += 1 }
        let confidence = try #require(found.confidence)
        #expect((0...1).contains(confidence))
      }
    }
    #expect(hits >= 28 && alarms <= 3, "\(hits) hits, \(alarms) false alarms")
    #expect(try #require(result.report.calibration).matched >= 28)
  }

  @Test func threadsDoNotMatter() throws {
    var options = HOGTrainerOptions.crosses
    options.rounds = 1
    let one = try train(options, threads: 1)
    for threads in [2, 5] {
      let other = try train(options, threads: threads)
      #expect(try bytes(other) == bytes(one))
      #expect(other.report == one.report)
    }
  }

  /// Asks to stop at the first note of a round.
  private final class StopAtRound: ProgressSink {
    let prefix: String
    let cancellation = Cancellation()
    init(_ round: Int) { prefix = "round \(round)," }
    func receive(_ event: ProgressEvent) {
      if case .note(let text) = event, text.hasPrefix(prefix) { cancellation.cancel() }
    }
  }

  @Test(arguments: [0, 1]) func interruptedAndResumedIsUninterrupted(stop: Int) throws {
    let path = scratch("resume-\(stop)")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let stopper = StopAtRound(stop)
    #expect(throws: CancelledError.self) {
      try train(.crosses, checkpoint: path, progress: stopper, cancellation: stopper.cancellation)
    }
    let resumed = try train(.crosses, threads: 1, checkpoint: path)
    let straight = try train(.crosses)
    #expect(try bytes(resumed) == bytes(straight))
    #expect(resumed.report == straight.report)
    // A finished training's checkpoint gives the model again.
    #expect(try bytes(train(.crosses, checkpoint: path)) == bytes(straight))
  }

  @Test func refusesToResumeAnotherTraining() throws {
    let path = scratch("refuse")
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    _ = try train(options, checkpoint: path)
    var others = options
    others.svm.cost = 0.5
    let cost = #expect(throws: InputError.self) { try train(others, checkpoint: path) }
    #expect(cost?.field == "options.svm" && cost?.found?.contains("0.01") == true)
    let data = #expect(throws: InputError.self) {
      try train(options, checkpoint: path, photos: SyntheticPhotos(count: 40, seed: 1, touched: 7))
    }
    #expect(data?.field == "data" && data?.found?.contains("photo 7") == true)
    let fewer = #expect(throws: InputError.self) {
      try train(options, checkpoint: path, photos: SyntheticPhotos(count: 39, seed: 1))
    }
    #expect(fewer?.field == "data")
    let content = try #require(FileManager.default.contents(atPath: path))
    try content.prefix(content.count / 2).write(to: URL(filePath: path))
    #expect(throws: InputError.self) { try train(options, checkpoint: path) }
  }

  /// Room for so few negatives that old ones must go.
  @Test func memoryBoundIsKept() throws {
    var options = HOGTrainerOptions.crosses
    // 8 x 8 cells of 31 floats: 7.9 kB a sample; 3 MB hold 283 in their three quarters, 160 of them positives.
    options.sampleMemory = 3
    let result = try train(options)
    #expect(result.report.rounds.allSatisfy { $0.positives + $0.negatives <= 283 })
    #expect(result.report.rounds[0].negatives == 123)
    options.sampleMemory = 1
    let error = #expect(throws: InputError.self) { try train(options) }
    #expect(error?.field == "sampleMemory")
  }

  /// A mirror component learns nothing of its own and its filter is the other's mirror image.
  @Test func mirrorComponents() throws {
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    options.objectRegion = Box(x: 0.1, y: 0.125, width: 0.75, height: 0.75)
    options.components = [
      .init(name: "left", label: "cross"), .init(name: "right", label: "cross", mirrorOf: "left"),
    ]
    let result = try train(options)
    let components = result.detector.components
    #expect(components.count == 2 && components[1].mirrorOf == 0 && result.report.rounds.count == 1)
    #expect(abs(components[1].objectRegion.x - 0.15) < 1e-12)
    // 40 crosses and a jittered copy: as they are and mirrored for "left", mirrored for "right".
    #expect(result.report.rounds[0].positives == 40 * 2 * 3)
    let order = try #require(options.features.mirroredChannelOrder)
    let twice = components[1].mirrored(channelOrder: order, name: "left", mirrorOf: nil)
    #expect(twice.weights == components[0].weights && twice.bias == components[0].bias)
  }

  /// A photo without objects, with boxes.
  private struct OnePhoto: TrainingImageSource {
    let boxes: [Box]
    var count: Int { 1 }
    func name(at index: Int) -> String { "odd.png" }
    func annotations(at index: Int) -> [Annotation] { boxes.map { Annotation(box: $0, label: "cross") } }
    func image(at index: Int) throws -> ByteImage {
      try SyntheticPhotos(count: 1, seed: 9, hasObjects: false).image(at: 0)
    }
  }

  @Test func namesBoxesOutOfReach() throws {
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    let fine = Box(x: 60, y: 40, width: 30, height: 30)
    let flat = Box(x: 40, y: 40, width: 90, height: 20)
    let tiny = Box(x: 100, y: 80, width: 8, height: 8)
    let cut = Box(x: -30, y: 40, width: 40, height: 40)
    options.scan.padding = 0
    let result = try HOGTrainer.train(
      photos: OnePhoto(boxes: [fine, flat, tiny, cut]), backgrounds: backgrounds, options: options)
    let unreachable = result.report.unreachable
    #expect(unreachable.map(\.box) == [flat, tiny, cut])
    #expect(unreachable.map(\.reason) == [.aspect, .size, .border])
    #expect(
      unreachable[0].explanation.contains("4.5") && unreachable[0].explanation.contains("window of that shape"))
    #expect(unreachable[1].explanation.contains("enlarged 3"))
    #expect(unreachable[2].explanation.contains("padding"))
    // Steps of eight cells, one level: between two windows nothing overlaps by half.
    options.scan.stride = 8
    let coarse = try HOGTrainer.train(
      photos: OnePhoto(boxes: [
        Box(x: 12 + 4, y: 12 + 4, width: 24, height: 24), Box(x: 4, y: 4, width: 24, height: 24),
      ]),
      backgrounds: backgrounds, options: options)
    #expect(coarse.report.unreachable.map(\.reason) == [.cellRounding])
    let error = #expect(throws: InputError.self) {
      try HOGTrainer.train(photos: OnePhoto(boxes: [flat, tiny]), backgrounds: backgrounds, options: options)
    }
    #expect(error?.problem.contains("any of the 2 objects") == true && error?.hint != nil)
  }

  /// What lies outside the photo shows nothing but the border, repeated: it must not be learnt from, at whatever size.
  @Test func objectsOutsideThePhotoAreNamed() throws {
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    // Sizes below the window's are cut all the same, and no level of the scan is looked at for them.
    options.largestEnlargement = 2
    options.scan.upsampling = .none
    let fine = Box(x: 60, y: 40, width: 30, height: 30)
    let large = Box(x: 1000, y: 40, width: 60, height: 60)
    let small = Box(x: 40, y: -1000, width: 16, height: 16)
    let mostly = Box(x: -11, y: 40, width: 16, height: 16)
    let half = Box(x: -8, y: 60, width: 16, height: 16)
    let result = try HOGTrainer.train(
      photos: OnePhoto(boxes: [fine, large, small, mostly, half]), backgrounds: backgrounds, options: options)
    let unreachable = result.report.unreachable
    #expect(unreachable.map(\.box) == [large, small, mostly])
    #expect(unreachable.map(\.reason) == [.outside, .outside, .outside])
    #expect(unreachable[0].explanation.contains("outside the photo"))
    #expect(unreachable[2].explanation.contains("0.31"))
    let error = #expect(throws: InputError.self) {
      try HOGTrainer.train(photos: OnePhoto(boxes: [small]), backgrounds: backgrounds, options: options)
    }
    #expect(error?.hint?.contains("outside the photo") == true)
  }

  @Test func sumsUpManyBoxesOutOfReach() throws {
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    let fine = Box(x: 60, y: 40, width: 30, height: 30)
    let tiny = (0..<20).map { Box(x: 4 + 5 * Double($0), y: 80, width: 6, height: 6) }
    let flat = (0..<2).map { Box(x: 10 + 40 * Double($0), y: 20, width: 90, height: 20) }
    let progress = RecordedProgress()
    let result = try HOGTrainer.train(
      photos: OnePhoto(boxes: [fine] + tiny + flat), backgrounds: backgrounds, options: options, progress: progress)
    #expect(result.report.unreachable.count == 22)
    let told = progress.warnings.filter { $0.contains("out of reach") }
    // Both of one reason, the first three of the other, and a line that counts.
    #expect(told.count == 6)
    #expect(told.last?.contains("22 of 23 objects are out of reach (2 by aspect, 20 by size)") == true)
  }

  @Test func saysWhatIsMissing() throws {
    func problem(
      _ photos: SyntheticPhotos, _ backgrounds: SyntheticPhotos?, _ change: (inout HOGTrainerOptions) -> Void = { _ in }
    ) -> String {
      var options = HOGTrainerOptions.crosses
      options.rounds = 1
      change(&options)
      do {
        _ = try HOGTrainer.train(photos: photos, backgrounds: backgrounds, options: options)
        return "nothing"
      } catch let error as InputError { return error.problem } catch { return "\(error)" }
    }
    let few = SyntheticPhotos(count: 4, seed: 1)
    #expect(problem(SyntheticPhotos(count: 4, seed: 1, hasObjects: false), backgrounds) == "no annotations")
    #expect(problem(SyntheticPhotos(count: 0, seed: 1), backgrounds) == "no annotations")
    #expect(problem(SyntheticPhotos(count: 4, seed: 1, isIgnored: true), backgrounds) == "only ignored or empty boxes")
    #expect(problem(few, nil) { $0.minesAnnotatedPhotos = false } == "no negatives")
    #expect(
      problem(few, backgrounds) { $0.components[0].sourceLabels = ["face"] }.contains("no annotation is an object"))
    #expect(
      problem(few, SyntheticPhotos(count: 3, seed: 2, width: 8, height: 8, hasObjects: false)) {
        $0.minesAnnotatedPhotos = false
      } == "no negatives for component \"upright\"")
    #expect(problem(few, nil) == "nothing")
    for (change, field) in [
      ({ (o: inout HOGTrainerOptions) in o.windowSize.width = 33 }, "windowSize"),
      ({ $0.components = [] }, "components"), ({ $0.rounds = -1 }, "rounds"), ({ $0.svm.cost = -1 }, "svm"),
      ({ $0.scan.scaleFactor = 1 }, "scaleFactor"), ({ $0.objectRegion.width = .nan }, "objectRegion"),
      ({ $0.components.append($0.components[0]) }, "components[1].name"),
      ({ $0.components[0].mirrorOf = "x" }, "components[0].mirrorOf"),
      (
        {
          $0.colour = .grey
          $0.features = .dalalTriggsStack(DalalTriggsStack(layers: [DalalTriggsHOG(colourDifference: .redGreen)]))
        }, "colour"
      ),
      ({ $0.features = .dalalTriggsStack(DalalTriggsStack(layers: [])) }, "layers"),
    ] as [((inout HOGTrainerOptions) -> Void, String)] {
      var options = HOGTrainerOptions.crosses
      change(&options)
      let error = #expect(throws: InputError.self) { try options.validate() }
      #expect(error?.field == field)
    }
  }

  /// A negative photo smaller than the window is named and left out, and the others serve.
  @Test func smallBackgroundsAreNamed() throws {
    struct Mixed: TrainingImageSource {
      var count: Int { 2 }
      func name(at index: Int) -> String { ["small.png", "large.png"][index] }
      func annotations(at index: Int) -> [Annotation] { [] }
      func image(at index: Int) throws -> ByteImage {
        index == 0
          ? ByteImage(width: 9, height: 5, channelCount: 3, filledWith: 7)
          : try SyntheticPhotos(count: 1, seed: 9, hasObjects: false).image(at: 0)
      }
    }
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    options.minesAnnotatedPhotos = false
    let result = try HOGTrainer.train(
      photos: SyntheticPhotos(count: 4, seed: 1), backgrounds: Mixed(), options: options)
    #expect(result.report.notes.count == 1 && result.report.notes[0].hasPrefix("small.png"))
    #expect(result.report.rounds[0].negatives > 100)
  }

  @Test func optionsSurviveJSON() throws {
    var options = HOGTrainerOptions.crosses
    options.components.append(.init(name: "b", label: "c", attributes: ["pose": ["0"]], minimumAspect: 0.5))
    let data = try JSONEncoder().encode(options)
    #expect(try JSONDecoder().decode(HOGTrainerOptions.self, from: data) == options)
  }
}
