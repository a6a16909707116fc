import CommandLineOptions
import Foundation
import Windhover

/// `windhover-detect objects`: boxes of faces, persons or what else a model finds.
enum ObjectsCommand {
  static let command = Command(
    CommandSpecification(
      name: "objects", summary: "Find faces, persons or other objects.",
      discussion: """
        PATH is a picture (PNG, JPEG, PNM), a folder, which is searched with all folders in it, or a data set such as
        list:photos.txt or wider/validation. Output has one entry a picture, in order:

          text   one line a detection: picture, box (x y width height), score, confidence, label
          json   one JSON object a line: {"image", "width", "height", "detections": [{"box", "score", ...}]}
          csv    a header, then one line a detection

        Boxes are in pixels of the upright picture (EXIF orientation applied), from its top left corner: the first pixel
        reaches from 0 to 1. A picture that
        cannot be read is named on standard error, the others are still done, and the exit status is 1.
        """,
      operands: .oneOrMore("PATH"),
      options: [
        .value(
          "--model", "NAME|FILE", short: "-m",
          help: "A model that comes with Windhover (windhover-detect model lists them) or a model file.",
          default: "face"),
        .value(
          "--format", "FORMAT", short: "-f", help: "What to write.", default: "text", choices: ["text", "json", "csv"]),
        .flag("--json", help: "The same as --format json."),
        .value("--output", "FILE", short: "-o", help: "Write there, whole or not at all, not to standard output.")
          .written(),
        .value(
          "--draw", "DIR",
          help:
            "Also write each picture with its detections drawn, as PNG, into this folder; folders within PATH are kept, and of equal names the second becomes NAME-2.png. Captions: the label with the confidence in %, or with the score where the model has learnt none."
        ).written(.folder),
        .value(
          "--threshold", "SCORE",
          help:
            "Least score of a window, before windows of one object are joined: a cascade's detections may score the sum of theirs. Default: the model's own."
        ),
        .value(
          "--confidence", "P",
          help:
            "Least confidence of a detection, 0 to 1. Default: 0.5 where the model is calibrated and no --threshold given."
        ),
        .value(
          "--min-size", "PIXELS", help: "Least height of an object. Larger is faster. Default: the model's own."),
        .value("--max-size", "PIXELS", help: "Greatest height of an object. Default: as large as the picture."),
        .value("--scales", "N", help: "Scales an octave: more find more, slower. Default: the model's own."),
        .value(
          "--upsampling", "RULE", help: "Whether pictures may be enlarged to find small objects.",
          choices: ScanOptions.Upsampling.allCases.map(\.rawValue)),
        .value("--max", "N", help: "Keep the N best of each picture."),
        .value("--max-pixels", "N", help: "Refuse larger pictures.", default: "100000000"),
        .threads,
      ],
      examples: [
        ("windhover-detect objects --model face photo.jpg", "Faces of one picture, as text."),
        (
          "windhover-detect objects --model person --draw out photos/",
          "Persons of a folder, and pictures with their boxes in out/."
        ),
        (
          "windhover-detect objects --json list:photos.txt > faces.jsonl",
          "Faces of the pictures on a list, for windhover-evaluate."
        ),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let output = options.text("--output")
    let folder = options.text("--draw")
    let detector = try ModelCatalog.detector(options.requiredText("--model"))
    let scan = try scanOptions(options, detector)
    let readOptions = try Picture.readOptions(options)
    let confidence = try leastConfidence(options, detector)
    let format = try format(options)
    let (pictures, faults) = try Picture.list(options.operands, context)
    let drawing = folder.map { DetectionDrawing(folder: $0, pictures: pictures) }
    var outputs = context.outputs
    for path in drawing?.paths ?? [] { try outputs.file("--draw", path) }
    try drawing?.makeFolder()
    let pictureRun = PictureRun(
      detector: detector, scan: scan, confidence: confidence,
      readOptions: readOptions,
      executor: try options.executor(), progress: context.progress, cancellation: context.cancellation)

    var kept = format.header
    if output == nil { try StandardOutput.write(kept) }
    let failures = try pictureRun.detect(in: pictures) { index, result, image in
      let lines = format.lines(result)
      if output == nil {
        try StandardOutput.write(lines)
      } else {
        kept += lines
      }
      try drawing?.draw(index, result, on: image)
    }
    if let output { try AtomicFile.write(kept, to: output) }
    if failures + faults > 0 { throw PicturesFailed(count: failures + faults, total: pictures.count + faults) }
  }

  private static func leastConfidence(_ options: ParsedOptions, _ detector: any ObjectDetector) throws -> Double? {
    if options.isGiven("--confidence"), !detector.isCalibrated {
      throw UsageError("--confidence: the model is not calibrated; use --threshold")
    }
    let usual = detector.isCalibrated && !options.isGiven("--threshold") ? 0.5 : nil
    return try options.number("--confidence", in: 0...1) ?? usual
  }

  private static func format(_ options: ParsedOptions) throws -> DetectionFormat {
    let asked = DetectionFormat(rawValue: options.requiredText("--format")) ?? .text
    guard options.flag("--json") else { return asked }
    if options.isGiven("--format"), asked != .json { throw UsageError("--json and --format \(asked) contradict") }
    return .json
  }

  /// The model's scan options with what the command line changes.
  private static func scanOptions(_ options: ParsedOptions, _ detector: any ObjectDetector) throws -> ScanOptions {
    var scan = detector.scanOptions
    if let value = try options.number("--threshold") { scan.threshold = value }
    if let value = try options.number("--min-size", in: 1...1e6) { scan.minimumHeight = value }
    if let value = try options.number("--max-size", in: 1...1e6) { scan.maximumHeight = value }
    if let value = try options.integer("--scales", in: 1...64) { scan.scaleFactor = exp2(1 / Double(value)) }
    if let value = options.text("--upsampling").flatMap(ScanOptions.Upsampling.init) { scan.upsampling = value }
    if let value = try options.integer("--max", in: 0...1_000_000) { scan.maximumDetections = value }
    if let least = scan.minimumHeight, let most = scan.maximumHeight, least > most {
      throw UsageError("--min-size \(least) is larger than --max-size \(most)")
    }
    try detector.validate(scan, source: "command line")
    return scan
  }
}

/// The end of a run in which some pictures could not be done.
struct PicturesFailed: Error, CustomStringConvertible {
  let count: Int
  let total: Int
  var description: String { "\(count) of \(total) pictures could not be done (named above)" }
}
