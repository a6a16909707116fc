import Execution
import Features
import Geometry
import Imaging
import Learning

/// Trains a HOG detector: a linear SVM for each component over windows cut from annotated photos, then rounds in which
/// the detector's own false alarms on whole photos become negatives (Dalal and Triggs 2005, section 4).
///
/// 1. Every annotated object is named or used: those that no window can reach come back in the report with the reason;
///    the others are cut, mirrored and jittered.
/// 2. Negatives of the first training are windows drawn at random: photos share alike, each photo's windows over its
///    pyramid's levels alike, places on a level alike.
/// 3. Each round scans all photos with the detector so far, takes the hardest windows without an object (most to fewest:
///    by score, then photo, level, row, column) within the memory bound, and trains again from the last solution. Where
///    there is no room, the easiest old negatives go.
/// 4. With validation photos, confidences are fitted (Platt) to the detections there, one fit a label.
///
/// Same options, same data: the same bytes, whatever the executor's number of threads, and whether or not the training
/// was interrupted and resumed.
///
/// **Differences from the paper:** negatives are mined in several rounds with a cap a photo and on annotated photos too.
///
/// Reference: N. Dalal, B. Triggs, "Histograms of oriented gradients for human detection", CVPR 2005.
public struct HOGTrainer: Sendable {
  public let options: HOGTrainerOptions
  /// A line for each component: first those of the options' order.
  let layouts: [ComponentLayout]
  /// All components with weights of zero: what scans are planned by.
  let layoutDetector: HOGDetector
  /// Indices of the components that are trained (not mirror images).
  let trained: [Int]
  let photos: TrainingPhotos
  let executor: ParallelExecutor
  let progress: any ProgressSink
  let cancellation: Cancellation

  init(
    options: HOGTrainerOptions, photos: TrainingPhotos, executor: ParallelExecutor, progress: any ProgressSink,
    cancellation: Cancellation
  ) {
    self.options = options
    self.photos = photos
    self.executor = executor
    self.progress = progress
    self.cancellation = cancellation
    let layouts = options.layouts()
    self.layouts = layouts
    trained = layouts.indices.filter { !layouts[$0].isMirror }
    layoutDetector = HOGDetector(
      features: options.features, colour: options.colour,
      components: layouts.map { $0.component(features: options.features) }, scanOptions: options.scan)
  }

  /// Trains a detector.
  ///
  /// - Parameters:
  ///   - photos: annotated photos. What is labelled otherwise than every component's labels is background.
  ///   - backgrounds: photos without an object, scanned whole. May be `nil` when annotated photos are mined.
  ///   - validation: annotated photos to fit confidences to, none of which is among `photos`.
  ///   - checkpoint: a file that is written after each round, and resumed from when it is there.
  ///   - executor: its threads share the photos.
  /// - Throws: `InputError` for options out of range, photos without a usable object, no negatives, a sample memory that
  ///   cannot hold the positives, and a checkpoint of other options or data; `LearningError`; what the sources throw;
  ///   `CancelledError`.
  public static func train(
    photos: any TrainingImageSource, backgrounds: (any TrainingImageSource)? = nil,
    validation: (any TrainingImageSource)? = nil, options: HOGTrainerOptions, checkpoint: String? = nil,
    executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> HOGTrainingResult {
    try options.validate()
    let trainer = HOGTrainer(
      options: options, photos: TrainingPhotos(annotated: photos, backgrounds: backgrounds), executor: executor,
      progress: progress, cancellation: cancellation)
    var (detector, report) = try trainer.run(checkpoint: checkpoint)
    if let validation {
      let layouts = trainer.layouts
      let fit = try ConfidenceFit.fit(
        detector, to: validation,
        isOf: { label, annotated in layouts.contains { $0.options.label == label && $0.isKnown(annotated) } },
        executor: executor, progress: progress, cancellation: cancellation)
      detector = detector.calibrated(by: fit.scalings)
      report.calibration = fit.counts
    }
    return HOGTrainingResult(detector: detector, report: report)
  }

  /// The image as the features take it.
  func prepared(_ image: ByteImage) -> ByteImage {
    options.colour == .grey ? image.grey() : image
  }

  private func run(checkpoint path: String?) throws -> (HOGDetector, HOGTrainingReport) {
    var state: TrainingState
    let identity = path == nil ? nil : try TrainingIdentity(options: options, photos: photos, executor: executor)
    let stored = try path.flatMap { path in try Checkpoint.read(path, identity: identity!) }
    let (positives, unreachable) = try cutPositives()
    if let stored {
      state = try restored(stored, positives: positives)
      progress.receive(.note("resumed after round \(state.report.rounds.last?.round ?? 0)"))
    } else {
      state = TrainingState(positives: positives, capacity: try capacity(positives))
      state.report.unreachable = unreachable
      try drawNegatives(into: &state)
      try trainSVMs(&state, round: 0)
      if let path { try Checkpoint(state, identity: identity!).write(to: path) }
    }
    let done = state.report.rounds.last?.round ?? 0
    for round in stride(from: done + 1, through: options.rounds, by: 1) {
      try cancellation.check()
      try mineNegatives(into: &state, round: round)
      try trainSVMs(&state, round: round)
      if let path { try Checkpoint(state, identity: identity!).write(to: path) }
    }
    return (detector(state, all: true), state.report)
  }

  /// Cuts the positives of all photos.
  private func cutPositives() throws -> ([SampleMatrix], [UnreachableBox]) {
    let dimensions = layouts.map { layout in
      options.features.windowMapSize(layout.windowSize).count * options.features.channelCount
    }
    var matrices = dimensions.map { SampleMatrix(dimension: $0) }
    var unreachable: [UnreachableBox] = []
    var targets = 0
    let count = photos.annotated.count
    progress.receive(.began(phase: "cutting positives", total: count))
    defer { progress.receive(.ended) }
    for batch in TrainingPhotos.batches(of: count) {
      try cancellation.check()
      let parts = try executor.map(batch.count) { try positives(photo: batch.lowerBound + $0) }
      for part in parts {
        targets += part.targets
        unreachable += part.unreachable
        for index in trained {
          let values = part.samples[index]
          values.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            for row in 0..<values.count / dimensions[index] { matrices[index].append(base + row * dimensions[index]) }
          }
        }
      }
      // Here, not after the last photo: what is too much must not be held first.
      _ = try capacity(matrices)
      progress.receive(.advanced(completed: batch.upperBound))
    }
    tellUnreachable(unreachable, of: targets)
    try checkTargets(targets: targets, unreachable: unreachable)
    for index in trained where matrices[index].count == 0 {
      throw InputError(
        source: "training photos", problem: "no usable object for component \"\(layouts[index].options.name)\"",
        expected: "objects that its labels, attributes and aspect admit",
        hint: unreachable.first { $0.component == layouts[index].options.name }.map { "of one, \($0.explanation)" })
    }
    return (matrices, unreachable)
  }

  private func checkTargets(targets: Int, unreachable: [UnreachableBox]) throws {
    let annotations = (0..<photos.annotated.count).reduce(into: (all: 0, ignored: 0)) { sums, index in
      let list = photos.annotations(at: index)
      sums.all += list.count
      sums.ignored += list.count { $0.isIgnored || $0.box.isEmpty }
    }
    if annotations.all == 0 {
      throw InputError(
        source: "training photos", problem: "no annotations", found: "\(photos.annotated.count) photos without any",
        expected: "objects to learn from", hint: "check the annotation file and its format")
    }
    if annotations.ignored == annotations.all {
      throw InputError(
        source: "training photos", problem: "only ignored or empty boxes", found: "\(annotations.all) of them",
        expected: "objects to learn from", hint: "loosen what is ignored")
    }
    if targets == 0 {
      throw InputError(
        source: "training photos", problem: "no annotation is an object of any component",
        found:
          "labels \(Set((0..<photos.annotated.count).flatMap { photos.annotations(at: $0).map(\.label) }).sorted().prefix(8).joined(separator: ", "))",
        expected:
          "labels \(Set(layouts.flatMap { $0.options.sourceLabels ?? ["any"] }).sorted().joined(separator: ", "))",
        hint: "check the components' labels, attributes and aspects")
    }
    if unreachable.count == targets, let first = unreachable.first {
      throw InputError(
        source: first.image, problem: "no window can reach any of the \(targets) objects",
        found: "for example \(first.box.words)",
        hint: first.explanation)
    }
  }

  /// Rows that each component's samples may take, by the memory bound.
  func capacity(_ positives: [SampleMatrix]) throws -> [Int] {
    let share = options.sampleMemory * 1_000_000 / trained.count
    return try layouts.indices.map { index in
      guard trained.contains(index) else { return 0 }
      // A quarter is kept for the windows that are on their way in.
      let rows = share * 3 / 4 / (positives[index].dimension * 4)
      guard rows > positives[index].count else {
        throw InputError(
          source: "training options", field: "sampleMemory", problem: "too small for the positives alone",
          found: "\(options.sampleMemory) MB, room for \(rows) samples of \(positives[index].dimension) features",
          expected: "room for more than \(positives[index].count)",
          hint: "raise it (--memory), or take fewer jittered copies")
      }
      return rows
    }
  }

  /// The detector of the weights so far: all components, or the trained ones in the order of `trained`.
  func detector(_ state: TrainingState, all: Bool) -> HOGDetector {
    var components: [HOGComponent] = []
    for layout in layouts where all || !layout.isMirror {
      let model = state.models[layout.trained]
      let original = layouts[layout.trained].component(
        features: options.features, weights: model?.weights, bias: Float(model?.bias ?? 0))
      if layout.isMirror {
        let turned = original.mirrored(
          channelOrder: options.features.mirroredChannelOrder ?? [], name: layout.options.name, mirrorOf: layout.trained
        )
        components.append(turned.labelled(layout.options.label))
      } else {
        components.append(original)
      }
    }
    return HOGDetector(
      features: options.features, colour: options.colour, components: components, scanOptions: options.scan)
  }

  /// The SVM's options with the weight of positives that these numbers of samples ask for.
  func svmOptions(positives: Int, negatives: Int) -> LinearSVMOptions {
    guard let ratio = options.positiveWeightRatio, positives > 0, negatives > 0 else { return options.svm }
    var svm = options.svm
    svm.positiveWeight = svm.negativeWeight * ratio * Double(negatives) / Double(positives)
    return svm
  }

  /// Trains each component's SVM on its samples.
  private func trainSVMs(_ state: inout TrainingState, round: Int) throws {
    progress.receive(.began(phase: "training, round \(round)", total: trained.count))
    defer { progress.receive(.ended) }
    let current = state
    let results = try executor.map(trained.count) { number -> (TrainedLinearSVM, Double) in
      let index = trained[number]
      let samples = current.samples[index]
      let labels = (0..<samples.count).map { $0 < current.positiveCounts[index] }
      var random = RandomStream(seed: options.seed, stream: 0xA11CE << 20 | UInt64(round) << 10 | UInt64(index))
      let positives = current.positiveCounts[index]
      let result = try LinearSVMTrainer.train(
        samples: samples, labels: labels,
        options: svmOptions(positives: positives, negatives: samples.count - positives),
        warmStart: current.duals[index].isEmpty
          ? nil : current.duals[index] + Array(repeating: 0, count: samples.count - current.duals[index].count),
        using: &random, cancellation: cancellation)
      // Nothing scores more or less than anything else: a model that detects nothing must not be written as if it did.
      guard result.svm.weights.contains(where: { $0 != 0 }) else {
        throw InputError(
          source: "training", field: "component \"\(layouts[index].options.name)\"",
          problem: "nothing was learnt: all weights are 0",
          found: "\(positives) positives and \(samples.count - positives) negatives that cannot be told apart",
          hint: "look at the objects and the negatives, and raise svm.cost")
      }
      let wrong = zip(result.svm.scores(of: samples), labels).count { ($0 > 0) != $1 }
      return (result, Double(wrong) / Double(samples.count))
    }
    for (number, (result, error)) in results.enumerated() {
      let index = trained[number]
      state.models[index] = result.svm
      state.duals[index] = result.dualVariables
      let mined = state.mined[index]
      let entry = HOGTrainingReport.Round(
        round: round, component: layouts[index].options.name, positives: state.positiveCounts[index],
        negatives: state.samples[index].count - state.positiveCounts[index], newNegatives: mined.new,
        droppedNegatives: mined.dropped, scannedWindows: mined.scanned,
        falsePositivesPerWindow: round == 0 || mined.scanned == 0
          ? nil : Double(mined.falsePositives) / Double(mined.scanned),
        objective: result.report.primalObjective, converged: result.report.converged, trainingError: error)
      state.report.rounds.append(entry)
      if !result.report.converged {
        progress.receive(
          .warning("the SVM of component \"\(entry.component)\" did not converge in \(result.report.iterations) passes")
        )
      }
      progress.receive(.note(entry.line))
      progress.receive(.advanced(completed: number + 1))
    }
  }
}

extension HOGTrainingReport.Round {
  /// The round's figures in one line.
  public var line: String {
    let start = "round \(round), \(component): \(positives) positives, \(negatives) negatives (\(newNegatives) new"
    let dropped = droppedNegatives > 0 ? ", \(droppedNegatives) others made room)" : ")"
    // Round 0's negatives are drawn at random.
    let looked = falsePositivesPerWindow.map {
      "; \(scannedWindows) windows were looked at for them, a share of \(NumberWords.short($0)) were false alarms"
    }
    return start + dropped + (looked ?? "")
      + "; of these samples \(NumberWords.short(100 * trainingError)) % come out wrong"
  }
}
