import CommandLineOptions
import Foundation
import Windhover

/// `windhover-detect model`: what a model is, what it was trained on, and what its filters have learnt.
enum ModelCommand {
  static let command = Command(
    CommandSpecification(
      name: "model", summary: "Tell what a model is and draw what it has learnt.",
      discussion: """
        Prints the model's components, how it is scanned, and its provenance: command, data sets with checksums, seed, commit,
        date. --picture draws each component's filter: the edges it looks for on the left, those it looks away from on the
        right.
        """,
      operands: .optional("NAME|FILE"),
      options: [
        .value("--picture", "FILE", help: "Write the filters' picture there, as PNG or JPEG."),
        .flag("--json", help: "Print the options and the provenance as JSON."),
      ],
      examples: [
        ("windhover-detect model", "Names the models that come with Windhover."),
        ("windhover-detect model person --picture person.png", "What the person detector has learnt."),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    guard let name = options.operands.first else {
      for flag in ["--picture", "--json"] where options.isGiven(flag) {
        throw UsageError("\(flag) needs a model: NAME or FILE")
      }
      return try StandardOutput.write(ModelCatalog.names.map { "\($0)\n" }.joined())
    }
    let model = try ModelCatalog.path(of: name)
    var outputs = OutputCheck()
    try outputs.file("--picture", options.text("--picture"))
    try outputs.inputs("the model", [model])
    let file = try ModelFile(path: model)
    let detector = try HOGDetector(modelFile: file)
    if let path = options.text("--picture") { try ImageFile.write(picture(detector), to: path) }
    try StandardOutput.write(options.flag("--json") ? json(file) : text(detector, file))
  }

  private static func picture(_ detector: HOGDetector) throws -> ByteImage {
    let drawing = HOGPicture(detector.features)
    let pictures = detector.components.map { component in
      ContactSheet.Cell(
        image: drawing.picture(
          ofFilter: component.weights, size: MapSize(rows: component.rows, columns: component.columns)),
        caption: "\(component.label), \(component.name)")
    }
    let largest = pictures.map(\.image).max { $0.width * $0.height < $1.width * $1.height }
    return try ContactSheet.render(
      pictures, cellSize: largest?.size ?? PixelSize(width: 1, height: 1), columns: min(4, pictures.count))
  }

  private static func json(_ file: ModelFile) throws -> String {
    let options = try JSONDecoder().decode(JSONTree.self, from: Data(file.options.utf8))
    let provenance = try JSONDecoder().decode(JSONTree.self, from: JSONEncoder().encode(file.provenance))
    return try StrictJSON.text(
      JSONTree.object([
        "kind": .text(file.kind), "version": .number(Double(file.version)), "options": options,
        "provenance": provenance,
      ]))
  }

  private static func text(_ detector: HOGDetector, _ file: ModelFile) -> String {
    var lines = ["\(file.kind), version \(file.version), \(detector.colour.rawValue)"]
    for component in detector.components {
      let window = component.windowSize
      let object = component.objectSize
      lines.append(
        "  component \(component.name): finds \(component.label), window \(window.width) x \(window.height), object "
          + "\(Int(object.width.rounded())) x \(Int(object.height.rounded())) pixels, \(component.weights.count) weights, "
          + (component.calibration == nil ? "not calibrated" : "calibrated"))
    }
    let scan = detector.scanOptions
    lines.append(
      "  scan: threshold \(scan.threshold), scale factor \((scan.scaleFactor * 1000).rounded() / 1000), upsampling "
        + "\(scan.upsampling.rawValue)")
    let made = file.provenance
    lines.append("  made by: \(made.command)")
    for set in made.dataSets {
      lines.append("  data: \(set.name) (\(set.description), \(set.imageCount) images, sha256 \(set.checksum ?? "-"))")
    }
    lines.append(
      "  seed \(made.seed), commit \(made.commit ?? "-"), date \(made.date ?? "-"), on \(made.machine ?? "-")")
    return lines.joined(separator: "\n") + "\n"
  }
}
