import Execution
import Geometry
import Learning
import TestSupport
import Testing

@testable import Detection

@Suite("Soft cascades")
struct SoftCascadeTests {
  private let photos = [(90, 80), (120, 70), (64, 64)]
  private let crosses = CrossSamples(noise: 60)

  private func train(
    _ features: CascadeTrainerOptions.Features, _ samples: CrossSamples, _ change: (inout CascadeTrainerOptions) -> Void
  ) throws -> CascadeTrainingResult {
    var options = cascadeOptions(features)
    options.isSoft = true
    change(&options)
    return try CascadeTrainer.train(try cascadeData(samples, blockyPhotos(photos)), options: options)
  }

  /// Whether each of the samples passes a stage.
  private func passes(_ stage: CascadeStage, _ detector: CascadeDetector) -> [Bool] {
    let samples = (0..<crosses.count).flatMap { crosses.sample(at: $0).pixels }
    let sieve = CascadeSieve(windowSize: detector.windowSize, features: detector.features, stages: [stage])
    return sieve.verdicts(samples[...]).map { $0.passed == 1 }
  }

  @Test("the trace lets every positive pass that the end lets pass, and not one more value would")
  func trace() throws {
    let detector = try train(.lbp, crosses) { $0.boosting.maximumDepth = 2 }.detector
    let stage = try #require(detector.stages.first)
    #expect(detector.stages.count == 1 && stage.trees.count >= 3)
    var untraced = stage
    untraced.trace = nil
    let plain = passes(untraced, detector)
    let trace = try #require(stage.trace)
    #expect(trace.count == stage.trees.count)
    let traced = passes(stage, detector)
    // The first 120 samples are trained on, and those that replace the rejected ones.
    #expect(plain[..<120].count { $0 } > 100)
    #expect(plain[..<120] == traced[..<120])
    for tree in trace.indices {
      var tighter = stage
      tighter.trace?[tree] += 0.01
      #expect(passes(tighter, detector) != traced, "tree \(tree)")
    }
  }

  @Test("a round goes on from the scores of the one before: two of one tree are one of two trees")
  func roundsGoOn() throws {
    func trees(rounds: Int, trees: Int) throws -> CascadeTrainingResult {
      try train(.haarBasic, CrossSamples(noise: 200)) {
        $0.stageCount = rounds
        $0.boosting.maximumTreeCount = trees
        $0.hitRate = 0.999
        $0.falseAlarmRate = 0.1
      }
    }
    let twice = try trees(rounds: 2, trees: 1)
    // Crosses in so much noise are on both sides of any threshold: one tree rejects nothing, and both rounds have the same
    // samples.
    #expect(twice.report.stages.map(\.negativesKept) == [0, 150])
    let once = try trees(rounds: 1, trees: 2)
    #expect(twice.detector.features == once.detector.features)
    #expect(twice.detector.stages.map(\.trees) == once.detector.stages.map(\.trees))
    #expect(once.detector.stages.first?.trees.count == 2)
  }
}
