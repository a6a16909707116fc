import CommandLineOptions
import DatasetReaders
import Execution

enum ListCommand {
  static let command = Command(
    CommandSpecification(
      name: "list", summary: "the data sets that are known by name, and whether they are here",
      discussion: """
        Shows every data set with a manifest, its licence, its splits and what each may be used for, and where its
        files are. "not here" means neither under DATASETS_DIR nor in the cache that fetch fills.
        """,
      options: [.flag("--json", help: "Write the manifests as a JSON list.")],
      examples: [("windhover-data list", "shows all")]), run: run)

  @Sendable private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let catalog = ManifestCatalog.standard()
    let manifests = try catalog.names.map { try catalog.manifest(named: $0) }
    if manifests.isEmpty {
      throw InputError(
        source: "Datasets", problem: "holds no manifest",
        hint: "set WINDHOVER_HOME to the folder that holds Datasets")
    }
    if options.flag("--json") { return try StandardOutput.write(json(manifests)) }
    for manifest in manifests {
      let place =
        (try? catalog.dataFolder(of: manifest))
        ?? (manifest.fetch == nil ? "not here" : "not here: windhover-data fetch \(manifest.name)")
      try StandardOutput.write(
        "\(manifest.name): \(manifest.title)\n  licence: \(manifest.licence.summary)\n  files: \(place)\n")
      for (name, split) in manifest.splits.sorted(by: { $0.key < $1.key }) {
        try StandardOutput.write("  \(manifest.name)/\(name) (\(split.use.rawValue)): \(split.description)\n")
      }
    }
  }
}
