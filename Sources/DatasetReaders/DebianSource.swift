import Execution
import Foundation

/// Takes files out of a Debian source package without touching the system's own package lists.
///
/// The system's apt sources are copied with the type `deb-src` to a folder of this run, and apt is pointed at that folder and at
/// lists of its own, so it works for any user and leaves the machine as it was. Only the `.orig.tar` is downloaded. Its
/// checksum is apt's business; the caller checks each file that is taken out.
struct DebianSource {
  var package: String
  /// Where tarballs are kept between runs.
  var downloads: String
  /// A folder of this run, on the same file system as the cache.
  var work: String
  var environment: [String: String]
  var progress: any ProgressSink
  var cancellation: Cancellation

  /// Takes out members (paths without the archive's first folder). Those that are not there are left for the caller to see.
  /// - Throws: `InputError` where apt or tar are missing, there is no network, or the package is unknown.
  func extract(_ members: [String], into place: String) throws {
    let tarball = try downloadedTarball()
    guard let tar = ChildProcess.find("tar", environment: environment) else {
      throw InputError(source: "tar", problem: "is not installed")
    }
    progress.receive(.note("taking \(counted(members.count, "file")) out of \(fileName(of: tarball))"))
    let result = try ChildProcess.run(
      tar,
      [
        "--extract", "--file", tarball, "--directory", place, "--strip-components=1", "--no-same-owner",
        "--no-wildcards-match-slash", "--wildcards",
      ] + members.map { "*/\($0)" }, scratch: place, environment: environment,
      cancellation: cancellation)
    // tar also fails where one member is missing; what came out is checked by the caller.
    let cameOut = members.contains { FileBytes.isFile(joinedPath(place, $0)) }
    if !cameOut {
      try? FileManager.default.removeItem(atPath: tarball)
      throw InputError(source: tarball, problem: "cannot be unpacked", found: result.reason)
    }
  }

  private func downloadedTarball() throws -> String {
    guard let apt = ChildProcess.find("apt-get", environment: environment) else {
      throw InputError(source: "apt-get", problem: "is not installed")
    }
    try prepareSources()
    progress.receive(.note("asking Debian for the source package \(package)"))
    let update = try run(apt, ["update"])
    guard update.status == 0 else {
      throw InputError(source: "apt-get update", problem: "failed", found: update.reason)
    }
    let listing = try run(apt, ["source", "--print-uris", "--download-only", package])
    guard listing.status == 0 else {
      // Without a network the update only warns, and what fails then is this.
      let cause = update.errors.split(separator: "\n").first { $0.contains("Failed to fetch") }
      throw InputError(
        source: "apt-get source \(package)", problem: "failed", found: cause.map(String.init) ?? listing.reason)
    }
    guard let item = listing.output.split(separator: "\n").lazy.compactMap(Item.init).first(where: \.isOriginal) else {
      throw InputError(
        source: "apt-get source \(package)", problem: "names no .orig.tar", found: update.reason)
    }
    try FileManager.default.createDirectory(atPath: downloads, withIntermediateDirectories: true)
    let target = joinedPath(downloads, item.name)
    progress.receive(.note("downloading \(item.name) (\(item.byteCount / 1_000_000) MB)"))
    let helper = "/usr/lib/apt/apt-helper"
    guard FileManager.default.isExecutableFile(atPath: helper) else {
      throw InputError(source: helper, problem: "is not installed")
    }
    let download = try run(helper, ["download-file", item.address, target] + [item.hash].compactMap { $0 })
    guard download.status == 0, FileBytes.isFile(target) else {
      throw InputError(source: item.address, problem: "cannot be downloaded", found: download.reason)
    }
    return target
  }

  /// A line of `--print-uris`: `'ADDRESS' NAME SIZE HASH`.
  private struct Item {
    var address: String
    var name: String
    var byteCount: Int
    var hash: String?

    init?(_ line: Substring) {
      let fields = line.split(separator: " ")
      guard fields.count >= 3, fields[0].hasPrefix("'"), fields[0].hasSuffix("'"), let size = Int(fields[2]),
        !fields[1].contains("/")
      else { return nil }
      address = String(fields[0].dropFirst().dropLast())
      name = String(fields[1])
      byteCount = size
      hash = fields.count > 3 ? String(fields[3]) : nil
    }

    /// The main tarball; components are named `.orig-NAME.tar`.
    var isOriginal: Bool { name.contains(".orig.tar.") && !name.hasSuffix(".asc") }
  }

  private func run(_ program: String, _ arguments: [String]) throws -> ChildProcess.Result {
    let options = [
      "Dir::Etc::SourceList=/dev/null", "Dir::Etc::SourceParts=\(work)/apt/sources",
      "Dir::State::Lists=\(work)/apt/lists", "Dir::Cache=\(work)/apt/cache", "APT::Sandbox::User=root",
      "Acquire::Languages=none", "Acquire::Retries=1", "Acquire::http::Timeout=20", "Acquire::https::Timeout=20",
    ]
    return try ChildProcess.run(
      program, ["-q"] + options.flatMap { ["-o", $0] } + arguments, scratch: work,
      environment: environment, cancellation: cancellation)
  }

  private func prepareSources() throws {
    for name in ["apt/sources", "apt/lists/partial", "apt/cache/archives/partial"] {
      try FileManager.default.createDirectory(atPath: joinedPath(work, name), withIntermediateDirectories: true)
    }
    let parts = "/etc/apt/sources.list.d"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: parts)) ?? []).sorted(by: bytewise)
    var count = 0
    for path in ["/etc/apt/sources.list"] + names.map({ joinedPath(parts, $0) }) {
      let suffix = lowercasedSuffix(path)
      guard suffix == "list" || suffix == "sources", let data = FileManager.default.contents(atPath: path) else {
        continue
      }
      let text = DebianSource.sourceEntries(of: String(decoding: data, as: UTF8.self), isDeb822: suffix == "sources")
      guard !text.isEmpty else { continue }
      try AtomicFile.write(text, to: joinedPath(work, "apt/sources/\(fileName(of: path))"))
      count += 1
    }
    guard count > 0 else {
      throw InputError(source: "/etc/apt", problem: "names no package sources", hint: "is this a Debian system?")
    }
  }

  /// An apt source file with its binary entries turned into source entries; empty where it has none.
  static func sourceEntries(of text: String, isDeb822: Bool) -> String {
    var isFound = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line -> String? in
      if isDeb822 {
        guard line.lowercased().hasPrefix("types:") else { return String(line) }
        isFound = true
        return "Types: deb-src"
      }
      let trimmed = line.drop { $0 == " " || $0 == "\t" }
      guard trimmed.hasPrefix("deb ") || trimmed.hasPrefix("deb\t") else { return nil }
      isFound = true
      return "deb-src" + trimmed.dropFirst(3)
    }
    return isFound ? lines.joined(separator: "\n") + "\n" : ""
  }
}
