import CommandLineOptions
import DatasetReaders
import Detection
import Execution
import Experiments
import Foundation
import Geometry
import Imaging

/// `windhover-data samples`: positive samples of a cascade, in place of `opencv_createsamples`.
enum SamplesCommand {
  static let command = Command(
    CommandSpecification(
      name: "samples", summary: "make, convert and show the positive samples of a cascade",
      discussion: """
        Takes the place of opencv_createsamples:

        1. Samples of annotated objects: DATASET… are sets with boxes, or packed samples (vec:FILE), which are joined.
           Every object is cut out, in the order of the files; --mirror and --copies make more of each.
        2. Samples of pictures: each --picture is turned in space, brightened or darkened and laid over backgrounds,
           as often as --count says.
        3. Test pictures for a detector: with --scenes pictures are laid over whole photos, and a list says where.

        -o FILE.vec writes packed samples, which windhover-train cascade, vec:FILE.vec and OpenCV read; any other name is
        a new folder, for PNG files and their list info.txt. --sheet draws samples for the eye; alone, it shows what is in
        a .vec file or a set. Boxes are fitted to the window's shape about their centres (--fit); what lies outside
        a photo is filled with its border. Every photo is opened first, and all that cannot be read are told.

        What is random is drawn from --seed, uniformly between minus and plus the limit that its option gives (sizes
        in the logarithm): the same options and data give the same bytes on any number of threads. Without
        --transparent only what a PNG marks as transparent is; opencv_createsamples takes all values up to 80 for
        transparent unless it is told otherwise. Keep some --shift and --scale: a cascade of samples that all lie exactly
        alike misses what a scan sees between its steps.

        \(WindhoverData.referenceHelp)
        """,
      operands: .any("DATASET"),
      options: [
        .value("--output", "PATH", short: "-o", help: "FILE.vec, or a new folder for PNG files and info.txt.")
          .written(.fileOrFolder(suffix: ".vec")),
        .value("--sheet", "FILE", help: "Draw samples as a picture: .png, .jpg or .ppm.").written(),
        .value("--sheet-count", "N", help: "The most samples on it, spread over all.", default: "256"),
        .value(
          "--window", "WxH", help: "Size of the samples in pixels. Default: that of packed samples, else 24x24."),
        .value(
          "--count", "N", help: "How many samples (scenes). Default: all there are; 1000 of pictures, 100 scenes."),
        .value("--targets", "RULES", help: "Which objects to take, for example height>=20,blur<=1."),
        .list("--objects", "LABEL", help: "Labels to take. Default: all."),
        .value(
          "--fit", "HOW",
          help:
            "What a box of another shape keeps: its area, width or height; cover holds all of it; stretch bends it to "
            + "the window, as OpenCV does. Default: area; cover for pictures.",
          choices: PositiveSampleOptions.Fit.allCases.map(\.rawValue)),
        .value("--context", "FACTOR", help: "Grow boxes about their centres before they are cut.", default: "1"),
        .value(
          "--largest-enlargement", "FACTOR", help: "Leave objects out that would be enlarged more.", default: "1.25"),
        .value(
          "--least-visible", "SHARE", help: "Leave objects out of which less lies in the photo.", default: "0.5"),
        .flag("--mirror", help: "Each object's mirror image too; of pictures, every other one by chance."),
        .value("--copies", "N", help: "Copies of each object, changed by the limits below.", default: "0"),
        .value("--shift", "SHARE", help: "Limit of a shift, of the window's side.", default: "0.05"),
        .value("--scale", "SHARE", help: "Limit of a size: 0.1 draws 1/1.1 to 1.1.", default: "0.1"),
        .value("--turn", "DEGREES", help: "Limit of a turn in the picture. Default: 5; 29 for pictures."),
        .value("--tilt-x", "DEGREES", help: "Limit of a nod, up to 75. Default: 0; 63 for pictures."),
        .value(
          "--tilt-y", "DEGREES",
          help: "Limit of a turn of the head, up to 75; nods leave less of it. Default: 0; 63 for pictures."),
        .value("--intensity", "LEVELS", help: "Limit of what is added to grey. Default: 0; 40 for pictures."),
        .value(
          "--invert", "WHEN", help: "Show negatives; random: every other copy or picture by chance.", default: "never",
          choices: PositiveSampleOptions.Inversion.allCases.map(\.rawValue)),
        .list("--picture", "FILE", help: "A picture of the object, its transparency that of a PNG."),
        .list("--background", "DATASET", help: "Photos that pictures are laid over, away from their objects."),
        .value("--background-level", "GREY", help: "Grey to lay them over without photos.", default: "128"),
        .value("--transparent", "COLOUR", help: "A colour of pictures that is transparent: GREY or R,G,B, 0 to 255."),
        .value("--tolerance", "LEVELS", help: "How far from it each channel may be. Default: 80."),
        .flag("--whole", help: "Show all of a turned picture, smaller, where its corners would be cut."),
        .flag("--scenes", help: "Write test pictures: --picture on --background, into a folder."),
        .value("--scene-objects", "N", help: "Objects in each scene.", default: "1"),
        .value(
          "--largest-scale", "FACTOR", help: "The largest object, in windows. Default: 0.7 of the photo."),
        .value("--scene-format", "FORMAT", help: "Files of scenes.", default: "png", choices: ["png", "jpg"]),
        .flag("--json", help: "Write what was made as JSON."),
        .seed, .threads,
      ],
      examples: [
        ("windhover-data samples vec:faces.vec --sheet faces.png", "shows what is in a .vec file"),
        (
          "windhover-data samples info:cars/info.txt --window 40x20 --fit stretch -o cars.vec",
          "packs annotated objects"
        ),
        ("windhover-data samples vec:a.vec vec:b.vec -o both.vec", "joins packed samples"),
        (
          "windhover-data samples wider/train --targets 'height>=24' --mirror --copies 3 -o faces.vec",
          "mirror images and three copies each"
        ),
        (
          "windhover-data samples --picture logo.png --background folder:photos --count 3000 -o logo.vec",
          "many samples of one picture"
        ),
        (
          "windhover-data samples --picture logo.png --transparent 255 --tolerance 10 --tilt-x 30 --tilt-y 30 "
            + "--background bg:bg.txt --sheet look.png",
          "white made transparent; a look before writing"
        ),
        (
          "windhover-data samples --scenes --picture logo.png --background folder:photos --count 200 -o scenes",
          "test pictures with their list"
        ),
      ]), run: run)

  @Sendable private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let choices = try SampleChoices(options)
    let output = options.text("--output")
    let sheet = options.text("--sheet")
    if output == nil && sheet == nil {
      throw UsageError("nothing to write: give -o FILE.vec, -o FOLDER or --sheet FILE.png")
    }
    let isPacked = output.map { lowercasedSuffix($0) == "vec" } ?? false
    if let sheet, ImageFile.format(forSuffix: lowercasedSuffix(sheet)) == nil {
      throw UsageError("--sheet: found \"\(sheet)\", expected a name that ends in .png, .jpg or .ppm")
    }
    if let output, !isPacked, ImageFile.format(forSuffix: lowercasedSuffix(output)) != nil {
      throw UsageError("--output: found \"\(output)\", expected FILE.vec or a folder; --sheet draws one picture")
    }
    if let output, !isPacked { try EmptyFolder.check(output) }
    let executor = try options.executor()
    if options.flag("--scenes") {
      try writeScenes(choices.scenes(), output, isPacked: isPacked, sheet, options, executor, context)
      return
    }
    let made = try choices.samples().samples(
      executor: executor, progress: context.progress, cancellation: context.cancellation)
    if let output {
      if isPacked {
        try made.write(
          vec: output, executor: executor, progress: context.progress, cancellation: context.cancellation)
      } else {
        try made.write(
          folder: output, executor: executor, progress: context.progress, cancellation: context.cancellation)
      }
    }
    if let sheet {
      let count = try options.integer("--sheet-count", in: 1...4096) ?? 256
      try ImageFile.write(made.sheet(count: count, executor: executor), to: sheet)
    }
    if options.flag("--json") { return try StandardOutput.write(json(made.summary)) }
    try StandardOutput.write(text(made.summary, written: [output, sheet].compactMap { $0 }))
  }

  private static func writeScenes(
    _ job: SceneJob, _ output: String?, isPacked: Bool, _ sheet: String?, _ options: ParsedOptions,
    _ executor: ParallelExecutor, _ context: CommandContext
  ) throws {
    if sheet != nil { throw UsageError("--sheet shows samples, not scenes") }
    guard let output, !isPacked else { throw UsageError("--scenes needs a folder: -o FOLDER") }
    let summary = try job.write(
      folder: output, executor: executor, progress: context.progress, cancellation: context.cancellation)
    if options.flag("--json") { return try StandardOutput.write(json(summary)) }
    var text = "\(summary.scenes) scenes with \(summary.objects) objects on \(summary.backgrounds) photos: \(output)\n"
    if summary.withoutPlace > 0 { text += "  \(summary.withoutPlace) objects found no free place\n" }
    if summary.smallBackgrounds > 0 { text += "  \(summary.smallBackgrounds) photos are smaller than the window\n" }
    if summary.annotatedBackgrounds > 0 {
      text += "  \(summary.annotatedBackgrounds) photos were left out for objects of their own\n"
    }
    try StandardOutput.write(text)
  }

  private static func text(_ summary: SampleCollection.Summary, written: [String]) -> String {
    var text = "\(summary.samples) samples of \(summary.width) x \(summary.height)"
    if let objects = summary.objects { text += " from \(objects) objects" }
    if let pictures = summary.pictures { text += " from \(pictures) picture\(pictures == 1 ? "" : "s")" }
    if let windows = summary.backgroundWindows { text += " on \(windows) different backgrounds" }
    text += ": \(written.joined(separator: ", "))\n"
    let reasons = [
      "tooSmall": "smaller than the window by more than --largest-enlargement",
      "outside": "outside their photos by more than --least-visible allows", "empty": "without area",
      "otherLabel": "with other labels",
    ]
    for (reason, count) in (summary.leftOut ?? [:]).sorted(by: { $0.key < $1.key }) {
      text += "  left out: \(count) \(reasons[reason] ?? reason)\n"
    }
    return text
  }
}

/// The suffix of a path in lower case, without its dot.
private func lowercasedSuffix(_ path: String) -> String { (path as NSString).pathExtension.lowercased() }
