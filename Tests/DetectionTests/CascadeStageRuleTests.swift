import Execution
import Foundation
import Testing

@testable import Detection

@Suite("Rules of single stages")
struct CascadeStageRuleTests {
  @Test("a stage takes the element that covers it; behind the list the options hold")
  func lookup() throws {
    var options = CascadeTrainerOptions()
    options.boosting.maximumTreeCount = 50
    options.stagePlan = [
      .init(stages: 2, falseAlarmRate: 0.7, maximumTreeCount: 4), .init(hitRate: 0.9, maximumTreeCount: 300),
    ]
    try options.validate()
    let expected: [CascadeTrainerOptions.StageGoal] = [
      .init(hitRate: 0.995, falseAlarmRate: 0.7, maximumTreeCount: 4),
      .init(hitRate: 0.995, falseAlarmRate: 0.7, maximumTreeCount: 4),
      .init(hitRate: 0.9, falseAlarmRate: 0.5, maximumTreeCount: 300),
      .init(hitRate: 0.995, falseAlarmRate: 0.5, maximumTreeCount: 50),
    ]
    for (index, goal) in expected.enumerated() { #expect(options.rule(ofStage: index + 1) == goal) }
    // The goal of all stages is the product of their own rates.
    options.stageCount = 4
    #expect(abs(options.goal - 0.7 * 0.7 * 0.5 * 0.5) < 1e-12)
  }

  @Test("rules and shares out of range are named")
  func ranges() {
    func problem(_ change: (inout CascadeTrainerOptions) -> Void) -> String {
      var options = CascadeTrainerOptions()
      change(&options)
      do { try options.validate() } catch { return "\(error)" }
      return ""
    }
    #expect(problem { $0.stagePlan = [.init(), .init(hitRate: 1)] }.contains("stagePlan[1].hitRate"))
    #expect(problem { $0.stagePlan = [.init(stages: 0)] }.contains("stagePlan[0].stages"))
    #expect(problem { $0.stagePlan = [.init(falseAlarmRate: .nan)] }.contains("stagePlan[0].falseAlarmRate"))
    #expect(problem { $0.stagePlan = [.init(maximumTreeCount: 0)] }.contains("stagePlan[0].maximumTreeCount"))
    #expect(problem { $0.featureShare = 0 }.contains("featureShare"))
    #expect(problem { $0.featureShare = 1.01 }.contains("featureShare"))
  }

  @Test("options without them are written as before")
  func encoding() throws {
    let plain = String(decoding: try JSONEncoder().encode(CascadeTrainerOptions()), as: UTF8.self)
    #expect(!plain.contains("stagePlan") && !plain.contains("featureShare"))
    let read = try JSONDecoder().decode(
      CascadeTrainerOptions.self,
      from: Data(#"{"stagePlan": [{"maximumTreeCount": 3}, {"stages": 2}], "featureShare": 0.5}"#.utf8))
    #expect(read.stagePlan == [.init(maximumTreeCount: 3), .init(stages: 2)] && read.featureShare == 0.5)
    #expect(try JSONDecoder().decode(CascadeTrainerOptions.self, from: JSONEncoder().encode(read)) == read)
  }

  @Test("training keeps each stage's own limits")
  func training() throws {
    var options = cascadeOptions(.lbp)
    options.stagePlan = [
      .init(falseAlarmRate: 0.001, maximumTreeCount: 1),
      .init(hitRate: 0.9, falseAlarmRate: 0.001, maximumTreeCount: 3),
    ]
    let data = try cascadeData(CrossSamples(), blockyPhotos([(90, 80), (120, 70)]))
    let stages = try CascadeTrainer.train(data, options: options).report.stages
    #expect(stages.count >= 2)
    #expect(stages[0].trees == 1 && stages[0].hitRate >= 0.995)
    #expect(stages[1].trees <= 3 && stages[1].hitRate >= 0.9)
  }

  @Test("a share of the features gives the same bytes on any number of threads, and other ones in each stage")
  func share() throws {
    var options = cascadeOptions(.haarBasic)
    options.featureShare = 0.1
    let data = try cascadeData(CrossSamples(), blockyPhotos([(90, 80), (120, 70), (64, 64)]))
    let one = try CascadeTrainer.train(data, options: options, executor: .serial)
    let other = try CascadeTrainer.train(data, options: options, executor: ParallelExecutor(threadCount: 3))
    #expect(one.detector.features == other.detector.features && one.detector.stages == other.detector.stages)
    // The trees' features are those that the detector keeps, and samples answer to them as they did in training.
    let sieve = CascadeSieve(
      windowSize: options.windowSize, features: one.detector.features, stages: one.detector.stages)
    let crosses = (0..<100).flatMap { CrossSamples(count: 400).sample(at: $0).pixels }
    #expect(sieve.verdicts(crosses[...]).count { $0.passed == one.detector.stages.count } >= 85)
    options.seed = 2
    let seeded = try CascadeTrainer.train(data, options: options, executor: .serial)
    #expect(seeded.detector.features != one.detector.features)
  }
}
