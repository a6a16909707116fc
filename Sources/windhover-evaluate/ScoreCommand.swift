import CommandLineOptions
import Windhover

/// `windhover-evaluate score`: the figures of one results file.
enum ScoreCommand {
  static let command = Command(
    CommandSpecification(
      name: "score", summary: "Score a results file against the truth.",
      discussion: """
        RESULTS is a file of JSON lines, one image a line, as windhover-detect writes them (- reads standard input):

          {"image": "a.jpg", "width": 640, "height": 480,
           "detections": [{"box": [x, y, w, h], "score": 1.5, "label": "face"}]}

        Images are joined with the truth by name. Prints average precision (all points, 11 points, 101 points), the
        log-average miss rate, miss rates and thresholds at wanted rates, and recall by size, each with the interval that
        the choice of images leaves open. A figure with nothing to measure is "-", in JSON null.

        Detections of equal score are one point of a curve, since no threshold parts them: all of them are counted before
        precision and recall are taken. Within an image the one that overlaps a truth more is matched first.

        With --fit-boxes the boxes are scored twice: as they are, and after one offset and one scale, fitted on the same
        truth, has been applied to all of them. Both figures are printed.
        """,
      operands: .one("RESULTS"),
      options: EvaluationChoices.options + [
        .value("--name", "TEXT", help: "What to call the detector. Default: the file's name."),
        .value("--gallery", "N", help: "Examples of each kind on the page, 0 for none.", default: "24"),
      ] + ReportOutput.options + [.seed, .threads],
      examples: [
        (
          "windhover-evaluate score faces.jsonl --truth cmu-mit/test --fit-boxes --html report.html",
          "Figures as text, and a page with curves and examples."
        ),
        (
          "windhover-evaluate score faces.jsonl --truth wider/validation --targets \"height>=20,blur<=1\" --json -",
          "Small and blurred faces are ignored; figures as JSON on standard output."
        ),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let setup = try ScoringSetup(options)
    let path = options.operands[0]
    let truth = try setup.choices.loadTruth(context.progress)
    let results = try ResultsFile.read(path, executor: setup.executor)
    try context.cancellation.check()
    let name = options.text("--name") ?? ResultNames.name(path)
    let scored = try setup.choices.evaluator.evaluate(
      results, name: name, truth: truth.images, executor: setup.executor)
    try setup.report([scored], title: "Results \(name), evaluated on \(truth.name)", truth: truth, context)
  }
}
