import CommandLineOptions
import DatasetReaders
import Execution
import Foundation
import Imaging

enum CheckCommand {
  static let command = Command(
    CommandSpecification(
      name: "check", summary: "open every image and list every fault with file and line",
      discussion: """
        Reads the annotations, opens every image, and lists what is not as it should be: missing and unreadable
        images, boxes outside their image or without area, duplicates, unknown labels, lines that cannot be read,
        counts that are wrong, trailing spaces and carriage returns. Each line ends in the kind of fault and what a
        reader does with the entry. Status 1 where there are errors; notes and warnings alone give 0.

        \(WindhoverData.referenceHelp)
        """,
      operands: .oneOrMore("DATASET"),
      options: [
        .flag("--json", help: "Write JSON: for each data set its counts and all problems."),
        .value(
          "--severity", "LEVEL", help: "The least that is listed.", default: "note",
          choices: ["note", "warning", "error"]),
        .value(
          "--pixel-limit", "N", help: "The most pixels that an image may have.", default: "100000000"),
        .threads,
      ],
      examples: [
        ("windhover-data check wider/train", "checks a manifest's split"),
        ("windhover-data check 'imglab:my faces/training.xml' --json", "checks files of your own"),
      ]), run: run)

  private struct Report: Encodable {
    var dataset: String
    var images: Int
    var errors: Int
    var warnings: Int
    var notes: Int
    var problems: [Entry]
  }

  private struct Entry: Encodable {
    var file: String
    var line: Int?
    var image: String?
    var kind: DatasetProblem.Kind
    var severity: DatasetProblem.Severity
    var outcome: DatasetProblem.Outcome
    var message: String

    init(_ problem: DatasetProblem) {
      file = problem.file
      line = problem.line
      image = problem.image
      kind = problem.kind
      severity = problem.severity
      outcome = problem.outcome
      message = problem.message
    }
  }

  @Sendable private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let executor = try options.executor()
    let limit = try options.integer("--pixel-limit", in: 1...Int.max) ?? 100_000_000
    var readOptions = ImageReadOptions(pixelLimit: limit)
    readOptions.pixelLimitName = "--pixel-limit"
    let check = DatasetCheck(readOptions: readOptions)
    let least = DatasetProblem.Severity(rawValue: options.requiredText("--severity")) ?? .note
    var reports: [Report] = []
    for set in try options.datasets() {
      let problems = try check.problems(
        of: set, executor: executor, progress: context.progress, cancellation: context.cancellation)
      let report = Report(
        dataset: set.name, images: set.images.count, errors: problems.count { $0.severity == .error },
        warnings: problems.count { $0.severity == .warning }, notes: problems.count { $0.severity == .note },
        problems: problems.filter { $0.severity >= least }.map(Entry.init))
      reports.append(report)
      guard !options.flag("--json") else { continue }
      for problem in problems where problem.severity >= least { try StandardOutput.write("\(problem)\n") }
      try StandardOutput.write(
        "\(set.name): \(report.images) images, \(report.errors) errors, \(report.warnings) warnings, "
          + "\(report.notes) notes\n")
    }
    if options.flag("--json") { try StandardOutput.write(json(reports)) }
    try StandardOutput.flush()
    let errors = reports.reduce(0) { $0 + $1.errors }
    if errors > 0 {
      throw InputError(
        source: reports.filter { $0.errors > 0 }.map(\.dataset).joined(separator: " "),
        problem: "has \(errors) error\(errors == 1 ? "" : "s")")
    }
  }
}

/// Indented JSON with sorted keys and a newline at its end.
func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}
