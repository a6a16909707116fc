import Execution
import Foundation
import Learning
import TestSupport
import Testing

struct LinearSVMTests {
  private func train(
    _ rows: [[Float]], _ labels: [Bool], _ options: LinearSVMOptions, weights: [Double]? = nil, seed: UInt64 = 1,
    warmStart: [Double]? = nil
  ) throws -> TrainedLinearSVM {
    var random = RandomStream(seed: seed)
    return try LinearSVMTrainer.train(
      samples: SampleMatrix(rows: rows), labels: labels, sampleWeights: weights, options: options,
      warmStart: warmStart, using: &random)
  }

  private func tight(_ loss: LinearSVMOptions.Loss, _ cost: Double, bias: Double? = 1) -> LinearSVMOptions {
    LinearSVMOptions(
      loss: loss, cost: cost, biasScale: bias, tolerance: 1e-3, relativeGap: 1e-6, maximumIterations: 100_000)
  }

  /// Two samples at +1 and -1 without bias: w minimises w^2 / 2 + 2 C loss(1 - w).
  @Test func twoSamplesByHand() throws {
    let rows: [[Float]] = [[1], [-1]]
    let free = try train(rows, [true, false], tight(.hinge, 10, bias: nil))
    #expect(abs(free.svm.weights[0] - 1) < 1e-5)
    #expect(abs(free.report.primalObjective - 0.5) < 1e-5)
    #expect(free.report.boundedSupportVectorCount == 0)
    let bound = try train(rows, [true, false], tight(.hinge, 0.1, bias: nil))
    #expect(abs(bound.svm.weights[0] - 0.2) < 1e-6)
    #expect(abs(bound.report.primalObjective - 0.18) < 1e-6)
    #expect(bound.report.boundedSupportVectorCount == 2)
    let squared = try train(rows, [true, false], tight(.squaredHinge, 0.5, bias: nil))
    #expect(abs(squared.svm.weights[0] - 2 / 3) < 1e-3, "w = 4 C / (1 + 4 C)")
    #expect(squared.svm.bias == 0)
    #expect(abs(squared.svm.score(of: [3]) - 2) < 1e-3)
  }

  struct Golden: Decodable {
    struct Case: Decodable {
      var loss: LinearSVMOptions.Loss
      var cost: Double
      var objective: Double
    }
    var samples: [[Float]]
    var positive: [Bool]
    var cases: [Case]
  }

  /// Golden: liblinear 2.3.0, see Tests/Fixtures/Learning/make_fixtures.py; tolerance 2e-6 of the objective (the wanted gap and
  /// the rounding of the samples to single precision).
  @Test func objectivesAgreeWithLiblinear() throws {
    let golden = try fixture(Golden.self, "svm.json")
    #expect(golden.cases.count == 6)
    for item in golden.cases {
      let trained = try train(golden.samples, golden.positive, tight(item.loss, item.cost))
      #expect(trained.report.converged)
      let found = primal(trained.svm, golden.samples, golden.positive, item.loss, item.cost)
      #expect(abs(found - item.objective) < 2e-6 * item.objective, "\(item.loss) \(item.cost)")
    }
  }

  /// The objective from its definition.
  private func primal(
    _ svm: LinearSVM, _ rows: [[Float]], _ labels: [Bool], _ loss: LinearSVMOptions.Loss, _ cost: Double,
    weights: [Double]? = nil
  ) -> Double {
    var value = 0.5 * (svm.bias * svm.bias + svm.weights.reduce(0.0) { $0 + Double($1) * Double($1) })
    for (index, row) in rows.enumerated() {
      let score = zip(svm.weights, row).reduce(svm.bias) { $0 + Double($1.0) * Double($1.1) }
      let slack = max(0, 1 - (labels[index] ? score : -score))
      value += cost * (weights?[index] ?? 1) * (loss == .hinge ? slack : slack * slack)
    }
    return value
  }

  /// The dual from its definition, from the dual variables alone.
  private func dual(
    _ alphas: [Double], _ rows: [[Float]], _ labels: [Bool], _ loss: LinearSVMOptions.Loss, _ cost: Double
  ) -> Double {
    var w = [Double](repeating: 0, count: rows[0].count + 1)
    for (index, row) in rows.enumerated() {
      let scale = labels[index] ? alphas[index] : -alphas[index]
      for (column, value) in row.enumerated() { w[column] += scale * Double(value) }
      w[row.count] += scale
    }
    return alphas.reduce(-0.5 * w.reduce(0) { $0 + $1 * $1 }) { sum, alpha in
      sum + alpha - (loss == .hinge ? 0 : 0.25 / cost * alpha * alpha)
    }
  }

  private func problem(_ count: Int, _ dimension: Int, _ random: inout RandomStream) -> ([[Float]], [Bool]) {
    let labels = (0..<count).map { $0 % 3 == 0 }
    let rows = labels.map { label in
      (0..<dimension).map { column in Float(random.gaussian() + (label && column % 4 == 0 ? 0.5 : 0)) }
    }
    return (rows, labels)
  }

  /// Short rows (double precision), long ones (single precision), more features than samples, odd sizes. A dual value below the primal
  /// bounds how far the optimum can be, so agreement of the two proves the answer without a second solver.
  @Test(arguments: testSeeds) func primalAndDualMeetByTheirDefinitions(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    for (count, dimension) in [(90, 7), (41, 133), (70, 611)] {
      let (rows, labels) = problem(count, dimension, &random)
      for loss in LinearSVMOptions.Loss.allCases {
        let options = LinearSVMOptions(loss: loss, cost: 0.05, relativeGap: 1e-5, maximumIterations: 20_000)
        let trained = try train(rows, labels, options, seed: seed)
        let high = primal(trained.svm, rows, labels, loss, 0.05)
        let low = dual(trained.dualVariables, rows, labels, loss, 0.05)
        #expect(trained.report.converged, "seed \(seed), \(dimension) features, \(loss)")
        #expect(high - low < 2e-5 * high, "seed \(seed), \(dimension) features, \(loss)")
        #expect(abs(trained.report.primalObjective - high) < 1e-5 * high, "seed \(seed)")
        #expect(abs(trained.report.dualObjective - low) < 1e-5 * high, "seed \(seed)")
        let limit = loss == .hinge ? 0.05 : Double.infinity
        #expect(trained.dualVariables.allSatisfy { $0 >= 0 && $0 <= limit }, "seed \(seed)")
        #expect(trained.report.supportVectorCount == trained.dualVariables.count { $0 > 0 })
      }
    }
  }

  /// Samples that were set aside are looked at once more before training ends by `tolerance` alone: the projected gradients of
  /// all of them, from their definition, lie as close together as it says (but for what the last pass moved).
  @Test(arguments: testSeeds) func noSampleIsLeftAsideInTheEnd(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    let (rows, labels) = problem(300, 20, &random)
    let options = LinearSVMOptions(cost: 1, tolerance: 0.01, relativeGap: nil, maximumIterations: 20_000)
    let trained = try train(rows, labels, options, seed: seed)
    #expect(trained.report.converged)
    let projected = rows.indices.map { index in
      let score = zip(trained.svm.weights, rows[index]).reduce(trained.svm.bias) { $0 + Double($1.0) * Double($1.1) }
      let gradient = (labels[index] ? score : -score) - 1
      let alpha = trained.dualVariables[index]
      return alpha <= 0 ? min(gradient, 0) : alpha >= 1 ? max(gradient, 0) : gradient
    }
    let spread = try #require(projected.max()) - #require(projected.min())
    #expect(spread < 0.02, "seed \(seed): \(spread)")
  }

  /// The bias is the weight of a feature that is `biasScale` everywhere: the same as giving that feature.
  @Test func theBiasIsAFeatureOfItsScale() throws {
    var random = RandomStream(seed: 12)
    let (rows, labels) = problem(60, 6, &random)
    let scaled = try train(rows, labels, tight(.squaredHinge, 0.1, bias: 5))
    let feature = try train(rows.map { $0 + [5] }, labels, tight(.squaredHinge, 0.1, bias: nil))
    #expect(abs(scaled.svm.bias) > 0.01)
    #expect(abs(scaled.svm.bias - 5 * Double(feature.svm.weights[6])) < 1e-2 * abs(scaled.svm.bias))
    #expect(abs(scaled.report.primalObjective / feature.report.primalObjective - 1) < 1e-5)
  }

  @Test func theSameSeedGivesTheSameBytesAndAnotherTheSameAnswer() throws {
    var random = RandomStream(seed: 4)
    let (rows, labels) = problem(80, 20, &random)
    let options = tight(.hinge, 0.1)
    let first = try train(rows, labels, options, seed: 5)
    #expect(try train(rows, labels, options, seed: 5) == first)
    let other = try train(rows, labels, options, seed: 6)
    #expect(other.svm != first.svm)
    #expect(abs(other.report.primalObjective / first.report.primalObjective - 1) < 1e-5)
  }

  @Test(arguments: LinearSVMOptions.Loss.allCases) func symmetries(loss: LinearSVMOptions.Loss) throws {
    var random = RandomStream(seed: 9)
    let (rows, labels) = problem(60, 6, &random)
    let base = try train(rows, labels, tight(loss, 0.1)).report.primalObjective
    func close(_ value: Double) -> Bool { abs(value / base - 1) < 1e-5 }
    // Swapped labels, and turned features.
    #expect(close(try train(rows, labels.map(!), tight(loss, 0.1)).report.primalObjective))
    #expect(close(try train(rows.map { $0.map(-) }, labels, tight(loss, 0.1)).report.primalObjective))
    // Without setting samples aside.
    var whole = tight(loss, 0.1)
    whole.shrinking = false
    #expect(close(try train(rows, labels, whole).report.primalObjective))
    // Every sample twice at half the cost; or once with weight 2.
    #expect(close(try train(rows + rows, labels + labels, tight(loss, 0.05)).report.primalObjective))
    let weights = [Double](repeating: 2, count: rows.count)
    #expect(close(try train(rows, labels, tight(loss, 0.05), weights: weights).report.primalObjective))
    // Class weights are sample weights.
    var classes = tight(loss, 0.05)
    classes.positiveWeight = 3
    let bySample = labels.map { $0 ? 3.0 : 1.0 }
    let a = try train(rows, labels, classes).report.primalObjective
    let b = try train(rows, labels, tight(loss, 0.05), weights: bySample).report.primalObjective
    #expect(abs(a / b - 1) < 1e-5)
    // A sample of weight 0 is as if absent, and has no dual variable.
    let extra = try train(
      rows + [[9, 9, 9, 9, 9, 9]], labels + [false], tight(loss, 0.1),
      weights: [Double](repeating: 1, count: rows.count) + [0])
    #expect(close(extra.report.primalObjective))
    #expect(extra.dualVariables.last == 0)
  }

  @Test func aWarmStartReachesTheSameAnswerSooner() throws {
    var random = RandomStream(seed: 12)
    let (rows, labels) = problem(400, 30, &random)
    let options = LinearSVMOptions(cost: 0.01, relativeGap: 1e-4)
    let cold = try train(rows, labels, options)
    // Removing 20 samples and adding 20, as a round of mining does.
    let (more, moreLabels) = problem(20, 30, &random)
    let nextRows = Array(rows.dropFirst(20)) + more
    let nextLabels = Array(labels.dropFirst(20)) + moreLabels
    let start = Array(cold.dualVariables.dropFirst(20)) + [Double](repeating: 0, count: 20)
    let fresh = try train(nextRows, nextLabels, options)
    let warm = try train(nextRows, nextLabels, options, warmStart: start)
    #expect(warm.report.converged)
    #expect(abs(warm.report.primalObjective / fresh.report.primalObjective - 1) < 2e-4)
    #expect(warm.report.iterations < fresh.report.iterations)
    // From its own answer, nothing is left to do but look; values out of bounds are moved in.
    let again = try train(rows, labels, options, warmStart: cold.dualVariables)
    #expect(again.report.iterations < cold.report.iterations / 2)
    #expect(try train(rows, labels, options, warmStart: rows.map { _ in 1e9 }).report.converged)
  }

  @Test func rowsOfAViewAreTheSameAsACopy() throws {
    var random = RandomStream(seed: 3)
    let (rows, labels) = problem(50, 9, &random)
    let chosen = stride(from: 1, to: 50, by: 2).map { $0 }
    var stream = RandomStream(seed: 1)
    let part = try SampleMatrix(rows: rows).withView { view in
      try LinearSVMTrainer.train(
        view: view, rows: chosen, labels: labels, options: tight(.hinge, 0.1), using: &stream)
    }
    let copy = try train(chosen.map { rows[$0] }, chosen.map { labels[$0] }, tight(.hinge, 0.1))
    #expect(part.svm == copy.svm)
    #expect(part.report == copy.report)
    #expect(part.dualVariables.count == 50 && part.dualVariables[0] == 0)
  }

  @Test func usedUpPassesAreToldAsSuch() throws {
    var random = RandomStream(seed: 3)
    let (rows, labels) = problem(100, 9, &random)
    let trained = try train(rows, labels, LinearSVMOptions(cost: 100, relativeGap: 1e-9, maximumIterations: 2))
    #expect(!trained.report.converged)
    #expect(trained.report.iterations == 2)
  }

  @Test func cancellationStops() throws {
    let cancellation = Cancellation()
    cancellation.cancel()
    var random = RandomStream(seed: 1)
    #expect(throws: CancelledError.self) {
      try LinearSVMTrainer.train(
        samples: SampleMatrix(rows: [[1], [0]]), labels: [true, false], options: LinearSVMOptions(), using: &random,
        cancellation: cancellation)
    }
  }
}

/// A golden file of Tests/Fixtures/Learning.
func fixture<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
  try Fixture.decode(type, "Learning/\(name)")
}
