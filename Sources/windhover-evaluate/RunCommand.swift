import CommandLineOptions
import Foundation
import Windhover

/// `windhover-evaluate run`: a detector over a data set, then its figures.
enum RunCommand {
  static let command = Command(
    CommandSpecification(
      name: "run", summary: "Run a detector over a data set and score it.",
      discussion: """
        Finds objects in every image of the --truth data sets and scores the results as "windhover-evaluate score" does. The
        threshold is low by default, so that curves reach the recall that the detector can have. --results keeps the
        detections as JSON lines, for "score" and "compare".
        """,
      options: [
        .value(
          "--model", "NAME|FILE", short: "-m",
          help: "A model that comes with Windhover (windhover-detect model lists them) or a model file.",
          required: true),
        .value(
          "--threshold", "SCORE", help: "Least score of a window, before windows of one object are joined.",
          default: "-1"),
        .value(
          "--scan", "JSON",
          help:
            "Other scan options than the model's own, e.g. '{\"minimumHeight\": 40, \"upsampling\": \"none\"}': threshold, minimumHeight, maximumHeight, scaleFactor, upsampling (none, byTwo, automatic), stride, padding, levelRule (exact, openCV), sharedLevels, suppression ({\"method\": none, greedy or groupRectangles, ...}), maximumDetections."
        ),
        .value("--results", "FILE", help: "Also write the detections there, as JSON lines.").written(),
        .value("--name", "TEXT", help: "What to call the detector. Default: the model's name."),
        .value("--gallery", "N", help: "Examples of each kind on the page, 0 for none.", default: "24"),
      ] + EvaluationChoices.options + ReportOutput.options + [.seed, .threads],
      examples: [
        (
          "windhover-evaluate run --model face --truth cmu-mit/test --fit-boxes --html face.html",
          "The shipped face detector on CMU+MIT: figures, and a page with curves and examples."
        ),
        (
          "windhover-evaluate run --model my.safetensors --truth voc:photos --results my.jsonl",
          "A model of one's own on photos with PASCAL VOC annotations; detections are kept."
        ),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let setup = try ScoringSetup(options)
    let model = options.requiredText("--model")
    let detector = try ModelCatalog.detector(model)
    let changes = try options.text("--scan").map { text in
      try StrictJSON.decode(JSONTree.self, from: Data(text.utf8), source: "--scan")
    }
    var scan = try detector.scanOptions(with: changes, source: "--scan")
    scan.threshold = try options.number("--threshold") ?? scan.threshold
    let truth = try setup.choices.loadTruth(context.progress)
    let detections = try DetectionRun.detect(
      detector, in: truth, options: scan, executor: setup.executor, progress: context.progress,
      cancellation: context.cancellation)
    if let path = options.text("--results") { try ResultsFile.write(detections, to: path) }
    let name = options.text("--name") ?? ResultNames.name(model)
    let scored = try setup.choices.evaluator.evaluate(
      detections, name: name, source: options.text("--results") ?? "found by \(name) in this run", truth: truth.images,
      executor: setup.executor)
    try setup.report([scored], title: "Detector \(name), evaluated on \(truth.name)", truth: truth, context)
  }
}
