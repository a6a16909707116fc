import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@testable import Detection

/// Inputs of public reports about cascade trainers that hang, crash or end without a word.
@Suite("Cascade trainer: inputs of public reports")
struct CascadeReportedInputTests {
  @Test("one negative of 66 x 28, a window of 19 x 14, 10 000 negatives, 25 stages: ends with the count of windows")
  func oneSmallNegative() throws {
    let size = PixelSize(width: 19, height: 14)
    var options = CascadeTrainerOptions(windowSize: size)
    options.features = .lbp
    options.positiveCount = 200
    options.negativeCount = 10_000
    options.stageCount = 25
    let data = try cascadeData(CrossSamples(windowSize: size, count: 250, noise: 60), blockyPhotos([(66, 28)]))
    let listener = ListeningProgress()
    let result = try CascadeTrainer.train(data, options: options, progress: listener)
    let count = data.negatives.count
    #expect(result.report.windowsAvailable == count && count < 10_000)
    #expect(listener.warnings.contains { $0.contains("\(count) distinct windows exist") })
    let end = try #require(result.report.end)
    #expect(end.reason == .negatives)
    #expect(!result.detector.stages.isEmpty && result.report.stages.count < 25)
    // No window twice: the first stage had them all.
    #expect(result.report.stages.reduce(0) { $0 + $1.windowsTried } == count)
  }

  @Test("more positives than there are: all are used, and it is said")
  func tooManyPositives() throws {
    var options = cascadeOptions()
    options.positiveCount = 5000
    options.stageCount = 1
    let listener = ListeningProgress()
    let data = try cascadeData(CrossSamples(count: 90), blockyPhotos([(80, 80)]))
    let report = try CascadeTrainer.train(data, options: options, progress: listener).report
    #expect(report.stages[0].positives == 90)
    #expect(listener.warnings.contains { $0.contains("5000 positives") && $0.contains("90 are there") })
    // 150 for 5000 positives.
    #expect(report.stages[0].negatives == 3)
    #expect(listener.warnings.contains { $0.contains("3 negatives in proportion, not 150") })
  }

  @Test("windows that are wider than high", arguments: CascadeTrainerOptions.Features.allCases)
  func wideWindows(_ features: CascadeTrainerOptions.Features) throws {
    let size = PixelSize(width: 30, height: 20)
    var options = cascadeOptions(features)
    options.windowSize = size
    options.positiveCount = 60
    options.negativeCount = 60
    options.stageCount = 2
    options.memory = 40
    let data = try cascadeData(CrossSamples(windowSize: size, count: 80), blockyPhotos([(90, 70)]))
    let result = try CascadeTrainer.train(data, options: options)
    #expect(result.detector.windowSize == size && !result.detector.stages.isEmpty)
  }

  @Test("a window larger than every negative is refused, with the sizes")
  func largeWindow() throws {
    let size = PixelSize(width: 40, height: 40)
    var options = cascadeOptions()
    options.windowSize = size
    let data = try cascadeData(CrossSamples(windowSize: size), blockyPhotos([(39, 90), (90, 30)]))
    #expect {
      try CascadeTrainer.train(data, options: options)
    } throws: { error in
      guard let error = error as? InputError else { return false }
      return error.description.contains("40 x 40") && error.description.contains("39 x 90")
    }
  }

  @Test(
    "stages asked for after the goal is met: it ends early and says so; so a first stage that rejects everything does")
  func goal() throws {
    var options = cascadeOptions()
    options.falseAlarmGoal = 0.4
    options.stageCount = 20
    let data = try cascadeData(CrossSamples(noise: 60), blockyPhotos([(120, 100), (90, 90)]))
    let early = try CascadeTrainer.train(data, options: options).report
    #expect(early.end?.reason == .goal && early.stages.count < 20)
    #expect(early.end?.explanation.contains("goal") ?? false)

    // Photos without a single cross, and crosses without noise: one stage is enough to reject all windows.
    options.falseAlarmGoal = nil
    options.stageCount = 20
    options.falseAlarmRate = 0.01
    options.hitRate = 0.5
    let flat = PlainPhotos(
      images: [
        ByteImage(
          width: 60, height: 60, channelCount: 1,
          pixels: (0..<3600).map { $0 % 60 / 2 % 2 == 0 ? 20 : 220 })
      ])
    let all = try CascadeTrainer.train(try cascadeData(CrossSamples(noise: 5), flat), options: options)
    #expect(all.report.stages.count == 1)
    // So few windows cannot show a rate of 0.01 to the power of 20: they have run out.
    #expect(all.report.end?.reason == .negatives)
    #expect(!all.detector.stages.isEmpty)
  }

  @Test("positives and negatives that are the same: refused, as nothing can be learnt")
  func nothingToLearn() throws {
    struct Flat: PositiveSamples {
      let windowSize = PixelSize(width: 12, height: 12)
      let count = 50
      func sample(at index: Int) -> ByteImage {
        ByteImage(width: 12, height: 12, channelCount: 1, filledWith: 50)
      }
      func name(at index: Int) -> String { "flat" }
    }
    var options = cascadeOptions(.lbp)
    let grey = PlainPhotos(images: [ByteImage(width: 40, height: 40, channelCount: 1, filledWith: 90)])
    #expect(throws: InputError.self) { try CascadeTrainer.train(try cascadeData(Flat(), grey), options: options) }
    options.features = .haarBasic
    #expect {
      try CascadeTrainer.train(try cascadeData(Flat(), blockyPhotos([(40, 40)])), options: options)
    } throws: { ($0 as? InputError)?.description.contains("10 grey levels") ?? false }
  }

  @Test("many samples with little memory train as with much")
  func littleMemory() throws {
    var options = cascadeOptions(.haarCore)
    options.positiveCount = 3000
    options.negativeCount = 3000
    options.stageCount = 1
    options.boosting.maximumTreeCount = 2
    let data = try cascadeData(CrossSamples(count: 3000), blockyPhotos([(200, 200)]))
    options.memory = 400
    let much = try CascadeTrainer.train(data, options: options)
    options.memory = 16
    let little = try CascadeTrainer.train(data, options: options)
    #expect(much.detector.stages == little.detector.stages)
  }

  @Test(
    "options out of range are named",
    arguments: [
      "hitRate", "falseAlarmRate", "stageCount", "positiveCount", "memory", "windowSize", "boosting.maximumDepth",
    ])
  func options(_ field: String) throws {
    var options = cascadeOptions()
    switch field {
    case "hitRate": options.hitRate = 1
    case "falseAlarmRate": options.falseAlarmRate = 0
    case "stageCount": options.stageCount = 0
    case "positiveCount": options.positiveCount = 1
    case "memory": options.memory = 1
    case "windowSize": options.windowSize = PixelSize(width: 2, height: 40)
    default: options.boosting.maximumDepth = 0
    }
    #expect {
      try options.validate()
    } throws: { ($0 as? InputError)?.field == field }
    options = cascadeOptions()
    options.positiveCount = 40_000
    options.negativeCount = 40_000
    options.windowSize = PixelSize(width: 24, height: 24)
    #expect {
      try options.validate()
    } throws: { ($0 as? InputError)?.description.contains("at least") ?? false }
  }

  @Test("a window size that is not the samples' is refused")
  func otherSize() throws {
    var options = cascadeOptions()
    options.windowSize = PixelSize(width: 13, height: 12)
    let data = try cascadeData(CrossSamples(), blockyPhotos([(40, 40)]))
    #expect(throws: InputError.self) { try CascadeTrainer.train(data, options: options) }
  }
}
