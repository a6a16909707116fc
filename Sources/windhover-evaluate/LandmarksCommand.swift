import CommandLineOptions
import Foundation
import Windhover

/// `windhover-evaluate landmarks`: point-to-point errors of a landmark fitter.
enum LandmarksCommand {
  static let command = Command(
    CommandSpecification(
      name: "landmarks", summary: "Measure a landmark fitter on labelled faces.",
      discussion: """
        MODEL is a .safetensors file of windhover-train landmarks or a shape_predictor .dat of dlib's. Errors are mean
        distances of points over a length: between the pupils (centres of the eyes' points), between the outer eye corners,
        the diagonal of the box around the true points, and the square root of its area. Boxes are the data set's, or a
        detector's (--boxes, --detector); faces that it misses get the labelled box, moved and scaled as its boxes usually
        are. How a detector's boxes lie about the labelled ones (shift, scale, the faces' turn) is printed: what training
        should expect (--set startShift=, startScale=, startRotation=).

        Models that have learnt a confidence are also measured on how well it tells these boxes from wrong ones: boxes moved
        off their faces and, with --without-faces, boxes drawn in photos without faces and the detector's false alarms there.
        """,
      operands: .oneOrMore("MODEL"),
      options: [
        .list("--data", "REF", short: "-d", help: "Labelled faces."),
        .value("--boxes", "FILE", help: "Face boxes from a results file (JSON lines)."),
        .value("--detector", "NAME|FILE", help: "Face boxes from a detector."),
        .value("--starts", "N", help: "Starts a face, whose median is taken.", default: "1"),
        .list(
          "--perturb", "SHARE[,...]",
          help: "Also with boxes moved, scaled, and both, by up to these shares of their side, as in 0.05,0.1,0.15,0.2."
        ),
        .value(
          "--draws", "N", help: "Draws of each moved box; their mean is told, with its growth's deviation.",
          default: "10"),
        .value(
          "--failure", "ERROR", help: "Errors above this are failures; the curve's area ends here.", default: "0.08"),
        .list(
          "--without-faces", "REF",
          help: "Photos without faces, for wrong boxes (models that have learnt a confidence)."),
        .value(
          "--alarms", "SCORE", help: "With --detector: its false alarms are boxes up to this far below its threshold.",
          default: "0"),
        .flag("--points", help: "Also a line for each point."),
        .flag("--json", help: "Write one JSON object a model."),
        .seed,
        .threads,
      ],
      examples: [
        (
          "windhover-evaluate landmarks landmarks.safetensors -d 300w/validation --perturb 0.05,0.1,0.15,0.2",
          "Errors on faces held out of 300-W's training set, and the curve of errors against worse boxes."
        ),
        (
          "windhover-evaluate landmarks landmarks.safetensors -d 300w/validation --detector face --without-faces "
            + "face-free/validation",
          "Also the detector's spread, and whether the confidence tells faces from what is none."
        ),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let executor = try options.executor()
    let references = options.list("--data")
    if references.isEmpty { throw UsageError("--data REF is missing: labelled faces") }
    let dataset = Dataset.joined(try references.map { try Dataset.load(DatasetReference.parse($0)) })
    for problem in dataset.problems where problem.severity > .note {
      context.progress.receive(.warning(problem.description))
    }
    let boxes = try LandmarkFaceSet.Boxes(
      results: options.text("--boxes"), detector: options.text("--detector"), executor: executor)
    let starts = try options.integer("--starts", in: 1...64) ?? 1
    let failure = try options.number("--failure", in: 1e-6...10) ?? 0.08
    let perturbations = LandmarkRun.Perturbations(
      sizes: try sizes(options.list("--perturb")), draws: try options.integer("--draws", in: 1...10_000) ?? 10,
      seed: try options.seed("--seed") ?? 1)
    if options.isGiven("--draws"), perturbations.sizes.isEmpty { throw UsageError("--draws needs --perturb") }
    var wrong = LandmarkRun.WrongBoxes()
    let backgrounds = options.list("--without-faces")
    if options.isGiven("--alarms"), backgrounds.isEmpty || options.text("--detector") == nil {
      throw UsageError("--alarms needs --detector and --without-faces")
    }
    if !backgrounds.isEmpty {
      wrong.photos = Dataset.joined(try backgrounds.map { try Dataset.load(DatasetReference.parse($0)) })
      if let name = options.text("--detector") {
        let detector = try ModelCatalog.detector(name)
        var scan = detector.scanOptions
        scan.threshold -= try options.number("--alarms", in: 0...1000) ?? 0
        try detector.validate(scan, source: "--alarms")
        wrong.alarms = { [scan] in detector.detect(in: $0, options: scan, executor: .serial) }
      }
    }
    for path in options.operands {
      let run = LandmarkRun(model: try LandmarkRun.model(path), starts: starts, executor: executor)
      var report = try run.report(
        dataset, boxes: boxes, perturbations: perturbations, failureThreshold: failure, wrong: wrong,
        cancellation: context.cancellation)
      report.title = "\(path) on \(dataset.name)"
      report.showsPoints = options.flag("--points")
      if !backgrounds.isEmpty, report.confidence.isEmpty {
        context.progress.receive(.warning("\(path) has learnt no confidence: --without-faces has no effect"))
      }
      for note in report.notes { context.progress.receive(.warning(note)) }
      try StandardOutput.write(options.flag("--json") ? report.json + "\n" : report.text + "\n")
    }
  }

  private static func sizes(_ texts: [String]) throws -> [Double] {
    try texts.flatMap { text in
      try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
        guard let size = Double(part), size > 0, size < 1 else {
          throw UsageError("--perturb: found \"\(text)\", expected shares above 0 and below 1")
        }
        return size
      }
    }
  }
}
