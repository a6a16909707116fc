import Execution
import Foundation

/// Finds manifests and the folders that hold their data sets' files.
public struct ManifestCatalog: Sendable {
  /// Folders that hold `NAME/manifest.json`, the first to be looked at first.
  public var manifestFolders: [String]
  /// Folders that hold the data sets' own folders `NAME`, the first to be looked at first.
  public var dataFolders: [String]

  public init(manifestFolders: [String], dataFolders: [String]) {
    self.manifestFolders = manifestFolders
    self.dataFolders = dataFolders
  }

  /// Manifests from the checkout or the installed files (`InstalledFiles`), data under `$DATASETS_DIR` and then in the
  /// cache that `windhover-data fetch` fills.
  public static func standard(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> ManifestCatalog {
    var data: [String] = []
    if let folder = environment["DATASETS_DIR"], !folder.isEmpty { data.append(folder) }
    data.append(joinedPath(cacheFolder(environment: environment), "datasets"))
    return ManifestCatalog(
      manifestFolders: InstalledFiles.folders(named: "Datasets", checkoutPath: "Datasets"), dataFolders: data)
  }

  /// Where downloads are kept: `$XDG_CACHE_HOME/windhover`, else `~/.cache/windhover`. Fetched data sets lie in its
  /// folder `datasets`.
  public static func cacheFolder(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return joinedPath(cache, "windhover") }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
    return joinedPath(home, ".cache/windhover")
  }

  /// Names of all data sets with a manifest, sorted.
  public var names: [String] {
    var found: Set<String> = []
    for folder in manifestFolders {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      where FileBytes.isFile(joinedPath(folder, "\(name)/manifest.json")) {
        found.insert(name)
      }
    }
    return found.sorted(by: bytewise)
  }

  /// The path of a manifest.
  /// - Throws: `InputError` that lists the known names.
  public func manifestPath(of name: String) throws -> String {
    if DatasetReference.isPlainWord(name) {
      for folder in manifestFolders {
        let path = joinedPath(folder, "\(name)/manifest.json")
        if FileBytes.isFile(path) { return path }
      }
    }
    let known = names
    throw InputError(
      source: name, problem: "no such data set",
      expected: known.isEmpty
        ? "a manifest in \(manifestFolders.joined(separator: " or "))" : "one of \(known.joined(separator: ", "))",
      hint: known.isEmpty
        ? "set WINDHOVER_HOME to the folder that holds Datasets, or name files as FORMAT:PATH"
        : "or name files as FORMAT:PATH")
  }

  /// - Throws: `InputError` where there is no such manifest, or it does not read as one (with the field).
  public func manifest(named name: String) throws -> DatasetManifest {
    let path = try manifestPath(of: name)
    let bytes = try FileBytes.read(path, limit: 1 << 24)
    let manifest: DatasetManifest
    do {
      manifest = try JSONDecoder().decode(DatasetManifest.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw JSONFault.inputError(error, of: DatasetManifest.self, from: Data(bytes), source: path)
    }
    guard manifest.name == name else {
      throw InputError(
        source: path, field: "name", problem: "differs from its folder", found: quoted(manifest.name),
        expected: quoted(name))
    }
    return manifest
  }

  /// The folder that holds a data set's files.
  /// - Throws: `InputError` that says where it was looked for and how to get it.
  public func dataFolder(of manifest: DatasetManifest) throws -> String {
    for folder in dataFolders {
      let path = joinedPath(folder, manifest.name)
      if FileBytes.isFolder(path) { return path }
    }
    throw InputError(
      source: manifest.name, problem: "the data set's files are not here",
      found: "no folder \(dataFolders.map { joinedPath($0, manifest.name) }.joined(separator: " or "))",
      hint: manifest.fetch == nil
        ? "set DATASETS_DIR to the folder that holds \(manifest.name)/"
        : "run: windhover-data fetch \(manifest.name)")
  }

  /// A manifest's split with all paths made whole.
  struct Resolved {
    var format: DatasetFormat
    var path: String
    var options: [String: String]
    var excludedNames: [String]
    var manifestPath: String
  }

  func resolve(set: String, split: String) throws -> Resolved {
    let manifest = try self.manifest(named: set)
    let manifestPath = try self.manifestPath(of: set)
    guard let entry = manifest.splits[split] else {
      throw InputError(
        source: "\(set)/\(split)", problem: "no such split",
        expected: "one of \(manifest.splits.keys.sorted().map { "\(set)/\($0)" }.joined(separator: ", "))")
    }
    var options = entry.options ?? [:]
    let known = entry.format.ownOptions.union(DatasetFormat.commonOptions)
    for key in options.keys.sorted() where !known.contains(key) {
      throw DatasetReference.unknownOption(key, in: manifestPath, known: known)
    }
    let folder = try dataFolder(of: manifest)
    for key in DatasetFormat.pathOptions {
      if let value = options[key] { options[key] = joinedPath(folder, value) }
    }
    return Resolved(
      format: entry.format, path: entry.path == "." ? folder : joinedPath(folder, entry.path), options: options,
      excludedNames: entry.exclude ?? [], manifestPath: manifestPath)
  }
}
