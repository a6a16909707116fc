import Execution
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Gets the small public data sets whose manifests have a recipe, and keeps them in a cache.
///
/// A file counts as fetched when its SHA-256 is the manifest's; nothing else is ever put in place. First the Debian source
/// package is asked for (`DebianSource`), then, for what is still missing, the upstream addresses. Files are downloaded and
/// checked beside the cache's folder and renamed into it, so that a stopped run leaves no half of a file there. A second
/// run only checks the sums.
public struct DatasetFetcher: Sendable {
  /// Holds `datasets/NAME` and `downloads`.
  public var cacheFolder: String
  public var environment: [String: String]

  public init(
    cacheFolder: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.cacheFolder = cacheFolder
    self.environment = environment
  }

  public struct Outcome: Hashable, Sendable, Codable {
    /// Where the files are now.
    public var folder: String
    public var fileCount: Int
    /// How many of them this run brought; 0 where all were there.
    public var fetchedCount: Int
  }

  /// - Throws: `InputError` where the manifest has no recipe, the cache cannot be written, or a file cannot be had (with
  ///   the reason of every way that was tried); `CancelledError`.
  public func fetch(
    _ manifest: DatasetManifest, progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> Outcome {
    guard let recipe = manifest.fetch else {
      throw InputError(
        source: manifest.name, problem: "cannot be fetched",
        hint: "get it from \(manifest.source.url ?? manifest.source.publisher) and set DATASETS_DIR")
    }
    for file in recipe.files {
      guard !file.path.hasPrefix("/"), !file.path.split(separator: "/").contains("..") else {
        throw InputError(source: manifest.name, field: "fetch.files", problem: "leaves its folder", found: file.path)
      }
    }
    let folder = joinedPath(cacheFolder, "datasets/\(manifest.name)")
    var missing = recipe.files.filter { !isRight(joinedPath(folder, $0.path), $0) }
    if missing.isEmpty { return Outcome(folder: folder, fileCount: recipe.files.count, fetchedCount: 0) }

    try makeFolder(joinedPath(cacheFolder, "datasets"))
    let lock = try waitForLock(
      joinedPath(cacheFolder, "datasets/\(manifest.name).lock"), progress, cancellation)
    defer { lock.release() }
    // Another run may have brought them meanwhile.
    missing = recipe.files.filter { !isRight(joinedPath(folder, $0.path), $0) }
    let wanted = missing.count
    // The lock is ours, so whatever an earlier run that was killed left here is nobody's.
    let work = joinedPath(cacheFolder, "datasets/.\(manifest.name).work")
    try? FileManager.default.removeItem(atPath: work)
    defer { try? FileManager.default.removeItem(atPath: work) }
    var failures: [String] = []
    for way in [Way.debian, .upstream] where !missing.isEmpty {
      do {
        let place = joinedPath(work, way.rawValue)
        try makeFolder(place)
        switch way {
        case .debian:
          try DebianSource(
            package: recipe.debianSource, downloads: joinedPath(cacheFolder, "downloads"), work: place,
            environment: environment, progress: progress, cancellation: cancellation
          ).extract(missing.map(\.member), into: place)
        case .upstream:
          try download(missing, from: recipe.upstream, into: place, progress, cancellation)
        }
        let (right, wrong) = sorted(missing, in: place)
        for file in right { try put(joinedPath(place, file.member), at: joinedPath(folder, file.path)) }
        if let first = wrong.first {
          let state = FileBytes.isFile(joinedPath(place, first.member)) ? "has another checksum" : "is not there"
          failures.append("\(way.name): \(first.member) \(state) (\(counted(wrong.count, "file")) in all)")
        }
        missing = wrong
      } catch let error as InputError {
        failures.append("\(way.name): \(error)")
      }
    }
    guard missing.isEmpty else {
      throw InputError(
        source: manifest.name, problem: "cannot be fetched", found: failures.joined(separator: "; "),
        hint: "is there a network? Files that are already there are kept, so running it again goes on from here")
    }
    return Outcome(folder: folder, fileCount: recipe.files.count, fetchedCount: wanted)
  }

  private enum Way: String {
    case debian, upstream

    var name: String { self == .debian ? "Debian source package" : "upstream" }
  }

  private func isRight(_ path: String, _ file: DatasetFetchRecipe.File) -> Bool {
    guard case .file(let size, _, _) = FileBytes.kind(of: path), size == file.bytes,
      let bytes = try? FileBytes.read(path, limit: size)
    else { return false }
    return SHA256.hexDigest(of: bytes) == file.sha256
  }

  private func sorted(
    _ files: [DatasetFetchRecipe.File], in place: String
  ) -> (right: [DatasetFetchRecipe.File], wrong: [DatasetFetchRecipe.File]) {
    var right: [DatasetFetchRecipe.File] = []
    var wrong: [DatasetFetchRecipe.File] = []
    for file in files {
      if isRight(joinedPath(place, file.member), file) { right.append(file) } else { wrong.append(file) }
    }
    return (right, wrong)
  }

  private func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw InputError(
        source: path, problem: "the folder cannot be made", hint: "choose another cache folder with --cache DIR")
    }
  }

  private func put(_ source: String, at target: String) throws {
    try makeFolder(folderName(of: target))
    guard rename(source, target) == 0 else {
      throw InputError(source: target, problem: "cannot be written", found: String(cString: strerror(errno)))
    }
  }

  private func download(
    _ files: [DatasetFetchRecipe.File], from addresses: [String], into place: String, _ progress: any ProgressSink,
    _ cancellation: Cancellation
  ) throws {
    guard !addresses.isEmpty else { throw InputError(source: "manifest", problem: "names no upstream address") }
    guard let curl = ChildProcess.find("curl", environment: environment) else {
      throw InputError(source: "curl", problem: "is not installed", hint: "apt-get install curl")
    }
    progress.receive(.began(phase: "downloading from upstream", total: files.count))
    defer { progress.receive(.ended) }
    for (index, file) in files.enumerated() {
      var reason = ""
      let target = joinedPath(place, file.member)
      try makeFolder(folderName(of: target))
      for address in addresses {
        try cancellation.check()
        let url = address.replacingOccurrences(of: "{path}", with: file.member)
        let result = try ChildProcess.run(
          curl,
          [
            "--fail", "--silent", "--show-error", "--location", "--retry", "2", "--connect-timeout", "15",
            "--max-filesize", String(file.bytes), "--output", target, url,
          ], scratch: place, environment: environment, cancellation: cancellation)
        reason = "\(url): \(result.reason)"
        if result.status == 0 { break }
        try? FileManager.default.removeItem(atPath: target)
      }
      // Where the first cannot be had, waiting for each of the others to fail as well helps nobody.
      if !FileBytes.isFile(target), index == 0 { throw InputError(source: "download", problem: reason) }
      progress.receive(.advanced(completed: index + 1))
    }
  }

  /// One fetch of a data set at a time, across processes.
  private func waitForLock(
    _ path: String, _ progress: any ProgressSink, _ cancellation: Cancellation
  ) throws -> FileLock {
    var isTold = false
    while true {
      if let lock = try FileLock.attempt(path) { return lock }
      if !isTold { progress.receive(.note("waiting for another fetch of the same data set")) }
      isTold = true
      try cancellation.check()
      usleep(100_000)
    }
  }
}
