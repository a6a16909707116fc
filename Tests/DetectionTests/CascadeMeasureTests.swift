import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@testable import Detection

@Suite("Cascade measure")
struct CascadeMeasureTests {
  private func rank(_ passed: Int, _ sum: Double) -> CascadeMeasure.Rank { .init(passed: passed, sum: sum) }

  /// 200 windows, of which 30 pass the first of two stages and 5 the second; of five positives one passes both.
  private var byHand: CascadeMeasure {
    let alarms = (0..<5).map { rank(2, Double($0)) } + (0..<25).map { rank(1, Double($0)) }
    let positives = [rank(2, 2.5), rank(1, 100), rank(1, 9), rank(0, 3), rank(-1, -.infinity)]
    return CascadeMeasure(positives: positives, negatives: alarms, windows: 200, treesAsked: 500, stageCount: 2)
  }

  @Test("rates of stages, worked by hand")
  func stages() {
    let measure = byHand
    #expect(measure.positives == 5 && measure.windows == 200 && measure.treesPerWindow == 2.5)
    #expect(measure.stages.map(\.falseAlarmRate) == [0.15, 0.025])
    #expect(measure.stages.map(\.missRate) == [0.4, 0.8])
  }

  /// 20 of 200 windows may pass: the five of the second stage and the sums 24 down to 10 of the first. The threshold lies
  /// above the next, whose sum is 9: it takes the positive of 9 along.
  @Test("miss rates at round rates, worked by hand; rates of fewer than ten windows are not told")
  func points() {
    let points = byHand.points
    #expect(points.first == .init(falseAlarmRate: 0.1, missRate: 0.6))
    #expect(points.dropFirst().allSatisfy { $0.missRate == nil })
    // As many as pass at all cannot be cut to a rate above.
    let few = CascadeMeasure(
      positives: [rank(1, 1)], negatives: [rank(1, 0)], windows: 1000, treesAsked: 0, stageCount: 1)
    #expect(few.points.allSatisfy { $0.missRate == nil })
  }

  @Test(
    "measuring agrees with asking every sample and every window",
    arguments: [CascadeTrainerOptions.Features.haarBasic, .lbp])
  func oracle(_ features: CascadeTrainerOptions.Features) throws {
    let data = try cascadeData(CrossSamples(noise: 60), blockyPhotos([(90, 80), (70, 60)]))
    let detector = try CascadeTrainer.train(data, options: cascadeOptions(features)).detector
    let others = try cascadeData(CrossSamples(count: 333, noise: 70), blockyPhotos([(80, 70)], seed: 31))
    let sieve = CascadeSieve(
      windowSize: detector.windowSize, features: detector.features, stages: detector.stages)
    let pixels = try others.positives.samples(at: Array(0..<333), executor: .serial)
    let passed = sieve.verdicts(pixels[...]).map(\.passed)
    for limit in [others.negatives.count, 500] {
      let measure = try CascadeMeasure.measure(
        windowSize: detector.windowSize, features: detector.features, stages: detector.stages,
        positives: others.positives, negatives: others.negatives, windowLimit: limit,
        executor: ParallelExecutor(threadCount: 2))
      // All windows that the order names first, one by one.
      let all = try others.negatives.harvest(limit, from: 0) { unit in Array(unit.windows.indices) }
      let alarms = sieve.verdicts(all.pixels[...]).map(\.passed)
      #expect(measure.positives == 333 && measure.windows == limit && alarms.count == limit)
      #expect(measure.stages.count == detector.stages.count)
      for (index, stage) in measure.stages.enumerated() {
        #expect(stage.missRate == Double(passed.count { $0 <= index }) / 333)
        #expect(stage.falseAlarmRate == Double(alarms.count { $0 > index }) / Double(limit))
      }
    }
  }

  @Test("the text claims of the data only what its caller knows")
  func words() {
    #expect(byHand.markdown(isHeldOut: true).hasPrefix("On 5 positives and 200 windows that were not trained on:"))
    #expect(byHand.markdown(isHeldOut: false).hasPrefix("On 5 positives and 200 windows:"))
    #expect(byHand.markdown(isHeldOut: false).contains("| 2 | 0.025 | 0.8 |"))
  }
}
