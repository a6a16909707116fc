import CommandLineOptions
import Windhover

/// `windhover-evaluate compare`: several results under one protocol.
enum CompareCommand {
  static let command = Command(
    CommandSpecification(
      name: "compare", summary: "Compare several results files under one protocol.",
      discussion: """
        Scores every RESULTS file (see "windhover-evaluate score --help") under the same rule and prints one table. For each
        pair it says whether the difference means anything: both are scored on the same random draws of the images, and a
        difference whose interval holds zero is called undecided.

        With --fit-boxes each detector gets an offset and a scale of its own; the raw average precision stands beside.
        """,
      operands: .oneOrMore("RESULTS"),
      options: EvaluationChoices.options + [
        .value("--names", "A,B,...", help: "What to call the detectors. Default: the files' names."),
        .value("--gallery", "N", help: "Examples of each kind and detector on the page.", default: "0"),
      ] + ReportOutput.options + [.seed, .threads],
      examples: [
        (
          "windhover-evaluate compare hog.jsonl haar.jsonl --truth cmu-mit/test --fit-boxes --html compare.html",
          "One table, and one page of overlaid curves."
        )
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let setup = try ScoringSetup(options)
    let paths = options.operands
    guard paths.count >= 2 else { throw UsageError("found one results file, expected two or more to compare") }
    guard paths.filter({ $0 == "-" }).count < 2 else { throw UsageError("standard input can be read once") }
    let names = try ResultNames.names(paths, given: options.text("--names"))
    let truth = try setup.choices.loadTruth(context.progress)
    var scored: [ScoredResults] = []
    context.progress.receive(.began(phase: "scoring", total: paths.count))
    for (path, name) in zip(paths, names) {
      try context.cancellation.check()
      let results = try ResultsFile.read(path, executor: setup.executor)
      scored.append(
        try setup.choices.evaluator.evaluate(results, name: name, truth: truth.images, executor: setup.executor))
      context.progress.receive(.advanced(completed: scored.count))
    }
    context.progress.receive(.ended)
    try setup.report(
      scored,
      title:
        "\(names.count > 4 ? "\(names.count) detectors" : names.joined(separator: ", ")), compared on \(truth.name)",
      truth: truth, context)
  }
}
