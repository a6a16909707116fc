import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

@Suite("Landmark trainings that are interrupted")
struct LandmarkTrainingResumeTests {
  @Test(
    "1, 2 and 5 threads, and a run that was stopped after each level, end with the same bytes",
    arguments: [false, true])
  func sameBytes(globally: Bool) throws {
    let folder = try SpotFolder()
    try folder.write(count: 24, names: ["a", "b", "c", "d", "e"])
    var options = SmallTraining.options
    if globally {
      options.leaves = .globalRegression
      options.localTrees = 3
      options.localDepth = 3
      options.localPool = 20
      options.regressionWidth = 6
      options.changeFrame = .shape
      options.gradients = [
        .init(resolution: 30, cell: 3, grid: 2, width: 6),
        .init(resolution: 30, cell: 3, grid: 2, width: 6, robustness: 1, alignsAnew: false),
      ]
    }
    let job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: options)
    let expected = try SmallTraining.run(job).modelFile().bytes()
    for threads in [2, 5] {
      #expect(try SmallTraining.run(job, threads: threads).modelFile().bytes() == expected, "\(threads) threads")
    }
    // Stopped as often as there are levels, each time a level further.
    struct Stop: Error {}
    let checkpoint = folder.path + "/model.checkpoint"
    let stops = options.levels + options.gradients.count
    for stop in 1..<stops {
      let cancellation = Cancellation()
      let watcher = LevelWatcher { cancellation.cancel() }
      #expect(throws: CancelledError.self, "stop \(stop)") {
        try SmallTraining.run(job, checkpoint: checkpoint, threads: 2, progress: watcher, cancellation: cancellation)
      }
      let stored = try LandmarkCheckpoint(path: checkpoint).model.predictor
      #expect(stored.levels.count + stored.gradientLevels.count == stop)
    }
    #expect(try SmallTraining.run(job, checkpoint: checkpoint).modelFile().bytes() == expected)
  }

  /// Stops a run at the first level that it ends.
  private struct LevelWatcher: ProgressSink {
    let stop: @Sendable () -> Void

    func receive(_ event: ProgressEvent) {
      if case .note(let text) = event, text.hasPrefix("level ") { stop() }
    }
  }

  @Test(
    "a checkpoint with any bit flipped or cut short is refused, and so is one of another training, naming what differs")
  func refusedCheckpoints() throws {
    let folder = try SpotFolder()
    try folder.write(count: 8, names: ["a", "b", "c"])
    let checkpoint = folder.path + "/model.checkpoint"
    var options = SmallTraining.options
    options.trees = 3
    options.poolSize = 10
    options.levels = 2
    let job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: options)
    _ = try SmallTraining.run(job, checkpoint: checkpoint)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: checkpoint)))
    let damaged = folder.path + "/damaged"
    for seed in 0..<1000 {
      var random = RandomStream(seed: UInt64(seed))
      var copy = bytes
      copy[random.index(below: copy.count)] ^= UInt8(1 << random.index(below: 8))
      try Data(copy).write(to: URL(fileURLWithPath: damaged))
      #expect(throws: InputError.self, "seed \(seed)") { try LandmarkCheckpoint(path: damaged) }
    }
    for tenth in 0...9 {
      try Data(bytes[0..<bytes.count * tenth / 10]).write(to: URL(fileURLWithPath: damaged))
      #expect(throws: InputError.self, "\(tenth) tenths") { try LandmarkCheckpoint(path: damaged) }
    }
    // One whose values alone were changed, in the middle of the leaves.
    var copy = bytes
    copy[copy.count - 200] ^= 1
    try Data(copy).write(to: URL(fileURLWithPath: checkpoint))
    let fault = SmallTraining.error { try SmallTraining.run(job, checkpoint: checkpoint) }
    #expect(fault?.field == "checksum" && fault?.hint?.contains("--restart") == true, "\(fault as Any)")

    try Data(bytes).write(to: URL(fileURLWithPath: checkpoint))
    var other = job
    other.options.shrinkage = 0.2
    #expect(SmallTraining.error { try SmallTraining.run(other, checkpoint: checkpoint) }?.field == "options.shrinkage")
    other = job
    other.options.seed = 5
    #expect(SmallTraining.error { try SmallTraining.run(other, checkpoint: checkpoint) }?.field == "options.seed")
    other = job
    other.isMirrored = true
    other.layout = try LandmarkLayout.read(
      Data(
        #"[{"name":"three","summary":"","sides":"image","pointCount":3,"mirror":[1,0,2],"groups":[]}]"#.utf8),
      name: "test")[0]
    let mirrored = SmallTraining.error { try SmallTraining.run(other, checkpoint: checkpoint) }
    #expect(mirrored?.field == "--mirror" && mirrored?.found == "without mirrored faces", "\(mirrored as Any)")
    other = job
    other.margin = 0.5
    #expect(SmallTraining.error { try SmallTraining.run(other, checkpoint: checkpoint) }?.field != nil)
    try ImageFile.write(ByteImage(width: 56, height: 56, channelCount: 1, filledWith: 9), to: folder.path + "/3.png")
    #expect(SmallTraining.error { try SmallTraining.run(job, checkpoint: checkpoint) }?.field == "data")
  }
}
