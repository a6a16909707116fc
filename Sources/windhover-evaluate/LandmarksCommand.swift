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
          "--leaves", "BITS",
          help: "Round the models' leaves and weights of 32 bits first, as training does: what that costs.",
          choices: ["8", "16"]),
        .value(
          "--failure", "ERROR", help: "Errors above this are failures; the curve's area ends here.", default: "0.08"),
        .list(
          "--without-faces", "REF",
          help: "Photos without faces, for wrong boxes (models that have learnt a confidence)."),
        .value(
          "--alarms", "SCORE", help: "With --detector: its false alarms are boxes up to this far below its threshold.",
          default: "0"),
        .flag("--points", help: "Also a line for each point."),
        .value(
          "--html", "FILE",
          help: "Also write a page: curves, tables, options, checksums, the best, median and worst fits."
        ).written(),
        .value("--gallery", "N", help: "Fits of each kind and model on the page, 0 for none.", default: "12"),
        .value("--names", "A,B,...", help: "What to call the models. Default: the files' names."),
        .value("--title", "TEXT", help: "Title of the page."),
        .flag("--json", help: "Write one JSON object a model."),
        .seed,
        .threads,
      ],
      examples: [
        (
          "windhover-evaluate landmarks ours.safetensors dlib.dat -d 300w/validation --detector face --perturb 0.05,0.1,0.2 "
            + "--html landmarks.html",
          "Two models on the same faces: a table, and one page with their curves and fits."
        ),
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
    let html = options.text("--html")
    let paths = try options.operands.map { try ModelCatalog.path(of: $0) }
    let backgrounds = options.list("--without-faces")
    if options.isGiven("--alarms"), backgrounds.isEmpty || options.text("--detector") == nil {
      throw UsageError("--alarms needs --detector and --without-faces")
    }
    if options.isGiven("--gallery") || options.isGiven("--title"), html == nil {
      throw UsageError("--gallery and --title need --html")
    }
    func sources(_ references: [String]) throws -> [AnnotatedSource] {
      try references.map { AnnotatedSource(data: try .parse($0)) }
    }
    var evaluation = LandmarkEvaluation(name: "--data", data: try sources(references))
    evaluation.boxes = options.text("--boxes")
    evaluation.detector = options.text("--detector")
    evaluation.starts = try options.integer("--starts", in: 1...64)
    evaluation.perturb = try sizes(options.list("--perturb"))
    evaluation.draws = try options.integer("--draws", in: 1...10_000)
    evaluation.seed = try options.seed("--seed")
    evaluation.failure = try options.number("--failure", in: 1e-6...10)
    evaluation.withoutFaces = try sources(backgrounds)
    evaluation.alarms = try options.number("--alarms", in: 0...1000)
    if options.isGiven("--draws"), evaluation.perturb?.isEmpty ?? true { throw UsageError("--draws needs --perturb") }
    let bits = try options.integer("--leaves").flatMap(LeafBits.init)
    let setup = try evaluation.setup(executor: executor, progress: context.progress)
    let names = try ResultNames.names(options.operands, given: options.text("--names"))
    var reports: [LandmarkReport] = []
    for ((path, given), name) in zip(zip(paths, options.operands), names) {
      var model = try LandmarkRun.model(path)
      if let bits {
        guard model.predictor.isExact else {
          throw InputError(
            source: given, problem: "has leaves that are rounded already: --leaves needs 32 bits",
            hint: "windhover-train landmarks --leaves 32, or a .dat")
        }
        model.predictor = model.predictor.quantized(bits: bits)
      }
      if !backgrounds.isEmpty, model.confidence == nil {
        context.progress.receive(.warning("\(given) has learnt no confidence: --without-faces has no effect"))
      }
      var report = try evaluation.report(model, setup, executor: executor, cancellation: context.cancellation)
      report.title = "\(given)\(bits.map { ", leaves of \($0.rawValue) bits," } ?? "") on \(setup.dataset.name)"
      report.name = name
      report.showsPoints = options.flag("--points")
      if html != nil {
        report.modelChecksum = SHA256.hexDigest(of: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
      }
      for note in report.notes { context.progress.receive(.warning(note)) }
      reports.append(report)
      try StandardOutput.write(options.flag("--json") ? report.json + "\n" : report.text + "\n")
    }
    if reports.count > 1, !options.flag("--json") { try StandardOutput.write(LandmarkReport.table(reports)) }
    guard let html else { return }
    let gallery = try options.integer("--gallery", in: 0...1000) ?? 12
    let usual = names.count == 1 ? names[0] : "\(names.count) models"
    let page = try evaluation.page(
      reports, setup, title: options.text("--title") ?? "Landmark errors of \(usual) on \(setup.dataset.name)",
      command: context.recordedCommandLine, executor: executor, cancellation: context.cancellation)
    try AtomicFile.write(
      page.html(
        gallery: gallery > 0 ? DatasetPictures(setup.dataset) : nil, options: GalleryOptions(limit: gallery),
        executor: executor), to: html)
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
