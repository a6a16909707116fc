import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles
import TestSupport
import Testing

@testable import Detection

/// Trainings that ask for more than there is, and checkpoints that were damaged.
@Suite struct HOGTrainerBoundsTests {
  private let photos = SyntheticPhotos(count: 20, seed: 1)
  private let backgrounds = SyntheticPhotos(count: 10, seed: 2, hasObjects: false)

  private func train(
    _ options: HOGTrainerOptions, photos: (any TrainingImageSource)? = nil, checkpoint: String? = nil,
    progress: any ProgressSink = SilentProgress()
  ) throws -> HOGTrainingResult {
    try HOGTrainer.train(
      photos: photos ?? self.photos, backgrounds: backgrounds, options: options, checkpoint: checkpoint,
      executor: ParallelExecutor(threadCount: 2), progress: progress)
  }

  private func bytes(_ result: HOGTrainingResult) throws -> [UInt8] {
    try result.detector.modelFile(provenance: Provenance(command: "test", dataSets: [], seed: 5)).bytes()
  }

  @Test func numbersOutOfRangeAreNamed() {
    for (change, field) in [
      ({ (o: inout HOGTrainerOptions) in o.sampleMemory = 10_000_000_000_000 }, "sampleMemory"),
      ({ $0.sampleMemory = 1_000_001 }, "sampleMemory"), ({ $0.sampleMemory = 0 }, "sampleMemory"),
      ({ $0.randomNegatives = 100_000_000_000 }, "randomNegatives"),
      ({ $0.randomNegatives = 10_000_001 }, "randomNegatives"), ({ $0.randomNegatives = 0 }, "randomNegatives"),
      ({ $0.negativesPerRound = .max }, "negativesPerRound"), ({ $0.negativesPerPhoto = .max }, "negativesPerPhoto"),
      ({ $0.jitterCopies = 1001 }, "jitterCopies"), ({ $0.positiveWeightRatio = 1e300 }, "positiveWeightRatio"),
      ({ $0.svm.cost = 1e308 }, "svm"), ({ $0.svm.cost = 1e-300 }, "svm"), ({ $0.svm.biasScale = 1e308 }, "svm"),
    ] as [((inout HOGTrainerOptions) -> Void, String)] {
      var options = HOGTrainerOptions.crosses
      change(&options)
      let error = #expect(throws: InputError.self) { try options.validate() }
      #expect(error?.field == field)
    }
  }

  /// A terabyte is allowed and not taken; with room for all, how much there is changes nothing, not even where features
  /// are computed only after places were drawn.
  @Test func memoryIsACeiling() throws {
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    let usual = try train(options)
    // 7.9 kB a sample: 4 MB hold 378, of which 80 are positives; the 290 negatives are more than a third of that.
    options.sampleMemory = 4
    options.randomNegatives = 290
    let tight = try train(options)
    options.sampleMemory = 1_000_000
    let roomy = try train(options)
    #expect(try bytes(tight) == bytes(roomy))
    #expect(tight.report == roomy.report)
    #expect(tight.report.rounds[0].newNegatives == 290)
    options.randomNegatives = 300
    #expect(try bytes(train(options)) == bytes(usual))
  }

  @Test func leftOutNegativesAreToldOnce() throws {
    var options = HOGTrainerOptions.crosses
    // Room for 189 samples of 7.9 kB, 80 of them positives.
    options.sampleMemory = 2
    let recorder = RecordedProgress()
    let result = try train(options, progress: recorder)
    let told = recorder.warnings.filter { $0.contains("no room for all negatives") }
    #expect(result.report.rounds[0].negatives == 189 - 80)
    #expect(told.count == 1 && told[0].contains("\(300 - 109) of 300") && told[0].contains("--memory"))
    #expect(result.report.notes.count { $0 == told[0] } == 1)
    options.sampleMemory = 60
    #expect(try train(options).report.notes.isEmpty)
  }

  /// Ten million negatives of six small photos: the windows that exist, and an end.
  @Test func drawingEndsWhereWindowsDo() throws {
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    options.randomNegatives = 10_000_000
    options.sampleMemory = 3
    let result = try HOGTrainer.train(
      photos: SyntheticPhotos(count: 4, seed: 1),
      backgrounds: SyntheticPhotos(count: 2, seed: 2, width: 48, height: 40, hasObjects: false), options: options)
    let round = result.report.rounds[0]
    #expect(round.scannedWindows > 1000 && round.scannedWindows < 1_000_000)
    #expect(round.positives + round.negatives == 283)
  }

  /// Asks to stop when a background photo is read, so that only the drawing itself can notice.
  private struct Stopping: TrainingImageSource {
    let photos: SyntheticPhotos
    let cancellation: Cancellation
    var count: Int { photos.count }
    func name(at index: Int) -> String { photos.name(at: index) }
    func annotations(at index: Int) -> [Annotation] { [] }
    func image(at index: Int) throws -> ByteImage {
      cancellation.cancel()
      return try photos.image(at: index)
    }
  }

  @Test func drawingStopsOnRequest() throws {
    var options = HOGTrainerOptions.crosses
    options.minesAnnotatedPhotos = false
    options.randomNegatives = 10_000_000
    let cancellation = Cancellation()
    let recorder = RecordedProgress()
    #expect(throws: CancelledError.self) {
      try HOGTrainer.train(
        photos: photos,
        backgrounds: Stopping(photos: SyntheticPhotos(count: 1, seed: 2), cancellation: cancellation),
        options: options, progress: recorder, cancellation: cancellation)
    }
    #expect(recorder.advances.contains { $0 == "cutting positives" })
    #expect(!recorder.advances.contains { $0 == "drawing negatives" })
  }

  /// Photos of one grey: objects and background are the same.
  @Test func whatLearnsNothingIsAnError() throws {
    struct Flat: TrainingImageSource {
      var hasObjects = true
      var count: Int { 3 }
      func name(at index: Int) -> String { "flat-\(index)" }
      func annotations(at index: Int) -> [Annotation] {
        hasObjects ? [Annotation(box: Box(x: 40, y: 40, width: 30, height: 30), label: "cross")] : []
      }
      func image(at index: Int) throws -> ByteImage {
        ByteImage(width: 120, height: 100, channelCount: 1, filledWith: 128)
      }
    }
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    let error = #expect(throws: InputError.self) {
      try HOGTrainer.train(photos: Flat(), backgrounds: Flat(hasObjects: false), options: options)
    }
    #expect(error?.problem.contains("nothing was learnt") == true && error?.field?.contains("upright") == true)
  }

  @Test func damagedCheckpointsAreRefused() throws {
    let path = NSTemporaryDirectory() + "windhover-damaged-\(UUID().uuidString).checkpoint"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = HOGTrainerOptions.crosses
    options.rounds = 0
    let straight = try train(options, checkpoint: path)
    let content = [UInt8](try #require(FileManager.default.contents(atPath: path)))
    let headerLength = (0..<8).reduce(0) { $0 | Int(content[$1]) << (8 * $1) }
    let dataStart = 8 + headerLength
    let places = (0..<6).map { dataStart + (content.count - 1 - dataStart) * $0 / 5 }
    for place in places {
      var damaged = content
      damaged[place] ^= 4
      try Data(damaged).write(to: URL(filePath: path))
      let error = #expect(throws: InputError.self) { try train(options, checkpoint: path) }
      #expect(error?.source == path, "byte \(place)")
      #expect(error?.problem.contains("damaged") == true && error?.hint?.contains("--restart") == true, "byte \(place)")
    }
    // A figure of the report, in the header.
    let text = Array("objective\\\":".utf8)
    let figure = try #require((0..<dataStart - text.count).first { Array(content[$0..<$0 + text.count]) == text })
    var damaged = content
    damaged[figure + text.count] ^= 1
    try Data(damaged).write(to: URL(filePath: path))
    #expect(throws: InputError.self) { try train(options, checkpoint: path) }
    // The whole one is still taken.
    try Data(content).write(to: URL(filePath: path))
    #expect(try bytes(train(options, checkpoint: path)) == bytes(straight))
  }
}
