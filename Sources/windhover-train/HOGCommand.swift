import CommandLineOptions
import Foundation
import Windhover

/// `windhover-train hog`: a HOG detector from annotated photos.
enum HOGCommand {
  static let command = Command(
    CommandSpecification(
      name: "hog", summary: "Train a detector of HOG features and linear SVMs.",
      discussion: """
        Objects are cut from the photos of --positives, mirrored and jittered; a linear SVM is trained against random windows,
        then again in rounds with its own false alarms (hard negatives). Data sets are named NAME/SPLIT (a manifest's,
        found under DATASETS_DIR or in the cache) or FORMAT:PATH (imglab:faces.xml, voc:DIR, folder:DIR, ...);
        windhover-data --help tells more. Objects that no window can reach are named before training starts.

        --config takes all from a JSON file ({"positives": [...], "negatives": [...], "options": {...}}); options given
        beside it win. A training that was interrupted goes on from FILE.checkpoint; with other options or data it
        refuses, and --restart begins anew.
        """,
      options: [
        .value("--output", "FILE", short: "-o", help: "The model to write (safetensors).", required: true)
          .written(.training),
        .list("--positives", "REF", short: "-p", help: "Photos with objects."),
        .list("--negatives", "REF", short: "-n", help: "Photos without an object."),
        .list(
          "--calibration", "REF", help: "Annotated photos, none of them trained on, that confidences are fitted to."),
        .value(
          "--targets", "RULES", help: "Which objects to learn from, e.g. \"height>=20,blur<=1\"; others are ignored."),
        .value("--config", "FILE", help: "A JSON file with data sets and options."),
        .value(
          "--preset", "TASK", help: "Options to begin with. Default: person.",
          choices: HOGPreset.allCases.map(\.rawValue)),
        .list(
          "--objects", "LABEL",
          help:
            "Labels of the objects to learn from; what is labelled otherwise is background (--targets label=NAME leaves it alone). Default: all labels."
        ),
        .value("--label", "NAME", help: "What detections are called. Default: the preset's."),
        .value("--window", "WxH", help: "Detection window in pixels, e.g. 64x128."),
        .value("--cost", "C", help: "Cost of an error (the SVM's C)."),
        .value("--rounds", "N", help: "Rounds of hard-negative mining."),
        .value("--jitter", "N", help: "Shifted and scaled copies of each object."),
        .value("--random-negatives", "N", help: "Random negative windows before the first round."),
        .value("--memory", "MB", help: "The most memory for samples."),
      ] + DetectorTraining.options,
      examples: [
        (
          "windhover-train hog --preset face -p imglab:faces/training.xml -n folder:scenes -o face.safetensors",
          "A face detector from dlib's annotations and photos without faces."
        ),
        (
          "windhover-train hog --preset person-2005 -p inria/train-windows -n inria/train-negatives -o person.safetensors",
          "The person detector of Dalal and Triggs."
        ),
        (
          "windhover-train hog --config job.json --seed 2 -o model.safetensors", "A recorded job with another seed."
        ),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let training = DetectorTraining(options, context)
    try training.run(try job(training))
  }

  /// The job that the command line asks for: the file's or the preset's, with what is given beside it.
  private static func job(_ training: DetectorTraining) throws -> HOGTrainingJob {
    let options = training.options
    var job = try training.job {
      HOGTrainingJob(positives: [], negatives: [], preset: options.text("--preset").flatMap(HOGPreset.init) ?? .person)
    }
    let targets = options.text("--targets")
    job.positives = try training.sources("--positives", targets: targets) ?? job.positives
    job.negatives = try training.sources("--negatives", targets: targets) ?? job.negatives
    job.calibration = try training.sources("--calibration", targets: targets) ?? job.calibration
    if job.positives.isEmpty { throw UsageError("--positives REF (or --config FILE) is missing: what to learn from") }
    if let labels = try options.labels("--objects") {
      for index in job.options.components.indices { job.options.components[index].sourceLabels = labels }
    }
    if options.flag("--leave-out-faults") { job.leavesOutFaults = true }
    if let label = options.text("--label") {
      let labels = Set(job.options.components.map(\.label)).sorted()
      if labels.count > 1 {
        training.context.progress.receive(
          .warning("--label: detections of \(labels.joined(separator: ", ")) are all called \(label) from now on"))
      }
      for index in job.options.components.indices { job.options.components[index].label = label }
      // A preset's one component is named after what the preset finds.
      if !options.isGiven("--config"), job.options.components.count == 1 { job.options.components[0].name = label }
    }
    if let size = try options.pixelSize("--window", example: "64x128") { job.options.windowSize = size }
    if let value = try options.number("--cost", in: 1e-9...1e9) { job.options.svm.cost = value }
    if let value = try options.integer("--rounds", in: 0...100) { job.options.rounds = value }
    if let value = try options.integer("--jitter", in: 0...1000) { job.options.jitterCopies = value }
    if let value = try options.integer("--random-negatives", in: 1...10_000_000) { job.options.randomNegatives = value }
    if let value = try options.integer("--memory", in: 1...1_000_000) { job.options.sampleMemory = value }
    if let value = try options.seed("--seed") { job.options.seed = value }
    return job
  }
}
