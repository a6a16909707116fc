import CommandLineOptions
import Windhover

/// The options by which every command chooses truth, rule and figures.
struct EvaluationChoices {
  static let options: [OptionSpecification] = [
    .list(
      "--truth", "REF", short: "-t",
      help: "Data set that holds the truth: NAME/SPLIT or FORMAT:PATH. Several are joined.", required: true),
    .value(
      "--targets", "RULES",
      help: "Which annotations must be found, as in \"height>=20,blur<=1\"; the others are ignored, not background."),
    .value(
      "--protocol", "NAME",
      help: """
        coco: best free truth, overlap >= threshold, ignored regions by covered share. pascal: best truth, a taken one \
        makes a duplicate, ignored regions by overlap. caltech: as coco, overlap > threshold.
        """, default: "coco", choices: ["coco", "pascal", "caltech"]),
    .value("--overlap", "SHARE", help: "Intersection over union of a right detection, 0 to 1.", default: "0.5"),
    .flag("--pixel-corners", help: "Overlaps in the PASCAL kit's pixel arithmetic (sides one longer)."),
    .flag("--any-label", help: "Let a detection claim a truth of another label."),
    .flag("--fit-boxes", help: "Also score after one fitted offset and scale of the boxes."),
    .flag("--fit-aspect", help: "As --fit-boxes, with a scale of its own for width and height."),
    .flag("--missing-as-empty", help: "Count images without a results line as scanned and empty."),
    .flag("--leave-out-unknown", help: "Leave out images of the results that the truth does not have."),
    .value("--sizes", "A,B,...", help: "Borders of the size bands in pixels.", default: "20,40,80,160"),
    .value(
      "--size", "MEASURE", help: "What the size bands measure.", default: "height",
      choices: SizeBands.Measure.allCases.map(\.rawValue)),
    .value(
      "--resamples", "N", help: "Draws of the images for intervals and comparisons; 0 for none.", default: "1000"),
  ]

  let evaluator: Evaluator
  let targetText: String?
  private let filter: AnnotationFilter?
  let references: [DatasetReference]

  init(_ options: ParsedOptions) throws {
    references = try options.list("--truth").map { try DatasetReference.parse($0) }
    targetText = options.text("--targets")
    filter = try targetText.map { try AnnotationFilter.parse($0) }
    var matching: MatchingOptions
    switch options.requiredText("--protocol") {
    case "pascal": matching = .pascalVOC
    case "caltech": matching = .caltech
    default: matching = .coco()
    }
    if let overlap = try options.number("--overlap", in: 0...1) { matching.overlapThreshold = overlap }
    if options.flag("--pixel-corners") { matching.overlapKind = .pascal }
    matching.comparesLabels = !options.flag("--any-label")
    let fits = options.flag("--fit-boxes") || options.flag("--fit-aspect")
    evaluator = Evaluator(
      matcher: Matcher(
        options: matching, missingImages: options.flag("--missing-as-empty") ? .countAsEmpty : .areErrors,
        unknownImages: options.flag("--leave-out-unknown") ? .areLeftOut : .areErrors),
      bootstrap: BootstrapOptions(
        resampleCount: try options.integer("--resamples", in: 0...1_000_000) ?? 0,
        seed: try options.seed("--seed") ?? 1),
      bands: try EvaluationChoices.bands(options),
      boxFit: fits ? BoxFit.Options(fitsAspect: options.flag("--fit-aspect")) : nil)
  }

  private static func bands(_ options: ParsedOptions) throws -> SizeBands {
    let text = options.requiredText("--sizes")
    let borders = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    let numbers = borders.compactMap { $0 }
    let rises = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    guard numbers.count == borders.count, numbers.allSatisfy({ $0.isFinite && $0 > 0 }), rises else {
      throw UsageError("--sizes: found \"\(text)\", expected rising numbers of pixels, as in 20,40,80")
    }
    return SizeBands(measure: .init(rawValue: options.requiredText("--size")) ?? .height, borders: numbers)
  }

  var truthSources: [EvaluationReport.TruthSource] {
    references.map { .init(name: $0.description) }
  }

  /// The truth with the target rule applied; faults of the data sets go to `progress` as warnings.
  func loadTruth(_ progress: any ProgressSink) throws -> Dataset {
    var truth = try Dataset.load(references)
    if let filter { truth = truth.filtered(by: filter) }
    truth.tellProblems(to: progress)
    return truth
  }
}
