import Execution
import Features
import Geometry
import Imaging
import Learning

/// Trains a cascade of boosted classifiers (Viola and Jones 2001), stage by stage.
///
/// 1. A stage's positives are those of the source, in its order, that the stages before let pass: rejected ones are
///    replaced as long as there are others. Its negatives are those of the stage before that still pass, and windows of the
///    photos that pass, in the windows' order. The search goes on where it stopped: every window is looked at once in
///    the whole training, however many stages there are, and the search ends with the last.
/// 2. Trees are boosted until, with the threshold at which `hitRate` of the positives pass, no more than `falseAlarmRate`
///    of the negatives do.
/// 3. Training ends with the last stage, or when the stages let no more than the goal's share of windows pass, or when too
///    few samples are left for another stage. The stages so far are then the cascade.
///
/// A **soft cascade** (Bourdev and Brandt 2005) is trained in rounds that take the place of stages: each goes on boosting
/// from the scores so far with new negatives. After each round the rejection trace is the least running sum of the
/// positives that pass (direct backward pruning, Zhang and Viola 2007).
///
/// Same options, same data: the same bytes, whatever the executor's number of threads, and whether or not the training was
/// interrupted and resumed.
///
/// **Differences from `opencv_traincascade`:** positives are refilled without being told how many will be needed; negatives
/// are drawn from all photos at random instead of photo after photo; those that still pass are kept; windows of too little
/// contrast, which a detector never looks at, are no samples of Haar features.
///
/// References: P. Viola, M. Jones, "Rapid object detection using a boosted cascade of simple features", CVPR 2001;
/// L. Bourdev, J. Brandt, "Robust object detection via soft cascade", CVPR 2005; C. Zhang, P. Viola, "Multiple-instance
/// pruning for learning efficient cascade detectors", NIPS 2007.
public struct CascadeTrainer: Sendable {
  public let options: CascadeTrainerOptions
  let data: CascadeTrainingData
  let features: CascadeFeatures
  let table: CascadeSampleFeatures.Table
  let booster: Booster
  let executor: ParallelExecutor
  let progress: any ProgressSink
  let cancellation: Cancellation

  /// Trains a cascade.
  ///
  /// - Parameters:
  ///   - data: windows of the options' size.
  ///   - checkpoint: a file that is written after each stage, and resumed from when it is there.
  /// - Throws: `InputError` for options out of range, sources with fewer than two samples that can be used or of another
  ///   window size, samples that no feature tells apart, and a checkpoint of other options or data; what the sources throw;
  ///   `CancelledError`.
  public static func train(
    _ data: CascadeTrainingData, options: CascadeTrainerOptions, checkpoint: String? = nil,
    executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> CascadeTrainingResult {
    try options.validate()
    try data.check(options)
    let trainer = CascadeTrainer(data, options, executor, progress, cancellation)
    return try trainer.run(checkpoint: checkpoint)
  }

  private init(
    _ data: CascadeTrainingData, _ options: CascadeTrainerOptions, _ executor: ParallelExecutor,
    _ progress: any ProgressSink, _ cancellation: Cancellation
  ) {
    self.options = options
    self.data = data
    self.executor = executor
    self.progress = progress
    self.cancellation = cancellation
    progress.receive(.began(phase: "listing features", total: options.features.count(in: options.windowSize)))
    features = options.features.all(in: options.windowSize)
    table = CascadeSampleFeatures.Table(features, windowSize: options.windowSize)
    progress.receive(.ended)
    booster = Booster(
      options: options.boostingOfAnyStage, memory: CascadeTrainer.memory(options, table, executor).bytes,
      executor: executor)
  }

  /// How the memory is shared out: bytes of integral images, and of features' bytes.
  static func memory(
    _ options: CascadeTrainerOptions, _ table: CascadeSampleFeatures.Table, _ executor: ParallelExecutor
  ) -> (integrals: Int, bytes: Int) {
    let samples = options.positiveCount + options.negativeCount
    let free = max(0, options.memory * 1_000_000 - options.sampleBytes - options.featureBytes)
    let blockBytes = WindowBlock.byteCount(windowSize: options.windowSize, hasTilted: table.hasTilted)
    let all = ((samples + WindowBlock.width - 1) / WindowBlock.width) * blockBytes
    let integrals = min(all, free / 2)
    return (integrals, max(0, free - integrals - executor.threadCount * Booster.scratchBytes(sampleCount: samples)))
  }

  private func run(checkpoint path: String?) throws -> CascadeTrainingResult {
    let identity = CascadeTrainingIdentity(options: options, checksum: data.checksum)
    var state = CascadeTrainingState(
      report: CascadeTrainingReport(
        featureCount: features.count, positivesAvailable: data.positives.count, windowsAvailable: data.negatives.count))
    if let path, let stored = try CascadeCheckpoint.read(path, identity: identity, data: data) {
      state = stored
      state.positivePixels = try data.positives.samples(at: state.positives, executor: executor)
      progress.receive(.note("resumed after stage \(state.report.stages.count)"))
    }
    progress.receive(
      .note(
        "\(features.count) features, \(data.positives.count) positives, \(data.negatives.count) distinct negative windows"
      ))
    progress.receive(.note(CascadeTrainingReport.line(CascadeTrainingReport.heads)))
    for stage in state.report.stages {
      progress.receive(.note(CascadeTrainingReport.line(CascadeTrainingReport.cells(stage))))
    }
    while state.report.end == nil {
      try cancellation.check()
      if state.report.stages.count == options.stageCount {
        state.report.end = .init(
          reason: .stages,
          explanation: options.stageCount == 1
            ? "The one stage is trained." : "All \(options.stageCount) stages are trained.")
        break
      }
      try addStage(&state)
      if let path { try CascadeCheckpoint.write(state, identity: identity, to: path) }
    }
    if let end = state.report.end { progress.receive(.note(end.explanation)) }
    guard !state.stages.isEmpty else {
      throw InputError(
        source: "training", problem: "ended before the first stage", found: state.report.end?.explanation,
        hint: "a checkpoint that ended so is of no use: begin anew with --restart")
    }
    let (used, stages) = CascadeTrainer.compact(features, state.stages)
    if let validation = data.validation {
      state.report.validation = try CascadeMeasure.measure(
        windowSize: options.windowSize, features: used, stages: stages, positives: validation.positives,
        negatives: validation.negatives, windowLimit: validation.windowLimit, executor: executor,
        cancellation: cancellation)
    }
    return CascadeTrainingResult(
      detector: CascadeDetector(
        windowSize: options.windowSize, features: used, stages: stages, label: options.label), report: state.report)
  }

  /// Trains one more stage, or says why there is none.
  private func addStage(_ state: inout CascadeTrainingState) throws {
    let start = ContinuousClock.now
    let number = state.report.stages.count + 1
    let sieve = CascadeSieve(windowSize: options.windowSize, features: features, stages: state.stages)
    let positivesTried = try fillPositives(&state, sieve)
    if let end = tooFewPositives(state) {
      if number == 1 { throw noPositives(end) }
      state.report.end = end
      return
    }
    let kept = state.negativeCount(options)
    let searchStart = ContinuousClock.now
    let (harvest, end) = try fillNegatives(&state, sieve)
    let searchSeconds = (ContinuousClock.now - searchStart) / .seconds(1)
    if let end {
      state.report.end = end
      return
    }
    guard let stage = try boost(&state, sieve, number) else {
      let explanation = "No feature tells the positives from the negatives that are left."
      if number == 1 {
        throw InputError(
          source: "training", problem: "no feature tells the positives from the negatives",
          found: "\(state.positives.count) positives and \(state.negativeCount(options)) negatives",
          hint: "look at the samples: windhover-data samples shows them")
      }
      state.report.end = .init(reason: .features, explanation: explanation)
      return
    }
    let entry = CascadeTrainingReport.Stage(
      number: number, positives: state.positives.count, positivesTried: positivesTried,
      negatives: state.negativeCount(options), negativesKept: kept, windowsTried: harvest?.visited ?? 0,
      acceptance: harvest?.acceptance, trees: stage.treeCount, features: stage.featureCount, hitRate: stage.hitRate,
      falseAlarmRate: stage.falseAlarmRate, seconds: (ContinuousClock.now - start) / .seconds(1),
      searchSeconds: searchSeconds)
    state.report.stages.append(entry)
    dropRejected(&state)
    progress.receive(.note(CascadeTrainingReport.line(CascadeTrainingReport.cells(entry))))
    let allowed = options.rule(ofStage: number).falseAlarmRate
    if stage.falseAlarmRate > allowed {
      progress.receive(
        .warning(
          "stage \(number) lets \(NumberWords.short(stage.falseAlarmRate)) of its negatives pass, not "
            + "\(NumberWords.short(allowed)): \(stage.treeCount) trees are the most that it may have or "
            + "no feature helps further"))
    }
    if let left = state.report.secondsLeft(stageCount: options.stageCount, goal: options.goal) {
      let count = options.stageCount - number
      progress.receive(
        .note(
          "about \(CascadeTrainingReport.words(seconds: left)) left for \(count == 1 ? "one stage" : "\(count) stages at most")"
        ))
    }
  }

  /// Verdicts on samples, chunk by chunk on all threads.
  static func verdicts(
    _ sieve: CascadeSieve, _ pixels: [UInt8], _ windowSize: PixelSize, _ executor: ParallelExecutor
  ) -> [(passed: Int, sum: Double)] {
    let area = windowSize.width * windowSize.height
    let count = pixels.count / area
    let chunk = 256
    let parts = executor.map((count + chunk - 1) / chunk) { index in
      sieve.verdicts(pixels[index * chunk * area..<min(count, (index + 1) * chunk) * area])
    }
    return parts.flatMap { $0 }
  }

  /// The features that trees look at, in their order, and the trees that name them by their new numbers.
  static func compact(
    _ features: CascadeFeatures, _ stages: [CascadeStage]
  ) -> (features: CascadeFeatures, stages: [CascadeStage]) {
    let used = Set(stages.flatMap { $0.trees.flatMap { $0.nodes.map(\.feature) } }).sorted()
    var numbers: [Int: Int] = [:]
    for (number, feature) in used.enumerated() { numbers[feature] = number }
    var renamed = stages
    for stage in renamed.indices { renamed[stage].trees.renumberFeatures { numbers[$0] ?? 0 } }
    return (features.chosen(used), renamed)
  }
}

/// A trained cascade with the account of its training.
public struct CascadeTrainingResult: Sendable {
  public var detector: CascadeDetector
  public var report: CascadeTrainingReport
}
