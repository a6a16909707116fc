import Execution
import Learning

/// What a training holds between stages.
struct CascadeTrainingState: Sendable {
  var stages: [CascadeStage] = []
  /// Indices of the positives that all stages let pass, and their pixels.
  var positives: [Int] = []
  var positivePixels: [UInt8] = []
  /// The next positive to look at.
  var positiveCursor = 0
  /// Pixels of the negatives that all stages let pass.
  var negativePixels: [UInt8] = []
  /// The next window to look at.
  var negativeCursor = 0
  /// About the share of windows that pass.
  var acceptance = 1.0
  var report: CascadeTrainingReport

  func negativeCount(_ options: CascadeTrainerOptions) -> Int {
    negativePixels.count / (options.windowSize.width * options.windowSize.height)
  }

  /// A soft cascade is one stage.
  var trees: [DecisionTree] { stages.flatMap(\.trees) }
}

extension CascadeTrainer {
  /// The least samples of a class that a stage is trained on, of those that were asked for.
  static func least(of wanted: Int) -> Int { max(2, wanted / 20) }

  /// Takes positives that pass until there are enough, or none is left.
  ///
  /// - Returns: how many were looked at.
  func fillPositives(_ state: inout CascadeTrainingState, _ sieve: CascadeSieve) throws -> Int {
    let area = options.windowSize.width * options.windowSize.height
    let start = state.positiveCursor
    while state.positives.count < options.positiveCount, state.positiveCursor < data.positives.count {
      try cancellation.check()
      let missing = options.positiveCount - state.positives.count
      let count = min(missing + missing / 16 + 16, 8192, data.positives.count - state.positiveCursor)
      let indices = Array(state.positiveCursor..<state.positiveCursor + count)
      let pixels = try data.positives.samples(at: indices, executor: executor)
      for (number, verdict) in CascadeTrainer.verdicts(sieve, pixels, options.windowSize, executor).enumerated() {
        guard state.positives.count < options.positiveCount else { break }
        state.positiveCursor += 1
        guard verdict.passed == sieve.stageCount else { continue }
        state.positives.append(indices[number])
        state.positivePixels += pixels[number * area..<(number + 1) * area]
      }
    }
    return state.positiveCursor - start
  }

  /// Why there is no further stage, where positives are too few.
  func tooFewPositives(_ state: CascadeTrainingState) -> CascadeTrainingReport.End? {
    let wanted = min(options.positiveCount, data.positives.count)
    guard state.positives.count < CascadeTrainer.least(of: wanted) else {
      if data.positives.count < options.positiveCount, state.report.stages.isEmpty {
        progress.receive(
          .warning(
            "\(options.positiveCount) positives a stage are asked for, \(data.positives.count) are there: all of them are used; "
              + "jittered copies (--copies, sampling.copies) make more of each object"))
      }
      return nil
    }
    return .init(
      reason: .positives,
      explanation: "Too few positives are left for another stage: \(state.positives.count) of "
        + "\(data.positives.count) pass the \(state.report.stages.count) stages.")
  }

  func noPositives(_ end: CascadeTrainingReport.End) -> InputError {
    InputError(
      source: "positives", problem: "too few can be used",
      found: "\(end.explanation.prefix { $0 != "." })", expected: "2 or more",
      hint: options.features == .lbp
        ? nil : "windows whose standard deviation is 10 grey levels or less cannot be detected by Haar features")
  }

  /// Negatives of the next stage: in proportion to the positives that are left of those that the first had.
  private func negativesWanted(_ state: CascadeTrainingState) -> Int {
    let share = Double(state.positives.count) / Double(min(options.positiveCount, data.positives.count))
    return max(2, Int((Double(options.negativeCount) * share).rounded()))
  }

  /// Takes windows that pass until there are enough, none is left, or so many were looked at that the goal is met (which
  /// no number of them shows before there is a stage).
  ///
  /// - Returns: what the search found, `nil` where none was needed; and why there is no further stage, if so.
  func fillNegatives(
    _ state: inout CascadeTrainingState, _ sieve: CascadeSieve
  ) throws -> (harvest: NegativeHarvest?, end: CascadeTrainingReport.End?) {
    let wanted = negativesWanted(state)
    let missing = wanted - state.negativeCount(options)
    guard missing > 0 else { return (nil, nil) }
    // Where fewer than `missing` of so many windows pass, the goal is shown to be met.
    let enough =
      state.report.stages.isEmpty ? .infinity : NegativeHarvest.largestMean(of: missing - 1) / max(options.goal, 1e-15)
    let limit = enough < Double(data.negatives.count) ? Int(enough.rounded(.up)) : data.negatives.count
    let number = state.report.stages.count + 1
    progress.receive(.began(phase: "stage \(number): looking for negatives", total: missing))
    let harvest = try data.negatives.harvest(
      missing, from: state.negativeCursor, limit: limit, expectedAcceptance: max(state.acceptance, 1e-9),
      executor: executor, cancellation: cancellation,
      advanced: { _, found in progress.receive(.advanced(completed: found)) }
    ) { unit in sieve.passing(in: unit.image, unit.windows.map { (x: $0.x, y: $0.y) }) }
    progress.receive(.ended)
    state.negativeCursor = harvest.cursor
    state.negativePixels += harvest.pixels
    if harvest.visited > 0 {
      state.acceptance = max(Double(harvest.sources.count), 0.5) / Double(harvest.visited)
    }
    return (harvest, try ending(state, harvest, wanted: wanted, missing: missing))
  }

  private func ending(
    _ state: CascadeTrainingState, _ harvest: NegativeHarvest, wanted: Int, missing: Int
  ) throws -> CascadeTrainingReport.End? {
    let done = state.report.stages.count
    let found = harvest.sources.count
    let acceptance = harvest.acceptance.map { NumberWords.short($0) } ?? "-"
    let goal = NumberWords.short(options.goal)
    // Few windows, or few that pass, prove little: the share may be as large as the bound.
    if done > 0, let bound = harvest.acceptanceBound, bound <= options.goal {
      return .init(
        reason: .goal,
        explanation: "The false-alarm goal is met after \(done) of \(options.stageCount) stages: of \(harvest.visited) "
          + "windows, none of them seen before, they let \(found) pass (\(acceptance), and no more than "
          + "\(NumberWords.short(bound)) with a confidence of 95 %); the goal is \(goal).")
    }
    guard harvest.isExhausted, found < missing else { return nil }
    let have = state.negativeCount(options)
    let told =
      "\(data.negatives.count) distinct windows exist, all have been looked at; the search for \(missing) found \(found) "
      + "in the last \(harvest.visited) (\(acceptance)), and \(have) negatives are at hand."
    let undecided =
      done > 0 && harvest.acceptance.map { $0 <= options.goal } ?? false
      ? " So few windows do not show that the false-alarm goal of \(goal) is met." : ""
    if have >= (done == 0 ? 2 : CascadeTrainer.least(of: wanted)) {
      progress.receive(.warning("Fewer negatives than asked for: \(told)"))
      return nil
    }
    if done == 0 { throw noNegatives(have) }
    return .init(
      reason: .negatives,
      explanation: "Too few negatives are left for another stage after \(done) of \(options.stageCount): \(told)"
        + undecided)
  }

  private func noNegatives(_ have: Int) -> InputError {
    InputError(
      source: "negatives", problem: "too few windows can be used",
      found: "\(have) of \(data.negatives.count) distinct windows, all of which have been looked at",
      expected: "2 or more",
      hint: options.features == .lbp
        ? "give more or larger photos, or take a smaller window"
        : "windows whose standard deviation is 10 grey levels or less cannot be seen by Haar features: give photos that "
          + "are not of one colour, or more of them")
  }

  /// Keeps the samples that the newest stage lets pass.
  func dropRejected(_ state: inout CascadeTrainingState) {
    let area = options.windowSize.width * options.windowSize.height
    let sieve = CascadeSieve(windowSize: options.windowSize, features: features, stages: state.stages)
    func kept(_ pixels: [UInt8]) -> [Int] {
      let verdicts = CascadeTrainer.verdicts(sieve, pixels, options.windowSize, executor)
      return verdicts.indices.filter { verdicts[$0].passed == sieve.stageCount }
    }
    func gathered(_ pixels: [UInt8], _ indices: [Int]) -> [UInt8] {
      var result: [UInt8] = []
      result.reserveCapacity(indices.count * area)
      for index in indices { result += pixels[index * area..<(index + 1) * area] }
      return result
    }
    let positives = kept(state.positivePixels)
    state.positivePixels = gathered(state.positivePixels, positives)
    state.positives = positives.map { state.positives[$0] }
    let before = state.negativeCount(options)
    state.negativePixels = gathered(state.negativePixels, kept(state.negativePixels))
    if before > 0 {
      let share = Double(max(1, state.negativeCount(options))) / Double(before)
      state.acceptance *= share
    }
  }
}
