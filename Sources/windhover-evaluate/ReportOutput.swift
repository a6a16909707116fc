import CommandLineOptions
import Foundation
import Windhover

/// Where a report goes: text to standard output, and files as asked.
struct ReportOutput {
  static let options: [OptionSpecification] = [
    .value("--html", "FILE", help: "Write a page with curves, figures, options, checksums and examples.").written(),
    .value("--json", "FILE", help: "Write the figures as JSON; - writes them to standard output in place of the text.")
      .written(.fileOrStandardOutput),
    .value("--plots", "DIR", help: "Write the curves as SVG files into this folder.").written(.folder),
    .value("--title", "TEXT", help: "Title of the report."),
  ]

  let title: String?
  private let html: String?
  private let json: String?
  private let plots: String?

  init(_ options: ParsedOptions) {
    title = options.text("--title")
    html = options.text("--html")
    json = options.text("--json")
    plots = options.text("--plots")
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
