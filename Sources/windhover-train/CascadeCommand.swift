import CommandLineOptions
import Foundation
import Windhover

/// `windhover-train cascade`: a cascade of boosted Haar features or local binary patterns.
enum CascadeCommand {
  static let command = Command(
    CommandSpecification(
      name: "cascade", summary: "Train a cascade of Haar features or local binary patterns.",
      discussion: """
        Takes the place of opencv_traincascade, whose options have its defaults here: positives from a .vec file or cut from
        annotated photos, negatives from photos (away from what is annotated in them). A .vec does not say how wide its
        samples are: they are square, or of --window's size, or vec:FILE?width=W says it. A .xml is a cascade that OpenCV loads;
        a .safetensors is our own, which also holds soft cascades, labels and options. Data sets are named NAME/SPLIT or
        FORMAT:PATH (vec:faces.vec, list:background.txt, voc:DIR, ...); windhover-data --help tells more.

        Nobody needs to guess how many positives will be used up: rejected ones are replaced as long as there are others.
        Each negative window is looked at once; when too few are left, the cascade is written with the stages that it has, and
        how many windows there were is told. A line a stage says what it cost and what it reaches.

        Every image of every list is opened first: what is missing or cannot be read is named by file and line, and nothing
        is trained, unless --leave-out-faults says to go on. Photos that are damaged or cut short give no negatives.

        --config takes all from a JSON file ({"positives": [...], "negatives": [...], "options": {...}}); options given
        beside it win. A training that was interrupted goes on from FILE.checkpoint; with other options or data it
        refuses, and --restart begins anew.
        """,
      options: [
        .value("--output", "FILE", short: "-o", help: "The cascade to write: .xml or .safetensors.", required: true)
          .written(.training),
        .list("--positives", "REF", short: "-p", help: "Packed samples, or photos with objects."),
        .list("--negatives", "REF", short: "-n", help: "Photos that negatives are taken from."),
        .list("--validation", "REF", help: "Samples or photos with objects to measure the cascade on; not trained on."),
        .list("--validation-negatives", "REF", help: "Photos to measure false alarms on; not trained on."),
        .value("--validation-windows", "N", help: "Windows of them to look at. Default: 2000000."),
        .list(
          "--calibration", "REF", help: "Annotated photos, none of them trained on, that confidences are fitted to."),
        .value(
          "--targets", "RULES", help: "Which objects to learn from, e.g. \"height>=20,blur<=1\"; others are ignored."),
        .list("--objects", "LABEL", help: "Labels to learn as one kind of object. Default: all."),
        .value("--config", "FILE", help: "A JSON file with data sets and options."),
        .value(
          "--preset", "TASK", help: "Options to begin with. Default: opencv, those of opencv_traincascade.",
          choices: CascadePreset.allCases.map(\.rawValue)),
        .value("--label", "NAME", help: "What detections are called (.safetensors alone)."),
        .value("--window", "WxH", help: "Detection window in pixels. Default: 24x24."),
        .value(
          "--features", "SET", help: "Which features. Default: haar-basic.",
          choices: CascadeTrainerOptions.Features.allCases.map(\.rawValue)),
        .value(
          "--boosting", "KIND", help: "Kind of AdaBoost. Default: gentle.",
          choices: BoostingOptions.Algorithm.allCases.map(\.rawValue)),
        .value("--depth", "N", help: "Splits from a tree's root to a leaf. Default: 1, a stump."),
        .value("--trees", "N", help: "The most trees a stage. Default: 100."),
        .value("--weight-trimming", "SHARE", help: "Share of the weight that trees are grown on. Default: 0.95."),
        .value(
          "--category-prior", "SHARE",
          help: "How far rare patterns of lbp are drawn to the middle, as a share of the weight. Default: 0.003."),
        .value("--stages", "N", help: "The most stages. Default: 20."),
        .value("--hit-rate", "SHARE", help: "Positives that a stage lets pass. Default: 0.995."),
        .value("--false-alarm", "SHARE", help: "Negatives that a stage may let pass. Default: 0.5."),
        .value(
          "--goal", "SHARE",
          help:
            "The share of windows without objects that the cascade may let pass: training ends there. Default: --false-alarm to the power of --stages."
        ),
        .value("--samples", "P,N", help: "Positives and negatives a stage. Default: 2000,1000."),
        .flag("--soft", help: "One classifier with a rejection trace in place of stages (.safetensors alone)."),
        .flag("--mirror", help: "Also learn from mirror images."),
        .value(
          "--copies", "N",
          help:
            "Shifted, scaled and turned copies of each object. Default: none; where objects are fewer than the positives of a stage, as many as make up for it, 100 at most."
        ),
        .value("--context", "FACTOR", help: "Grow objects' boxes by this before they are cut. Default: 1, not at all."),
        .value("--stride", "N", help: "Pixels between negative windows on a level of a photo. Default: 1."),
        .value("--memory", "MB", help: "The most memory for samples and features. Default: 2048."),
      ] + DetectorTraining.options,
      examples: [
        (
          "windhover-train cascade -p vec:faces.vec -n list:background.txt --features lbp -o faces.xml",
          "What opencv_traincascade does, from its files."
        ),
        (
          "windhover-train cascade --preset face -p wider/train --targets \"height>=24\" -n inria/train-negatives -o face.xml",
          "A face cascade from annotated photos."
        ),
        (
          "windhover-train cascade --soft -p vec:faces.vec -n folder:scenes -o faces.safetensors",
          "A soft cascade."
        ),
        (
          "windhover-train cascade --window 30x20 -p voc:plates -n folder:streets --memory 500 -o plates.xml",
          "Windows that are wider than high, with little memory."
        ),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let training = DetectorTraining(options, context)
    let job = try job(training)
    let isXML = training.output.hasSuffix(".xml")
    guard isXML || training.output.hasSuffix(".safetensors") else {
      throw UsageError("--output: found \"\(training.output)\", expected a name that ends in .xml or .safetensors")
    }
    guard isXML else {
      return try training.run(job)
    }
    try refuseWhatXMLLoses(job, options, context)
    try training.run(job) { checkpoint, executor in
      let trained = try job.trained(
        checkpoint: checkpoint, executor: executor, progress: context.progress, cancellation: context.cancellation)
      try OpenCVCascade.write(trained.detector, to: training.output)
      return trained.report
    }
  }

  /// An OpenCV cascade holds neither a label, confidences nor options to scan by, and no rejection trace.
  private static func refuseWhatXMLLoses(
    _ job: CascadeTrainingJob, _ options: ParsedOptions, _ context: CommandContext
  ) throws {
    if job.options.isSoft {
      throw UsageError("--soft: OpenCV's .xml knows no soft cascades; give a .safetensors as --output")
    }
    if options.isGiven("--label") {
      throw UsageError("--label: OpenCV's .xml holds no label; give a .safetensors as --output")
    }
    if job.scan != nil {
      throw UsageError(
        "scan (in the file of --config): OpenCV's .xml holds no scan options; give a .safetensors as --output")
    }
    if !(job.calibration ?? []).isEmpty {
      throw UsageError("--calibration: OpenCV's .xml holds no confidences; give a .safetensors as --output")
    }
    let plain = CascadeTrainerOptions().label
    if job.options.label != plain {
      context.progress.receive(
        .note(
          "the .xml holds no label: what it finds is called \(plain), not \(job.options.label); a .safetensors would say"
        ))
    }
  }

  /// The job that the command line asks for: the file's or the preset's, with what is given beside it.
  private static func job(_ training: DetectorTraining) throws -> CascadeTrainingJob {
    let options = training.options
    var job = try training.job {
      CascadeTrainingJob(
        positives: [], negatives: [], preset: options.text("--preset").flatMap(CascadePreset.init) ?? .openCV)
    }
    let targets = options.text("--targets")
    job.positives = try training.sources("--positives", targets: targets) ?? job.positives
    job.negatives = try training.sources("--negatives") ?? job.negatives
    job.validationPositives = try training.sources("--validation", targets: targets) ?? job.validationPositives
    job.validationNegatives = try training.sources("--validation-negatives") ?? job.validationNegatives
    job.calibration = try training.sources("--calibration", targets: targets) ?? job.calibration
    if job.positives.isEmpty { throw UsageError("--positives REF (or --config FILE) is missing: what to learn from") }
    if job.negatives.isEmpty {
      throw UsageError("--negatives REF (or --config FILE) is missing: photos without objects")
    }
    if let value = try options.integer("--validation-windows", in: 1...1_000_000_000) { job.validationWindows = value }
    if let labels = try options.labels("--objects") { job.objects = labels }
    if options.flag("--leave-out-faults") { job.leavesOutFaults = true }
    if options.flag("--mirror") { job.sampling.mirrors = true }
    if let value = try options.integer("--copies", in: 0...10_000) { job.sampling.copies = value }
    if let value = try options.number("--context", in: 0.1...10) { job.sampling.context = value }
    if let value = try options.integer("--stride", in: 1...1024) { job.lattice.stride = value }
    try setTraining(&job.options, options)
    return job
  }

  private static func setTraining(_ training: inout CascadeTrainerOptions, _ options: ParsedOptions) throws {
    if let label = options.text("--label") { training.label = label }
    if let size = try options.pixelSize("--window", example: "24x24") { training.windowSize = size }
    if let features = options.text("--features").flatMap(CascadeTrainerOptions.Features.init) {
      training.features = features
    }
    if let kind = options.text("--boosting").flatMap(BoostingOptions.Algorithm.init) {
      training.boosting.algorithm = kind
    }
    if let value = try options.integer("--depth", in: 1...16) { training.boosting.maximumDepth = value }
    if let value = try options.integer("--trees", in: 1...100_000) { training.boosting.maximumTreeCount = value }
    if let value = try options.number("--weight-trimming", in: 1e-3...1) { training.boosting.weightTrimming = value }
    if let value = try options.number("--category-prior", in: 0...1) {
      guard training.features == .lbp else { throw UsageError("--category-prior is for --features lbp alone") }
      training.boosting.categoryPrior = value
    }
    if let value = try options.integer("--stages", in: 1...1000) { training.stageCount = value }
    if let value = try options.properShare("--hit-rate") { training.hitRate = value }
    if let value = try options.properShare("--false-alarm") { training.falseAlarmRate = value }
    if let value = try options.number("--goal", in: 0...1) { training.falseAlarmGoal = value }
    if let (positives, negatives) = try samples(options) {
      training.positiveCount = positives
      training.negativeCount = negatives
    }
    if options.flag("--soft") { training.isSoft = true }
    if let value = try options.integer("--memory", in: CascadeTrainerOptions.memoryRange) { training.memory = value }
    if let value = try options.seed("--seed") { training.seed = value }
  }

  private static func samples(_ options: ParsedOptions) throws -> (Int, Int)? {
    guard let text = options.text("--samples") else { return nil }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let positives = parts[0], let negatives = parts[1], positives > 0, negatives > 0 else {
      throw UsageError("--samples: found \"\(text)\", expected POSITIVES,NEGATIVES, for example 2000,1000")
    }
    return (positives, negatives)
  }
}
