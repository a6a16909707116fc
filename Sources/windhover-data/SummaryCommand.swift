import CommandLineOptions
import DatasetReaders
import Execution

enum SummaryCommand {
  static let command = Command(
    CommandSpecification(
      name: "summary", summary: "images, annotations, sizes, labels and checksums of data sets",
      discussion: """
        Counts images, photos, targets and ignored annotations, shows how large the targets are, and gives the checksum
        of the annotations that models and reports name their data by. Images are not opened; check does that.

        \(WindhoverData.referenceHelp)
        """,
      operands: .oneOrMore("DATASET"),
      options: [
        .flag("--json", help: "Write JSON: a list with one object a data set."),
        .value(
          "--targets", "RULES",
          help: "What counts as a target, for example height>=20,blur<=1; the rest is ignored."),
        .flag("--contents", help: "Read every image file and give a checksum of the contents too."),
        .threads,
      ],
      examples: [
        ("windhover-data summary wider/train wider/validation", "shows both splits"),
        ("windhover-data summary wider/train --targets 'height>=20,blur<=1'", "shows what a training would see"),
      ]), run: run)

  @Sendable private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let filter = try options.text("--targets").map { try AnnotationFilter.parse($0) }
    let executor = try options.executor()
    var summaries: [DatasetSummary] = []
    for set in try options.datasets() {
      var summary = try DatasetSummary(filter.map { set.filtered(by: $0) } ?? set)
      if options.flag("--contents") {
        summary.contentChecksum = try set.contentChecksum(
          executor: executor, progress: context.progress, cancellation: context.cancellation)
      }
      summaries.append(summary)
      if !options.flag("--json") { try StandardOutput.write("\(summary)\n") }
    }
    if options.flag("--json") { try StandardOutput.write(json(summaries)) }
  }
}
