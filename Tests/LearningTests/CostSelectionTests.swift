import Execution
import Learning
import TestSupport
import Testing

struct CostSelectionTests {
  @Test(arguments: testSeeds) func groupsStayTogetherAndPositivesAreBalanced(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    var groups: [String] = []
    var labels: [Bool] = []
    for photo in 0..<23 {
      for _ in 0..<1 + random.index(below: 5) {
        groups.append("photo \(photo)")
        labels.append(random.index(below: 3) == 0)
      }
    }
    var first = RandomStream(seed: seed)
    var second = RandomStream(seed: seed)
    let folds = try GroupedFolds(groups: groups, labels: labels, foldCount: 5, using: &first)
    #expect(try GroupedFolds(groups: groups, labels: labels, foldCount: 5, using: &second) == folds)
    for group in Set(groups) {
      let inFolds = Set(groups.indices.filter { groups[$0] == group }.map { folds.assignment[$0] })
      #expect(inFolds.count == 1, "seed \(seed): \(group)")
    }
    let positives = (0..<5).map { fold in folds.validationRows(fold).count { labels[$0] } }
    // No group has more than 5, so the fullest fold is at most that far ahead.
    #expect(positives.max()! - positives.min()! <= 5, "seed \(seed): \(positives)")
    for fold in 0..<5 {
      #expect(!folds.validationRows(fold).isEmpty, "seed \(seed)")
      #expect((folds.validationRows(fold) + folds.trainingRows(fold)).sorted() == Array(groups.indices), "seed \(seed)")
    }
  }

  @Test func foldsThatCannotBeMadeAreNamed() {
    var random = RandomStream(seed: 1)
    #expect(throws: LearningError.tooFewGroups(found: 2, folds: 3)) {
      try GroupedFolds(groups: ["a", "a", "b"], labels: [true, false, true], foldCount: 3, using: &random)
    }
    #expect(throws: LearningError.noSamples) { try GroupedFolds(groups: [], labels: [], foldCount: 2, using: &random) }
    #expect(throws: LearningError.countMismatch(what: "labels", found: 1, expected: 2)) {
      try GroupedFolds(groups: ["a", "b"], labels: [true], foldCount: 2, using: &random)
    }
    #expect(throws: LearningError.badOption(name: "folds", found: "1", expected: "2 or more")) {
      try GroupedFolds(groups: ["a", "b"], labels: [true, false], foldCount: 1, using: &random)
    }
  }

  @Test func measuresByHand() {
    let scores = [3, 2, 2, 1, 0, -1.0]
    let labels = [true, true, false, false, true, false]
    func value(_ measure: ScoreMeasure) -> Double? { measure.value(scores: scores, labels: labels) }
    // Levels: 3 (1 hit), 2 (2 hits, 1 alarm), 1 (2, 2), 0 (3, 2), -1 (3, 3).
    #expect(value(.missRate(falsePositiveRate: 0)).map { abs($0 - 2.0 / 3) < 1e-12 } == true)
    #expect(value(.missRate(falsePositiveRate: 0.34)).map { abs($0 - 1.0 / 3) < 1e-12 } == true)
    #expect(value(.missRate(falsePositiveRate: 1)) == 0)
    #expect(value(.areaUnderROC).map { abs($0 - (3 + 2.5 + 1) / 9) < 1e-12 } == true)
    #expect(value(.averagePrecision).map { abs($0 - (1 + 2.0 / 3 + 3.0 / 5) / 3) < 1e-12 } == true)
    #expect(value(.hingeLoss).map { abs($0 - 0.5 * (1.0 / 3 + 5.0 / 3)) < 1e-12 } == true)
    for measure in [ScoreMeasure.missRate(falsePositiveRate: 0.1), .areaUnderROC, .averagePrecision, .hingeLoss] {
      #expect(measure.value(scores: [], labels: []) == nil)
      #expect(measure.value(scores: [1], labels: [true]) == nil)
      #expect(measure.value(scores: [1], labels: [false]) == nil)
    }
  }

  @Test(arguments: testSeeds) func theOrderOfSamplesDoesNotMatter(seed: UInt64) {
    var random = RandomStream(seed: seed)
    // Few levels, so that most scores are tied.
    let scores = (0..<40).map { _ in Double(random.index(below: 6)) }
    let labels = (0..<40).map { _ in random.index(below: 2) == 0 }
    var order = Array(0..<40)
    random.shuffle(&order)
    for measure in [ScoreMeasure.missRate(falsePositiveRate: 0.2), .areaUnderROC, .averagePrecision] {
      let first = measure.value(scores: scores, labels: labels)
      #expect(
        measure.value(scores: order.map { scores[$0] }, labels: order.map { labels[$0] }) == first, "seed \(seed)")
    }
    // The area from its definition over pairs.
    var sum = 0.0
    for i in 0..<40 where labels[i] {
      for j in 0..<40 where !labels[j] { sum += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0 }
    }
    let positives = labels.count { $0 }
    let area = ScoreMeasure.areaUnderROC.value(scores: scores, labels: labels)
    #expect(area.map { abs($0 - sum / Double(positives * (40 - positives))) < 1e-12 } == true, "seed \(seed)")
  }

  private func problem() throws -> (SampleMatrix, [Bool], GroupedFolds) {
    var random = RandomStream(seed: 2)
    let labels = (0..<200).map { $0 % 2 == 0 }
    let rows = labels.map { label in (0..<40).map { Float(random.gaussian() + (label && $0 < 4 ? 0.8 : 0)) } }
    let groups = (0..<200).map { "\($0 / 4)" }
    return (
      try SampleMatrix(rows: rows), labels,
      try GroupedFolds(groups: groups, labels: labels, foldCount: 4, using: &random)
    )
  }

  @Test func theChoiceFollowsItsRuleOnAnyNumberOfThreads() throws {
    let (samples, labels, folds) = try problem()
    func run(_ threads: Int, _ rule: CostSelection.Rule) throws -> CostSelection {
      var random = RandomStream(seed: 8)
      return try CostSelection.run(
        samples: samples, labels: labels, folds: folds, costs: [1, 0.0001, 0.01, 1, 100],
        options: LinearSVMOptions(relativeGap: 1e-3), measure: .areaUnderROC, rule: rule, using: &random,
        executor: ParallelExecutor(threadCount: threads))
    }
    let best = try run(1, .best)
    for threads in [2, 5, 16] { #expect(try run(threads, .best) == best) }
    #expect(best.table.map(\.cost) == [0.0001, 0.01, 1, 100])
    #expect(best.table.allSatisfy { $0.values.count == 4 && $0.values.allSatisfy { $0 != nil } })
    let top = best.table.compactMap(\.mean).max()!
    #expect(best.table.first { $0.mean == top }?.cost == best.chosenCost)
    #expect(top > 0.8)
    let careful = try run(2, .smallestWithinOneStandardError)
    #expect(careful.chosenCost <= best.chosenCost)
    let error = best.table.first { $0.cost == best.chosenCost }!.standardError!
    #expect(careful.table.first { $0.mean! >= top - error }?.cost == careful.chosenCost)
  }

  /// Classes that every cost tells apart: all means are equal and without error, and the smallest cost is as good as any.
  @Test(arguments: [CostSelection.Rule.best, .smallestWithinOneStandardError])
  func ofEqualCostsTheSmallestIsTaken(rule: CostSelection.Rule) throws {
    var random = RandomStream(seed: 3)
    let labels = (0..<24).map { $0 % 2 == 0 }
    let folds = try GroupedFolds(groups: (0..<24).map { "\($0)" }, labels: labels, foldCount: 3, using: &random)
    let chosen = try CostSelection.run(
      samples: SampleMatrix(rows: labels.map { [$0 ? 3 : -3] }), labels: labels, folds: folds, costs: [10, 0.1, 1],
      options: LinearSVMOptions(), measure: .areaUnderROC, rule: rule, using: &random)
    #expect(chosen.table.map(\.mean) == [1, 1, 1])
    #expect(chosen.chosenCost == 0.1)
  }

  /// Large groups first: small ones then even out what these leave.
  @Test(arguments: testSeeds) func theLargestGroupsAreDealtFirst(seed: UInt64) throws {
    let sizes = [1, 1, 1, 1, 4]
    let groups = sizes.enumerated().flatMap { Array(repeating: "photo \($0.offset)", count: $0.element) }
    var random = RandomStream(seed: seed)
    let folds = try GroupedFolds(
      groups: groups, labels: Array(repeating: true, count: 8), foldCount: 2, using: &random)
    #expect(folds.validationRows(0).count == 4 && folds.validationRows(1).count == 4, "seed \(seed)")
  }

  @Test func aFoldWithoutAClassToTrainOnIsNamed() throws {
    var random = RandomStream(seed: 1)
    let labels = [true, false, false, false]
    let folds = try GroupedFolds(groups: ["a", "b", "c", "d"], labels: labels, foldCount: 2, using: &random)
    let fold = folds.assignment[0]
    #expect(throws: LearningError.foldLacksAClass(fold: fold, positives: 0, negatives: folds.trainingRows(fold).count))
    {
      try CostSelection.run(
        samples: SampleMatrix(rows: [[1], [2], [3], [4]]), labels: labels, folds: folds, costs: [1],
        options: LinearSVMOptions(), measure: .areaUnderROC, using: &random)
    }
    for costs in [[], [0], [-1], [Double.nan]] {
      #expect(throws: LearningError.self) {
        try CostSelection.run(
          samples: SampleMatrix(rows: [[1], [2], [3], [4]]), labels: labels, folds: folds, costs: costs,
          options: LinearSVMOptions(), measure: .areaUnderROC, using: &random)
      }
    }
  }
}
