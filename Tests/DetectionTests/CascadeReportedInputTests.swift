import Execution
import Foundation
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
    // As many negatives as asked for: few positives are no reason to learn from few of them.
    #expect(report.stages[0].negatives == options.negativeCount)
  }

  @Test("windows that are wider than high", arguments: CascadeTrainerOptions.Features.allCases)
  func wideWindows(_ features: CascadeTrainerOptions.Features) throws {
    let size = PixelSize(width: 30, height: 20)
    var options = cascadeOptions(features)
    options.windowSize = size
    options.positiveCount = 60
    options.negativeCount = 60
    options.stageCount = 2
    options.memory = 100
    let data = try cascadeData(CrossSamples(windowSize: size, count: 80), blockyPhotos([(90, 70)]))
    let result = try CascadeTrainer.train(data, options: options)
    #expect(result.detector.windowSize == size && !result.detector.stages.isEmpty)
  }

  @Test("a window larger than every negative is refused, with the sizes")
  func largeWindow() throws {
    let size = PixelSize(width: 40, height: 40)
    var options = cascadeOptions()
    options.windowSize = size
    options.memory = 400
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

  @Test("the largest mean that goes with a count: the exact upper ends of 95 % (chi-square tables), within 1 %")
  func largestMeans() {
    for (count, exact) in [(0, 2.996), (1, 4.744), (2, 6.296), (10, 16.962), (100, 118.08)] {
      let found = NegativeHarvest.largestMean(of: count)
      #expect(abs(found - exact) < 0.01 * exact, "\(count): \(found)")
    }
    var harvest = NegativeHarvest()
    #expect(harvest.acceptanceBound == nil)
    harvest.visited = 2
    #expect(harvest.acceptanceBound == 1)
  }

  @Test("the goal is met only on windows enough to show it, and their number is told", arguments: [0.3, 0.05])
  func goalIsShown(_ goal: Double) throws {
    var options = cascadeOptions()
    options.stageCount = 6
    options.falseAlarmGoal = goal
    // Two negatives a stage: by their share alone a search of a few windows would do.
    options.positiveCount = 60
    options.negativeCount = 2
    let data = try cascadeData(CrossSamples(noise: 60), blockyPhotos([(120, 100), (90, 90)]))
    let report = try CascadeTrainer.train(data, options: options).report
    let end = try #require(report.end)
    if end.reason == .goal {
      let words = end.explanation.split(separator: " ").compactMap { Int($0) }
      // "after 2 of 6 stages: of 93 windows, …, they let 1 pass"
      let (visited, found) = (words[2], words[3])
      #expect(NegativeHarvest.largestMean(of: found) / Double(visited) <= goal, "\(end.explanation)")
      #expect(Double(visited) >= 2.9 / goal)
    } else {
      #expect(!end.explanation.contains("goal is met"))
    }
  }

  @Test("time left: nothing of the first stages; then geometric in the search and linear in boosting, by hand")
  func timeLeft() {
    var report = CascadeTrainingReport(featureCount: 1, positivesAvailable: 1, windowsAvailable: 1_000_000)
    func stage(_ number: Int, _ windows: Int, _ search: Double, _ boosting: Double) -> CascadeTrainingReport.Stage {
      .init(
        number: number, positives: 1, positivesTried: 1, negatives: 1, negativesKept: 0, windowsTried: windows,
        acceptance: 1 / Double(windows), trees: 1, features: 1, hitRate: 1, falseAlarmRate: 0.5,
        seconds: search + boosting, searchSeconds: search)
    }
    for (number, windows) in [(1, 1000), (2, 2000), (3, 4000), (4, 8000)] {
      #expect(report.secondsLeft(stageCount: 6, goal: 0) == nil)
      report.stages.append(stage(number, windows, Double(windows) / 1000, 10 + Double(number)))
    }
    // 16 and 32 s of search, 15 and 16 s of boosting.
    #expect(abs((report.secondsLeft(stageCount: 6, goal: 0) ?? 0) - (16 + 32 + 15 + 16)) < 1e-6)
    #expect(report.secondsLeft(stageCount: 4, goal: 0) == nil)
    // 1/8000 · 0.5 is what passes: only the search that shows it is left.
    #expect(abs((report.secondsLeft(stageCount: 6, goal: 1e-4) ?? 0) - 16) < 1e-6)
    // 5000 windows are left, which take 5 s.
    report.windowsAvailable = 20_000
    #expect(abs((report.secondsLeft(stageCount: 6, goal: 0) ?? 0) - 5) < 1e-6)
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

  /// Photos of one grey, all but one spot of noise of the window's size.
  private func flatPhotos(spots: Int) -> PlainPhotos {
    PlainPhotos(
      images: (0..<max(1, spots)).map { index in
        var image = ByteImage(width: 60, height: 50, channelCount: 1, filledWith: 255)
        guard index < spots else { return image }
        let spot = noiseImage(width: 12, height: 12, channelCount: 1, seed: UInt64(index))
        for y in 0..<12 { for x in 0..<12 { image.pixels[(10 + y) * 60 + 20 + x] = spot.pixels[y * 12 + x] } }
        return image
      })
  }

  @Test(
    "photos without a window that can be used: an error with how many there are, and no checkpoint",
    arguments: [CascadeTrainerOptions.Features.haarBasic, .lbp], [false, true])
  func unusableNegatives(_ features: CascadeTrainerOptions.Features, _ isSoft: Bool) throws {
    let path = NSTemporaryDirectory() + "cascade-\(UUID().uuidString).checkpoint"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = cascadeOptions(features)
    options.isSoft = isSoft
    // Goals at which a search that goes by the goal would end after a few hundred windows, and at which it would not.
    let goals: [(Double?, Int)] = [(nil, 1), (0.9, 3), (0, 3)]
    for (goal, stages) in goals {
      options.falseAlarmGoal = goal
      options.stageCount = stages
      let photos =
        features == .lbp
        ? PlainPhotos(images: [ByteImage(width: 12, height: 12, channelCount: 1, filledWith: 128)])
        : flatPhotos(spots: 0)
      let data = try cascadeData(CrossSamples(), photos)
      let error = try #require(throws: InputError.self) {
        try CascadeTrainer.train(data, options: options, checkpoint: path)
      }
      #expect(error.problem == "too few windows can be used" && error.source == "negatives")
      #expect(error.found?.contains("of \(data.negatives.count) distinct windows") ?? false)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("few windows that can be used among very many: the first stage looks at all of them, and tells what is missing")
  func rareNegatives() throws {
    var options = cascadeOptions()
    options.falseAlarmGoal = 0.9
    options.stageCount = 1
    let data = try cascadeData(CrossSamples(), flatPhotos(spots: 1))
    let listener = ListeningProgress()
    let stage = try #require(try CascadeTrainer.train(data, options: options, progress: listener).report.stages.first)
    // Those that hold a part of the spot: far fewer than there are, and more than the first few hundred hold.
    let sieve = CascadeSieve(
      windowSize: options.windowSize, features: options.features.all(in: options.windowSize), stages: [])
    let usable = try data.negatives.harvest(data.negatives.count, from: 0) { unit in
      return sieve.passing(in: unit.image, unit.windows.map { ($0.x, $0.y) })
    }
    #expect(stage.negatives == min(options.negativeCount, usable.sources.count))
    if usable.sources.count < options.negativeCount {
      #expect(listener.warnings.contains { $0.hasPrefix("Fewer negatives than asked for") })
    }
  }

  @Test("validation on no window is refused")
  func validationWindows() throws {
    let options = cascadeOptions()
    for limit in [0, -1] {
      var data = try cascadeData(CrossSamples(), blockyPhotos([(60, 60)]))
      data.validation = .init(positives: CrossSamples(count: 9), negatives: data.negatives, windowLimit: limit)
      let error = try #require(throws: InputError.self) { try CascadeTrainer.train(data, options: options) }
      #expect(error.field == "windowLimit" && error.found == "\(limit)")
    }
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
