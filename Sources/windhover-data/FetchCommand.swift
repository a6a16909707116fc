import CommandLineOptions
import DatasetReaders
import Execution

enum FetchCommand {
  static let command = Command(
    CommandSpecification(
      name: "fetch", summary: "get a small public data set",
      discussion: """
        Downloads the Debian source package that holds the files (by apt-get, with source lists of its own: the
        system's stay as they are, and no root is needed), takes out the few files that are used, checks each against
        the SHA-256 of the manifest, and puts them into the cache. Where Debian cannot be reached, the same files
        are tried at their upstream address. A second run only checks the sums.

        Data sets with a recipe: dlib-faces (9 MB download), opencv-faces (74 MB). The others must be got from their
        publishers; "windhover-data list" names them.
        """,
      operands: .oneOrMore("NAME"),
      options: [
        .value(
          "--cache", "DIR",
          help: "Keep the files here. Default: $XDG_CACHE_HOME/windhover, else ~/.cache/windhover."),
        .flag("--json", help: "Write JSON: for each data set its folder and counts."),
      ],
      examples: [
        ("windhover-data fetch dlib-faces opencv-faces", "gets both, into the cache"),
        ("windhover-data fetch dlib-faces --cache /data/cache", "keeps them elsewhere"),
      ]), run: run)

  private struct Report: Encodable {
    var name: String
    var folder: String
    var files: Int
    var fetched: Int
  }

  @Sendable private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let catalog = ManifestCatalog.standard()
    let manifests = try options.operands.map { try catalog.manifest(named: $0) }
    if options.text("--cache") == "" { throw UsageError("--cache: found \"\", expected a folder") }
    let fetcher = DatasetFetcher(cacheFolder: options.text("--cache") ?? ManifestCatalog.cacheFolder())
    var reports: [Report] = []
    for manifest in manifests {
      let outcome = try fetcher.fetch(manifest, progress: context.progress, cancellation: context.cancellation)
      reports.append(
        Report(
          name: manifest.name, folder: outcome.folder, files: outcome.fileCount, fetched: outcome.fetchedCount))
      if options.flag("--json") { continue }
      let state = outcome.fetchedCount == 0 ? "already there, checksums right" : "\(outcome.fetchedCount) fetched"
      try StandardOutput.write("\(manifest.name): \(outcome.fileCount) files (\(state)) in \(outcome.folder)\n")
      for split in manifest.splits.keys.sorted() { try StandardOutput.write("  \(manifest.name)/\(split)\n") }
    }
    if options.flag("--json") { try StandardOutput.write(json(reports)) }
    if let cache = options.text("--cache"), !options.flag("--json") {
      try StandardOutput.write("To use them by name: export DATASETS_DIR=\(cache)/datasets\n")
    }
  }
}
