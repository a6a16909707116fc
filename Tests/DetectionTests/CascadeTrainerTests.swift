import Execution
import Features
import Foundation
import Geometry
import Imaging
import Learning
import TestSupport
import Testing

@testable import Detection

@Suite("Cascade trainer")
struct CascadeTrainerTests {
  private let photos = [(90, 80), (120, 70), (64, 64)]

  private func bytes(_ result: CascadeTrainingResult) -> String {
    "\(result.detector.features)\(result.detector.stages)"
  }

  @Test(
    "stages reach their targets on their samples, and the cascade tells crosses from blocks",
    arguments: CascadeTrainerOptions.Features.allCases)
  func targets(_ features: CascadeTrainerOptions.Features) throws {
    let options = cascadeOptions(features)
    let data = try cascadeData(CrossSamples(), blockyPhotos(photos))
    let result = try CascadeTrainer.train(data, options: options)
    #expect(!result.report.stages.isEmpty)
    for stage in result.report.stages {
      #expect(stage.hitRate >= options.hitRate && stage.falseAlarmRate <= options.falseAlarmRate)
      #expect(stage.trees >= 1 && stage.features <= stage.trees)
    }
    let sieve = CascadeSieve(
      windowSize: options.windowSize, features: result.detector.features, stages: result.detector.stages)
    let crosses = (0..<100).flatMap { CrossSamples(count: 400).sample(at: 250 + $0).pixels }
    let passed = sieve.verdicts(crosses[...]).count { $0.passed == result.detector.stages.count }
    #expect(passed >= 85)
    let others = try cascadeData(CrossSamples(), blockyPhotos([(150, 150)], seed: 99)).negatives
    let alarms = try others.harvest(
      others.count, from: 0, accepts: { unit in sieve.passing(in: unit.image, unit.windows.map { ($0.x, $0.y) }) })
    // Trained on 150 windows, it has seen little of what other photos hold.
    #expect(try #require(alarms.acceptance) < 0.5)
  }

  @Test("each stage looks for negatives where the one before stopped, so that no window counts twice")
  func searchGoesOn() throws {
    let options = cascadeOptions(.lbp)
    let data = try cascadeData(CrossSamples(noise: 60), blockyPhotos(photos))
    let result = try CascadeTrainer.train(data, options: options)
    let stages = result.report.stages
    #expect(stages.count >= 2 && stages[1].windowsTried > 0)
    var cursor = 0
    for (index, stage) in stages.enumerated() {
      let sieve = CascadeSieve(
        windowSize: options.windowSize, features: result.detector.features,
        stages: Array(result.detector.stages[..<index]))
      let found = try data.negatives.harvest(stage.negatives - stage.negativesKept, from: cursor) { unit in
        sieve.passing(in: unit.image, unit.windows.map { (x: $0.x, y: $0.y) })
      }
      #expect(found.visited == stage.windowsTried, "stage \(stage.number)")
      cursor = found.cursor
    }
    let tried = stages.reduce(0) { $0 + $1.windowsTried }
    #expect(cursor == tried && tried <= data.negatives.count)
  }

  @Test("the same bytes on any number of threads and with any memory", arguments: [false, true])
  func determinism(_ isSoft: Bool) throws {
    for features in [CascadeTrainerOptions.Features.haarAll, .lbp] {
      var options = cascadeOptions(features)
      options.isSoft = isSoft
      let data = try cascadeData(CrossSamples(), blockyPhotos(photos))
      let one = try CascadeTrainer.train(data, options: options, executor: .serial)
      options.memory = 16
      let other = try CascadeTrainer.train(data, options: options, executor: ParallelExecutor(threadCount: 3))
      #expect(bytes(one) == bytes(other))
    }
  }

  @Test("a resumed training ends as one that was never interrupted", arguments: [false, true])
  func resuming(_ isSoft: Bool) throws {
    let path = NSTemporaryDirectory() + "cascade-\(UUID().uuidString).checkpoint"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = cascadeOptions(.lbp)
    options.isSoft = isSoft
    let data = try cascadeData(CrossSamples(noise: 60), blockyPhotos(photos))
    let whole = try CascadeTrainer.train(data, options: options)
    #expect(whole.report.stages.count >= 2)
    // The run is cut off once a stage is written.
    let cancellation = Cancellation()
    final class Stopper: ProgressSink, @unchecked Sendable {
      let cancellation: Cancellation
      let path: String
      init(_ cancellation: Cancellation, _ path: String) {
        self.cancellation = cancellation
        self.path = path
      }
      func receive(_ event: ProgressEvent) {
        if FileManager.default.fileExists(atPath: path) { cancellation.cancel() }
      }
    }
    #expect(throws: CancelledError.self) {
      try CascadeTrainer.train(
        data, options: options, checkpoint: path, progress: Stopper(cancellation, path), cancellation: cancellation)
    }
    let listener = ListeningProgress()
    let resumed = try CascadeTrainer.train(data, options: options, checkpoint: path, progress: listener)
    #expect(listener.notes.contains { $0.hasPrefix("resumed after stage 1") })
    #expect(bytes(resumed) == bytes(whole))
    var expected = whole.report
    var found = resumed.report
    for index in expected.stages.indices {
      expected.stages[index].seconds = 0
      expected.stages[index].searchSeconds = nil
      found.stages[index].seconds = 0
      found.stages[index].searchSeconds = nil
    }
    #expect(found == expected)
  }

  @Test("a checkpoint of other options or data is refused, a damaged one too")
  func refusing() throws {
    let path = NSTemporaryDirectory() + "cascade-\(UUID().uuidString).checkpoint"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = cascadeOptions(.lbp)
    let data = try cascadeData(CrossSamples(), blockyPhotos(photos))
    _ = try CascadeTrainer.train(data, options: options, checkpoint: path)
    options.hitRate = 0.9
    #expect {
      try CascadeTrainer.train(data, options: options, checkpoint: path)
    } throws: { error in
      guard let error = error as? InputError else { return false }
      return error.field == "options.hitRate" && error.description.contains("0.995")
        && error.description.contains("--restart")
    }
    options.hitRate = 0.995
    var other = data
    other.checksum = "another"
    #expect(throws: InputError.self) { try CascadeTrainer.train(other, options: options, checkpoint: path) }
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    file[file.count - 9] ^= 1
    try file.write(to: URL(fileURLWithPath: path))
    #expect {
      try CascadeTrainer.train(data, options: options, checkpoint: path)
    } throws: {
      ($0 as? InputError)?.problem == "the checkpoint is damaged"
    }
    try file.prefix(file.count / 2).write(to: URL(fileURLWithPath: path))
    let cut = #expect(throws: InputError.self) { try CascadeTrainer.train(data, options: options, checkpoint: path) }
    #expect(cut?.hint?.contains("--restart") == true)
  }

  @Test("positives that stages reject are replaced")
  func refilling() throws {
    var options = cascadeOptions()
    options.hitRate = 0.8
    options.falseAlarmRate = 0.02
    options.boosting.maximumTreeCount = 5
    let data = try cascadeData(CrossSamples(noise: 90), blockyPhotos(photos))
    let report = try CascadeTrainer.train(data, options: options).report
    #expect(report.stages.count >= 2)
    #expect(report.stages.allSatisfy { $0.positives == 120 })
    #expect(report.stages[1].positivesTried > 0)
  }

  @Test(
    "negatives are cut in proportion to the positives that are left of those that the first stage had",
    arguments: [60, 120])
  func negativesInProportion(_ count: Int) throws {
    var options = cascadeOptions()
    options.hitRate = 0.8
    options.falseAlarmRate = 0.02
    options.boosting.maximumTreeCount = 5
    options.stageCount = 2
    let data = try cascadeData(CrossSamples(count: count, noise: 90), blockyPhotos([(300, 200), (250, 260)]))
    let stages = try CascadeTrainer.train(data, options: options).report.stages
    try #require(stages.count == 2)
    #expect(stages[0].positives == count && stages[0].negatives == 150)
    // None takes the place of a positive that was rejected, and enough negatives are there.
    #expect(stages[1].positives < count && stages[1].negativesKept < stages[1].negatives)
    #expect(stages[1].negatives == Int((150 * Double(stages[1].positives) / Double(count)).rounded()))
  }

  @Test("the trees name only the features that the detector holds, each at least once")
  func compactFeatures() throws {
    let data = try cascadeData(CrossSamples(), blockyPhotos(photos))
    let detector = try CascadeTrainer.train(data, options: cascadeOptions()).detector
    let named = Set(detector.stages.flatMap { $0.trees.flatMap { $0.nodes.map(\.feature) } })
    #expect(named == Set(0..<detector.features.count))
  }

  /// A window's verdict by trees and features alone, pixel by pixel.
  private func oracle(_ detector: CascadeDetector, _ pixels: [UInt8]) -> Int {
    let size = detector.windowSize
    let block = WindowBlock(windowSize: size, hasTilted: true)
    defer { block.release() }
    pixels.withUnsafeBufferPointer { block.fill(0, $0.baseAddress!) }
    var values: [Float] = []
    switch detector.features {
    case .haar(let features):
      let scale = pixels.withUnsafeBufferPointer { WindowContrast.scale($0.baseAddress!, size) }
      guard WindowContrast.isSeen(area: (size.width - 2) * (size.height - 2), scale: scale) else { return -1 }
      let table = HaarFeatureTable(features, windowSize: size)
      var row = [Float](repeating: 0, count: WindowBlock.width)
      for index in features.indices {
        table.fill(index, of: block, into: &row)
        values.append(row[0])
      }
    case .blockPatterns(let patterns):
      var bytes = [UInt8](repeating: 0, count: patterns.count)
      BlockPatternTable(patterns, windowSize: size).fill(
        0..<patterns.count, of: block, count: 1, into: &bytes, stride: 1)
      values = bytes.map { Float($0) }
    }
    for (index, stage) in detector.stages.enumerated() {
      var sum = 0.0
      for tree in stage.trees { sum += Double(tree.score { values[$0] }) }
      if sum < Double(stage.threshold) { return index }
    }
    return detector.stages.count
  }

  @Test(
    "windows here and there get the verdict that their trees and features give",
    arguments: [CascadeTrainerOptions.Features.haarAll, .lbp])
  func sieveOracle(_ features: CascadeTrainerOptions.Features) throws {
    var options = cascadeOptions(features)
    options.boosting.maximumDepth = 2
    let data = try cascadeData(CrossSamples(noise: 60), blockyPhotos(photos))
    let detector = try CascadeTrainer.train(data, options: options).detector
    let sieve = CascadeSieve(windowSize: options.windowSize, features: detector.features, stages: detector.stages)
    var image = blockyPhotos([(60, 50)], seed: 41).images[0]
    // A flat region, which Haar features do not look at.
    for y in 0..<20 { for x in 0..<25 { image.pixels[y * 60 + x] = 100 } }
    let corners = (0..<300).map { (x: $0 * 7 % 49, y: $0 * 11 % 39) }
    for (corner, rank) in zip(corners, sieve.ranks(in: image, corners)) {
      let pixels = image.crop(x: corner.x, y: corner.y, width: 12, height: 12).pixels
      let passed = oracle(detector, pixels)
      #expect(rank.passed == passed, "\(corner)")
      #expect(
        rank.trees == (passed < 0 ? 0 : detector.stages.prefix(passed + 1).reduce(0) { $0 + $1.trees.count }),
        "\(corner)")
    }
  }
}
