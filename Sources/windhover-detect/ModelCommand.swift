import CommandLineOptions
import Foundation
import Windhover

/// `windhover-detect model`: what a model is, what it was trained on, and what its filters have learnt.
enum ModelCommand {
  static let command = Command(
    CommandSpecification(
      name: "model", summary: "Tell what a model is and draw what it has learnt.",
      discussion: """
        Prints what the model finds or fits, its parts, how it is scanned, and its provenance: command, data sets with
        checksums, seed, commit, date. --picture draws what it has learnt: of HOG each component's filter, the edges it looks
        for on the left and those it looks away from on the right; of cascades what each stage asks for first; of landmarks the
        mean shape.

        --export writes a cascade in another format: FILE.xml for OpenCV (3 and 4), any other name for Windhover's own.
        OpenCV's format has no place for a label, a calibration or scan options. --label names what a cascade of OpenCV's
        finds.
        """,
      operands: .optional("NAME|FILE"),
      options: [
        .value("--picture", "FILE", help: "Write a picture of what it has learnt there, as PNG or JPEG.").written(),
        .value("--export", "FILE", help: "Write a cascade there, as OpenCV's XML or as a Windhover model.")
          .written(.model),
        .value("--label", "NAME", help: "With --export: what the model's detections are called."),
        .flag("--json", help: "Print the options and the provenance as JSON."),
      ],
      examples: [
        ("windhover-detect model", "The models that come with Windhover, and what each is."),
        ("windhover-detect model person --picture person.png", "What the person detector has learnt."),
        (
          "windhover-detect model cascade.xml --label face --export face.safetensors",
          "OpenCV's cascade as a model of ours."
        ),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    guard let name = options.operands.first else {
      for flag in ["--picture", "--export", "--label", "--json"] where options.isGiven(flag) {
        throw UsageError("\(flag) needs a model: NAME or FILE")
      }
      return try StandardOutput.write(list())
    }
    if options.isGiven("--label"), !options.isGiven("--export") { throw UsageError("--label needs --export FILE") }
    let stored = try ModelCatalog.model(name)
    if let path = options.text("--picture") {
      guard let picture = try stored.picture() else {
        throw InputError(source: name, problem: "has nothing to draw", found: stored.format)
      }
      try ImageFile.write(picture, to: path)
      context.progress.receive(.note("Written: \(path)"))
    }
    if let path = options.text("--export") {
      try stored.export(to: path, label: options.text("--label"), source: name, command: context.recordedCommandLine)
      context.progress.receive(.note("Written: \(path)"))
    }
    guard options.flag("--json") else { return try StandardOutput.write(stored.description) }
    guard let json = try stored.json() else {
      throw InputError(
        source: name, problem: "keeps neither options nor provenance", found: stored.format,
        expected: "a model of Windhover's own format")
    }
    try StandardOutput.write(json)
  }

  /// A line for each model that comes with Windhover: its name and what it is. One that is damaged says so in its line.
  private static func list() -> String {
    let names = ModelCatalog.names
    let width = names.map(\.count).max() ?? 0
    var lines = ""
    for name in names {
      lines += name.padding(toLength: width, withPad: " ", startingAt: 0) + "  "
      do { lines += try ModelCatalog.model(name).headline } catch { lines += "cannot be read: \(error)" }
      lines += "\n"
    }
    return lines
  }
}
