import CommandLineOptions
import Foundation
import Windhover

/// `windhover-train calibrate`: confidences for a detector that is trained already.
enum CalibrateCommand {
  static let command = Command(
    CommandSpecification(
      name: "calibrate", summary: "Give a trained detector confidences.",
      discussion: """
        A detector's scores have no scale of their own. This fits confidences between 0 and 1 to them (Platt's method): the
        share of right detections among those of a score, in the annotated photos of --photos. They must be photos that
        the detector was not trained on, with objects and without, such as it will meet: a confidence is true of photos
        like those. Scores, boxes and their order stay as they are.

        The model is HOG or a cascade, ours or OpenCV's; what is written is a model of ours (.safetensors).
        """,
      operands: .one("NAME|FILE"),
      options: [
        .value("--output", "FILE", short: "-o", help: "The model to write (safetensors).", required: true).written(
          .calibratedModel),
        .list("--photos", "REF", short: "-p", help: "Annotated photos, none of them trained on.", required: true),
        .value("--targets", "RULES", help: "Which objects count, e.g. \"height>=20,blur<=1\"; others are ignored."),
        .list("--objects", "LABEL", help: "Labels of the objects. Default: what the detector calls its detections."),
        .flag("--leave-out-faults", help: "Go on without photos that are missing or cannot be read."),
        .threads,
      ],
      examples: [
        (
          "windhover-train calibrate face.safetensors -p wider/validation --targets \"height>=24\" -o face.safetensors",
          "Confidences for a detector of one's own, in place."
        )
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let name = options.operands[0]
    let output = options.requiredText("--output")
    guard output.hasSuffix(".safetensors") else {
      throw UsageError("--output: found \"\(output)\", expected a name that ends in .safetensors")
    }
    let targets = options.text("--targets")
    let photos = try options.list("--photos").map { AnnotatedSource(data: try .parse($0), targets: targets) }
    let job = CalibrationJob(
      photos: photos, objects: options.isGiven("--objects") ? options.list("--objects") : nil,
      leavesOutFaults: options.flag("--leave-out-faults"))
    let lock = try FileLock.beside(output)
    defer { lock?.release() }
    let model = try job.run(
      try ModelCatalog.model(name), source: name, record: RunRecord.now(command: context.recordedCommandLine),
      executor: try options.executor(), progress: context.progress, cancellation: context.cancellation)
    try model.write(to: output)
    context.progress.receive(.note("Written: \(output)"))
  }
}
