import CommandLineOptions
import Foundation
import Windhover

/// `windhover-evaluate stages`: what a cascade misses at which false-alarm rates, on single windows.
enum StagesCommand {
  static let command = Command(
    CommandSpecification(
      name: "stages", summary: "Measure a cascade's misses and false alarms, stage by stage.",
      discussion: """
        Looks at each sample of --positives, and at windows of the photos of --negatives in a random order, and prints the
        miss rate and the false alarms a window after each stage, and the miss rate at round false-alarm rates. Cascades
        are ours or OpenCV's (.xml).
        """,
      options: [
        .value("--model", "NAME|FILE", short: "-m", help: "The cascade.", required: true),
        .list("--positives", "REF", short: "-p", help: "Packed samples, or photos with objects.", required: true),
        .list("--negatives", "REF", short: "-n", help: "Photos that windows are taken from.", required: true),
        .value("--windows", "N", help: "The most windows.", default: "2000000"),
        .value("--json", "FILE", help: "Also write the figures there.").written(),
        .seed, .threads,
      ],
      examples: [
        (
          "windhover-evaluate stages -m faces.xml -p vec:held-out.vec -n folder:scenes",
          "A cascade on faces and scenes that it was not trained on."
        )
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let executor = try options.executor()
    let model = options.requiredText("--model")
    guard let detector = try ModelCatalog.detector(model) as? CascadeDetector else {
      throw InputError(source: model, problem: "is no cascade")
    }
    func sources(_ name: String) throws -> [AnnotatedSource] {
      try options.list(name).map { AnnotatedSource(data: try .parse($0)) }
    }
    let (positives, negatives) = (try sources("--positives"), try sources("--negatives"))
    let measure = try CascadeStagesRun.measure(
      detector, positives: positives, negatives: negatives,
      windowLimit: try options.integer("--windows", in: 1...1_000_000_000) ?? 1,
      seed: try options.seed("--seed") ?? 1, executor: executor, progress: context.progress,
      cancellation: context.cancellation)
    try StandardOutput.write(measure.markdown(isHeldOut: false) + "\n")
    if let json = options.text("--json") { try AtomicFile.write(StrictJSON.text(measure), to: json) }
  }
}
