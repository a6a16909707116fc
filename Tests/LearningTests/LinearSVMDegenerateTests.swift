import Execution
import Learning
import TestSupport
import Testing

/// Input that nobody means to give.
struct LinearSVMDegenerateTests {
  private func train(
    _ rows: [[Float]], _ labels: [Bool], _ options: LinearSVMOptions = LinearSVMOptions(), weights: [Double]? = nil,
    warmStart: [Double]? = nil
  ) throws -> TrainedLinearSVM {
    var random = RandomStream(seed: 1)
    return try LinearSVMTrainer.train(
      samples: SampleMatrix(rows: rows), labels: labels, sampleWeights: weights, options: options,
      warmStart: warmStart, using: &random)
  }

  @Test func whatCannotBeLearntFromIsNamed() {
    #expect(throws: LearningError.noSamples) { try train([], []) }
    #expect(throws: LearningError.noSamples) { try train([[]], [true]) }
    #expect(throws: LearningError.rowSize(row: 1, found: 3, expected: 2)) {
      try train([[1, 2], [1, 2, 3]], [true, false])
    }
    #expect(throws: LearningError.oneClassOnly(positives: 2, negatives: 0)) { try train([[1], [2]], [true, true]) }
    #expect(throws: LearningError.oneClassOnly(positives: 1, negatives: 0)) {
      try train([[1], [2]], [true, false], weights: [1, 0])
    }
    #expect(throws: LearningError.countMismatch(what: "labels", found: 1, expected: 2)) {
      try train([[1], [2]], [true])
    }
    #expect(throws: LearningError.countMismatch(what: "sample weights", found: 1, expected: 2)) {
      try train([[1], [2]], [true, false], weights: [1])
    }
    #expect(throws: LearningError.countMismatch(what: "dual variables of the warm start", found: 3, expected: 2)) {
      try train([[1], [2]], [true, false], warmStart: [0, 0, 0])
    }
    #expect(throws: LearningError.self) { try train([[1], [2]], [true, false], warmStart: [0, .nan]) }
    for bad in [-1, Double.nan, .infinity] {
      #expect(throws: LearningError.badWeight(row: 1)) { try train([[1], [2]], [true, false], weights: [1, bad]) }
    }
    for bad in [Float.nan, .infinity, -.infinity] {
      #expect(throws: LearningError.notFinite(row: 1, column: 2)) {
        try train([[1, 2, 3], [1, 2, bad]], [true, false])
      }
    }
    #expect(throws: LearningError.tooLarge(row: 0, column: 1, limit: LinearSVMTrainer.largestFeature)) {
      try train([[1, -3e38], [1, 2]], [true, false])
    }
  }

  @Test func optionsOutOfRangeAreNamed() {
    func name(_ change: (inout LinearSVMOptions) -> Void) -> String? {
      var options = LinearSVMOptions()
      change(&options)
      do {
        _ = try train([[1], [2]], [true, false], options)
        return nil
      } catch LearningError.badOption(let name, _, _) {
        return name
      } catch {
        return "\(error)"
      }
    }
    #expect(name { _ in } == nil)
    for bad in [0, -1, Double.nan, .infinity] {
      #expect(name { $0.cost = bad } == "cost")
      #expect(name { $0.positiveWeight = bad } == "positiveWeight")
      #expect(name { $0.negativeWeight = bad } == "negativeWeight")
      #expect(name { $0.tolerance = bad } == "tolerance")
      #expect(name { $0.relativeGap = bad } == "relativeGap")
      #expect(name { $0.biasScale = bad } == "biasScale")
    }
    #expect(name { $0.maximumIterations = 0 } == "maximumIterations")
    // Finite and above 0, but nothing that could be computed with.
    for bad in [1e308, 1e10, 1e-10, 1e-300] {
      #expect(name { $0.cost = bad } == "cost")
      #expect(name { $0.positiveWeight = bad } == "positiveWeight")
      #expect(name { $0.negativeWeight = bad } == "negativeWeight")
    }
    #expect(name { $0.biasScale = 1e308 } == "biasScale")
    for cost in [1e-9, 1e9] { #expect(name { $0.cost = cost } == nil) }
    for scale in [1e-6, 1e6] { #expect(name { $0.biasScale = scale } == nil) }
  }

  /// Weights of samples that make their cost infinite: the objective is no number, and no classifier comes back.
  @Test func whatEndsInfiniteIsAnError() {
    #expect {
      try train([[1], [2]], [true, false], LinearSVMOptions(cost: 1e9), weights: [1e305, 1e305])
    } throws: {
      guard case LearningError.resultNotFinite(let objective) = $0 else { return false }
      return !objective.isFinite && "\($0)".contains("not finite")
    }
  }

  @Test(arguments: LinearSVMOptions.Loss.allCases) func oddSamplesGiveFiniteAnswers(loss: LinearSVMOptions.Loss) throws
  {
    let tiny = Float.leastNonzeroMagnitude * 7
    let cases: [(String, [[Float]], [Bool])] = [
      ("one sample a class", [[1, 0], [0, 1]], [true, false]),
      ("constant features", [[3, 3], [3, 3], [3, 3]], [true, false, false]),
      ("all zero", [[0, 0], [0, 0], [0, 0]], [true, false, false]),
      ("the same sample with both labels", [[1, 2], [1, 2], [1, 2], [1, 2]], [true, false, true, false]),
      (
        "more features than samples", [(0..<600).map { Float($0 % 7) }, (0..<600).map { Float($0 % 5) }], [true, false]
      ),
      ("huge", [[1e15, -1e15], [-1e15, 1e15], [1e15, 1e15]], [true, false, false]),
      ("huge and long", [[Float]](repeating: [Float](repeating: 9e14, count: 700), count: 2), [true, false]),
      ("denormal", [[tiny, 0], [0, tiny], [tiny, tiny]], [true, false, true]),
      ("of all sizes", [[1e15, tiny], [1e-20, 1], [-1e10, 1e-10]], [true, false, true]),
    ]
    for (name, rows, labels) in cases {
      for bias in [nil, 1.0] {
        for cost in [1e-6, 1, 1e6] {
          let options = LinearSVMOptions(loss: loss, cost: cost, biasScale: bias, maximumIterations: 300)
          let trained = try train(rows, labels, options)
          let what = "\(name), bias \(bias ?? 0), C \(cost)"
          #expect(trained.svm.weights.allSatisfy(\.isFinite) && trained.svm.bias.isFinite, "\(what)")
          #expect(trained.dualVariables.allSatisfy { $0.isFinite && $0 >= 0 }, "\(what)")
          #expect(trained.report.primalObjective.isFinite && trained.report.dualObjective.isFinite, "\(what)")
          // Never better than the dual allows, and never much worse than w = 0.
          #expect(trained.report.dualityGap >= -1e-6 * trained.report.primalObjective, "\(what)")
          #expect(!trained.report.converged || trained.report.relativeGap <= 1e-4, "\(what)")
        }
      }
    }
  }

  /// Without a bias nothing can part samples of zeros: every dual variable goes to its bound, every sample loses 1.
  @Test func samplesOfZerosWithoutBiasByHand() throws {
    let trained = try train([[0], [0], [0]], [true, false, false], LinearSVMOptions(cost: 2, biasScale: nil))
    #expect(trained.dualVariables == [2, 2, 2])
    #expect(trained.report.primalObjective == 6 && trained.report.dualObjective == 6)
    #expect(trained.report.converged)
  }

  @Test func rowsAreKeptAndAdded() throws {
    var samples = try SampleMatrix(rows: [[0, 1], [2, 3], [4, 5], [6, 7]])
    samples.keepRows([1, 3])
    try samples.append([8, 9])
    #expect(samples.count == 3)
    #expect((0..<3).map { Array(samples[$0]) } == [[2, 3], [6, 7], [8, 9]])
    samples.keepRows([])
    #expect(samples.count == 0)
    #expect(throws: LearningError.rowSize(row: 0, found: 1, expected: 2)) { try samples.append([1]) }
  }
}
