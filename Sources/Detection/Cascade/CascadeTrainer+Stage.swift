import Execution
import Learning

extension CascadeTrainer {
  /// A stage as it was trained.
  struct TrainedStage {
    var treeCount: Int
    var featureCount: Int
    var hitRate: Double
    var falseAlarmRate: Double
  }

  /// What sums may differ by where they are added up in another precision or order.
  private static func slack(_ sum: Double) -> Double { max(1e-5, abs(sum) * 1e-6) }

  /// Boosts one stage (or the next round of a soft cascade) and adds it to the state; `nil` where no feature helps.
  func boost(_ state: inout CascadeTrainingState, _ sieve: CascadeSieve, _ number: Int) throws -> TrainedStage? {
    let positiveCount = state.positives.count
    let pixels = state.positivePixels + state.negativePixels
    let memory = CascadeTrainer.memory(options, self.table, executor)
    let drawn = drawnFeatures(ofStage: number)
    let table =
      drawn.map { CascadeSampleFeatures.Table(features.chosen($0), windowSize: options.windowSize) } ?? self.table
    let samples = CascadeSampleFeatures(
      pixels, windowSize: options.windowSize, table: table, byteLimit: memory.integrals, executor: executor)
    let labels = (0..<samples.sampleCount).map { $0 < positiveCount }
    let start =
      options.isSoft && !state.stages.isEmpty
      ? CascadeTrainer.verdicts(sieve, pixels, options.windowSize, executor).map(\.sum) : nil
    let rule = options.rule(ofStage: number)
    var cut = Cut(threshold: 0, hitRate: 0, falseAlarmRate: 1)
    progress.receive(.began(phase: "stage \(number): boosting", total: nil))
    var boosted = try booster.train(samples, labels: labels, from: start, cancellation: cancellation) { trees in
      cut = self.cut(trees.scores, positiveCount, hitRate: rule.hitRate)
      progress.receive(.advanced(completed: trees.trees.count))
      return cut.falseAlarmRate <= rule.falseAlarmRate || trees.trees.count >= rule.maximumTreeCount
    }
    progress.receive(.ended)
    guard !boosted.trees.isEmpty else { return nil }
    if let drawn { boosted.trees.renumberFeatures { drawn[$0] } }
    let used = Set(boosted.trees.flatMap { $0.nodes.map(\.feature) })
    if options.isSoft {
      let trees = state.trees + boosted.trees
      state.stages = [try traced(trees, threshold: cut.threshold, state)]
    } else {
      state.stages.append(CascadeStage(trees: boosted.trees, threshold: Float(cut.threshold)))
    }
    return TrainedStage(
      treeCount: boosted.trees.count, featureCount: used.count, hitRate: cut.hitRate, falseAlarmRate: cut.falseAlarmRate
    )
  }

  /// The features that a stage chooses among, in rising order; `nil` where it is all.
  private func drawnFeatures(ofStage number: Int) -> [Int]? {
    guard let share = options.featureShare, share < 1 else { return nil }
    var random = RandomStream(seed: options.seed, stream: CascadeTrainer.featureStream &+ UInt64(number))
    let wanted = max(1, Int((share * Double(features.count)).rounded()))
    return random.sample(min(wanted, features.count), of: features.count)
  }

  private static let featureStream: UInt64 = 0x6665_6174_0000_0000

  private struct Cut {
    var threshold: Double
    var hitRate: Double
    var falseAlarmRate: Double
  }

  /// The highest threshold that lets enough positives pass, and what it lets pass.
  private func cut(_ scores: [Double], _ positiveCount: Int, hitRate: Double) -> Cut {
    let sorted = scores[..<positiveCount].sorted()
    let lowest = sorted[min(positiveCount - 1, Int((1 - hitRate) * Double(positiveCount)))]
    let threshold = Double(Float(lowest - CascadeTrainer.slack(lowest)))
    func share(_ part: ArraySlice<Double>) -> Double {
      Double(part.count { $0 >= threshold }) / Double(part.count)
    }
    return Cut(
      threshold: threshold, hitRate: share(scores[..<positiveCount]), falseAlarmRate: share(scores[positiveCount...]))
  }

  /// The trees as a soft cascade's one stage: after each tree it rejects what lies below all positives that pass in the end.
  private func traced(
    _ trees: [DecisionTree], threshold: Double, _ state: CascadeTrainingState
  ) throws -> CascadeStage {
    let plain = CascadeStage(trees: trees, threshold: Float(threshold))
    let sieve = CascadeSieve(windowSize: options.windowSize, features: features, stages: [plain])
    let least = sieve.leastRunningSums(state.positivePixels, executor)
    guard let least else { return plain }
    return CascadeStage(
      trees: trees, threshold: Float(threshold),
      trace: least.map { Float($0 - CascadeTrainer.slack($0)) })
  }
}

extension [DecisionTree] {
  /// Gives every node's feature another number.
  mutating func renumberFeatures(_ renumbered: (Int) -> Int) {
    for tree in indices {
      for node in self[tree].nodes.indices {
        self[tree].nodes[node].feature = renumbered(self[tree].nodes[node].feature)
      }
    }
  }
}
