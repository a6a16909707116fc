import CommandLineOptions
import Foundation
import Windhover

/// `windhover-experiment quickstart`: the whole way from public photos to a report, in minutes.
enum QuickstartCommand {
  static let command = Command(
    CommandSpecification(
      name: "quickstart", summary: "Fetch small public sets, train a face detector, evaluate it, draw what it finds.",
      discussion: """
        Fetches dlib's example photos and OpenCV's packed face samples from Debian's sources (kept in a cache, checked by
        their sums), trains a face detector on the samples, evaluates it on the photos, and writes the model, the report, a
        page with curves and galleries, and a picture. Where they cannot be fetched it says so and does the same job on
        generated pictures.

        DIR is an experiment of the same kind: config.json with a HOG training and one evaluation by boxes.
        """,
      operands: .optional("DIR"),
      options: [
        .value("--output", "DIR", short: "-o", help: "Where to write.", default: "out/quickstart").written(.folder),
        .flag("--generated", help: "Use generated pictures, without trying to fetch photos."),
        .threads,
      ],
      examples: [
        ("windhover-experiment quickstart", "Runs the experiment quickstart/faces that comes with the programs."),
        ("windhover-experiment quickstart --generated --output try", "The same without a network."),
      ])
  ) { options, context in
    let folder = try options.operands.first ?? shippedExperiment()
    let configuration = try StrictJSON.read(ExperimentConfiguration.self, path: "\(folder)/config.json")
    guard configuration.train != nil, configuration.boxes.count == 1 else {
      throw InputError(
        source: "\(folder)/config.json", problem: "is no quickstart", expected: "a training and one evaluation by boxes"
      )
    }
    let output = options.requiredText("--output")
    try FileUse.ofProgram.willRead(["\(folder)/report.md"])
    var outputs = context.outputs
    for name in configuration.files + ["detections.png"] { try outputs.file("--output", "\(output)/\(name)") }
    let lock = try FileLock.beside(output)
    defer { lock?.release() }
    let outcome = try Quickstart.run(
      configuration, fetching: ["dlib-faces", "opencv-faces"], output: output,
      generates: options.flag("--generated"), record: RunRecord.now(command: context.recordedCommandLine),
      executor: try options.executor(), progress: context.progress, cancellation: context.cancellation)
    try StandardOutput.write(
      """
      \(outcome.report)
      \(outcome.isGenerated ? "These figures are of GENERATED pictures; they say nothing of real faces.\n" : "")Written:
        \(outcome.page)   curves, numbers, galleries (open it in a browser)
        \(outcome.picture)   a photo with what the detector finds
        \(outcome.reportPath)   this report
        \(outcome.model)   the model; try it:
          windhover-detect objects --model \(outcome.model) --draw out/faces YOUR-PHOTOS

      """)
  }
  /// The folder of the experiment that comes with the programs: the working folder's in a checkout, else the installed one.
  private static func shippedExperiment() throws -> String {
    let name = "quickstart/faces"
    let folders = ["Experiments"] + InstalledFiles.folders(named: "Experiments", checkoutPath: "Experiments")
    let found = folders.map { "\($0)/\(name)" }.first { FileManager.default.fileExists(atPath: "\($0)/config.json") }
    guard let found else {
      throw InputError(
        source: "Experiments/\(name)/config.json", problem: "is neither here nor installed with the programs",
        hint: "make install puts it beside them; WINDHOVER_HOME may name the folder that holds Experiments/")
    }
    return found
  }
}
