import CommandLineOptions
import Foundation
import Windhover

/// `windhover-train landmarks`: a landmark fitter from faces with labelled points.
enum LandmarksCommand {
  static let command = Command(
    CommandSpecification(
      name: "landmarks", summary: "Train a landmark fitter.",
      discussion: """
        Faces and their points come from data sets with landmarks (ibug:DIR, imglab:FILE). Face boxes are the data set's, or
        a detector's: --boxes FILE takes results of windhover-detect objects, --detector NAME|FILE runs one. How these boxes
        are spread about the labelled ones is measured and printed; --set startShift=... and startScale=... train for it.

        The preset dlib has the options of dlib's trainer and can be written as .dat; face is our own for faces: levels
        of gradient histograms and linear regressions. --set NAME=VALUE changes any option; --list-options prints them.
        After each level FILE.checkpoint holds what is done; a run that was interrupted goes on from it and ends with the
        same bytes. With other options or data it refuses, and --restart begins anew.

        What points of one's own are tells a layout file (--layout FILE), a JSON list of layouts, of which the one with so many
        points is taken. Points are counted from 0:

          [{"name": "muzzle", "summary": "A dog's muzzle.", "sides": "person", "pointCount": 4, "mirror": [1, 0, 2, 3],
            "groups": [{"name": "muzzle", "points": [0, 2, 1, 3], "isClosed": true},
                       {"name": "middle", "points": [2, 3], "isClosed": false}]}]

        mirror gives for each point the one that takes its place in a mirror (itself in the middle). Groups are drawn in their
        points' order, closed or open, and measured one by one; they may share points. sides says whose left and right the
        names speak of, the person's or the image's. Errors by pupil distance and outer corners need leftEye, rightEye,
        leftOuterCorner and rightOuterCorner, lists of points.
        """,
      operands: .none,
      options: [
        .value("--output", "FILE", short: "-o", help: "The model to write: .safetensors, or .dat for dlib.")
          .written(.training),
        .list("--data", "REF", short: "-d", help: "Faces to learn from."),
        .list("--validation", "REF", help: "Faces to measure after each level; none of them is learnt from."),
        .value("--boxes", "FILE", help: "Face boxes from a results file (JSON lines)."),
        .value("--detector", "NAME|FILE", help: "Face boxes from a detector."),
        .value("--preset", "NAME", help: "Options to begin with.", default: "face", choices: ["face", "dlib"]),
        .list("--set", "NAME=VALUE", help: "An option of the trainer."),
        .flag("--mirror", help: "Learn from mirrored faces, too; the layout says which points change places."),
        .value(
          "--layout", "NAME|FILE",
          help:
            "What the points are: a built-in layout, or a JSON file of the form above. 68 points are ibug68."
        ),
        .value(
          "--leaves", "BITS", help: "Bits of a leaf's value in the file.", default: "8", choices: ["8", "16", "32"]),
        .value("--seed", "N", help: "Seed of everything random."),
        .flag("--restart", help: "Begin anew, even where a checkpoint is there.").unrecorded(),
        .flag("--list-options", help: "Print the preset's options as JSON and stop."),
        .threads,
      ],
      examples: [
        (
          "windhover-train landmarks -d 300w/train --mirror -o landmarks.safetensors",
          "A 68-point fitter for the data set's own boxes."
        ),
        (
          "windhover-train landmarks --preset dlib -d imglab:faces.xml -o faces.dat", "A predictor that dlib loads."
        ),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    var settings = options.requiredText("--preset") == "dlib" ? ShapePredictorOptions() : .face
    let given = try options.list("--set").map { item in
      guard let equals = item.firstIndex(of: "=") else {
        throw UsageError("--set: found \"\(item)\", expected NAME=VALUE")
      }
      return (name: String(item[..<equals]), text: String(item[item.index(after: equals)...]))
    }
    settings = try settings.replacing(given, source: "--set")
    if let seed = try options.seed("--seed") { settings.seed = seed }
    if options.flag("--list-options") {
      try StandardOutput.write(try ModelFile.json(settings) + "\n")
      return
    }
    guard let output = options.text("--output") else { throw UsageError("--output FILE is missing") }
    let references = options.list("--data")
    if references.isEmpty { throw UsageError("--data REF is missing: faces to learn from") }
    if output.hasSuffix(".dat"), options.isGiven("--leaves") {
      throw UsageError("--leaves: a .dat holds leaves of 32 bits; give a .safetensors as --output")
    }
    if output.hasSuffix(".dat"), settings.changeFrame == .shape || !settings.gradients.isEmpty {
      throw UsageError(
        "--output: a .dat cannot hold leaves that turn with the shape or gradient levels; use --preset dlib or .safetensors"
      )
    }
    let checkpoint = context.outputs.checkpoint
    let validation = options.list("--validation")
    let lock = try FileLock.beside(output)
    defer { lock?.release() }
    let executor = try options.executor()
    let boxes = try LandmarkFaceSet.Boxes(
      results: options.text("--boxes"), detector: options.text("--detector"), executor: executor)
    let isDlib = output.hasSuffix(".dat")
    var job = LandmarkTrainingJob(training: try dataset(references, context), boxes: boxes, options: settings)
    if !validation.isEmpty { job.validation = try dataset(validation, context) }
    job.isMirrored = options.flag("--mirror")
    if isDlib {
      // dlib sees whole photos at their own size. What lies more than a box side from the box is black here: trees do not
      // look so far, and large photos need not be held.
      job.largestBox = nil
      job.margin = 1
      job.leafBits = nil
      job.learnsConfidence = false
    } else {
      job.leafBits = try options.integer("--leaves").flatMap(LeafBits.init)
    }
    let points = job.training.images.lazy.flatMap(\.annotations).first { !$0.landmarks.isEmpty }?.landmarks.count
    if let layout = options.text("--layout") {
      guard let points else {
        throw InputError(source: job.training.name, problem: "has no annotation with landmarks")
      }
      job.layout = try LandmarkLayout.find(layout, pointCount: points)
    } else if points == 68 {
      job.layout = .ibug68
    }
    if options.flag("--restart"), let checkpoint { try AtomicFile.remove(checkpoint) }
    let now = RunRecord.now(command: context.recordedCommandLine)
    let record = Provenance(
      command: now.command, dataSets: [], seed: settings.seed, commit: now.commit, date: now.date, machine: now.machine)
    let model = try job.run(
      record: record, checkpoint: checkpoint, executor: executor, progress: context.progress,
      cancellation: context.cancellation)
    if isDlib {
      try DlibShapePredictor.write(model.predictor, to: output)
      // The margin bounded the training's memory alone; what was learnt is used on whole photos.
      let trained = model.predictor
      let written = ShapePredictor(
        meanShape: trained.meanShape, levels: trained.levels, border: trained.border, changeFrame: trained.changeFrame,
        layout: trained.layout)
      for difference in DlibShapePredictor.differences(of: written) {
        context.progress.receive(.warning("in dlib: \(difference)"))
      }
    } else {
      try model.write(to: output)
    }
    if let checkpoint { try AtomicFile.remove(checkpoint) }
    context.progress.receive(.note("Written: \(output)"))
  }

  private static func dataset(_ references: [String], _ context: CommandContext) throws -> Dataset {
    let set = Dataset.joined(try references.map { try Dataset.load(DatasetReference.parse($0)) })
    for problem in set.problems where problem.severity > .note {
      context.progress.receive(.warning(problem.sentence))
    }
    return set
  }
}
