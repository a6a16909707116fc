import CommandLineOptions
import Foundation
import Windhover

/// Where a report goes: text to standard output, and files as asked.
struct ReportOutput {
  static let options: [OptionSpecification] = [
    .value("--html", "FILE", help: "Write a page with curves, figures, options, checksums and examples."),
    .value("--json", "FILE", help: "Write the figures as JSON; - writes them to standard output in place of the text."),
    .value("--plots", "DIR", help: "Write the curves as SVG files into this folder."),
    .value("--title", "TEXT", help: "Title of the report."),
  ]

  let title: String?
  private let html: String?
  private let json: String?
  private let plots: String?

  private let outputs: OutputCheck

  /// - Parameter results: where the results are kept, too.
  /// - Throws: where something cannot be written, or two outputs are one file.
  init(_ options: ParsedOptions, results: String? = nil) throws {
    title = options.text("--title")
    html = options.text("--html")
    json = options.text("--json")
    plots = options.text("--plots")
    var outputs = OutputCheck()
    try outputs.file("--results", results)
    try outputs.file("--html", html)
    try outputs.file("--json", json == "-" ? nil : json)
    try outputs.folder("--plots", plots)
    self.outputs = outputs
  }

  /// Refuses to overwrite what is read: results or a model, and the files that the truth's references name.
  func check(_ what: String, _ paths: [String], _ choices: EvaluationChoices) throws {
    try outputs.inputs(what, paths.filter { $0 != "-" })
    try outputs.inputs("the truth", choices.references.flatMap(\.namedPaths))
  }

  /// Refuses to overwrite a picture.
  func check(_ truth: Dataset) throws {
    try outputs.inputs("a picture", truth.sources.lazy.compactMap(\.filePath))
  }

  func write(
    _ report: EvaluationReport, pictures: DatasetPictures, gallery: Int, executor: ParallelExecutor
  ) throws {
    if let html {
      let page = report.html(
        gallery: gallery > 0 ? pictures : nil, options: GalleryOptions(limit: gallery), executor: executor)
      try AtomicFile.write(page, to: html)
    }
    if let json, json != "-" { try AtomicFile.write(report.json(), to: json) }
    if let plots {
      for plot in report.plots() { try AtomicFile.write(plot.svg, to: "\(plots)/\(plot.name)") }
    }
    try StandardOutput.write(json == "-" ? report.json() : report.text())
  }
}
