import Execution
import Foundation
import Testing

@testable import DatasetReaders

struct ManifestTests {
  @Test func theShippedManifestsReadAndTheirSplitsAreReferences() throws {
    let catalog = ManifestCatalog.standard(environment: [:])
    #expect(
      catalog.names == ["300w", "cmu-mit", "dlib-faces", "face-free", "inria", "opencv-faces", "wider"])
    for name in catalog.names {
      let manifest = try catalog.manifest(named: name)
      #expect(!manifest.splits.isEmpty && !manifest.licence.summary.isEmpty && !manifest.boxRule.isEmpty)
      for (split, entry) in manifest.splits {
        _ = try DatasetReference.parse("\(name)/\(split)")
        let known = entry.format.ownOptions.union(DatasetFormat.commonOptions)
        #expect(Set((entry.options ?? [:]).keys).isSubset(of: known), "\(name)/\(split)")
      }
      let readme = try catalog.manifestPath(of: name).replacingOccurrences(of: "manifest.json", with: "README.md")
      #expect(FileManager.default.fileExists(atPath: readme), "\(name)")
    }
  }

  @Test func aManifestOfOnesOwnResolvesItsPathsExclusionsAndFaults() throws {
    let folder = try TemporaryFolder()
    for name in ["x.png", "y.png", "z.png"] { try folder.writeImage("data/mine/photos/\(name)") }
    try folder.write("x.png\ny.png\n", to: "data/mine/lists/few.txt")
    try folder.write(
      """
      {"name": "mine", "title": "t", "description": "d", "source": {"publisher": "p"}, "licence": {"summary": "s"},
       "citation": "c", "layout": [], "boxRule": "b", "labels": [], "faults": [],
       "splits": {"few": {"description": "d", "format": "folder", "path": "photos", "use": "training",
                          "options": {"split": "lists/few.txt"}, "exclude": ["y"]},
                  "faces": {"description": "d", "format": "ibug", "path": "points", "use": "training",
                          "options": {"box": "extent"}},
                  "odd": {"description": "d", "format": "folder", "path": "photos", "use": "test",
                          "options": {"width": "3"}}}}
      """, to: "manifests/mine/manifest.json")
    try folder.write("{\"name\": 3}", to: "manifests/broken/manifest.json")
    let catalog = ManifestCatalog(
      manifestFolders: ["\(folder.path)/manifests"], dataFolders: ["\(folder.path)/none", "\(folder.path)/data"])
    let set = try Dataset.load(.parse("mine/few"), catalog: catalog)
    #expect(set.images.map(\.name) == ["x.png"])
    #expect(set.problems.isEmpty)
    // A split takes its format's settings, and no others; a given one goes before the split's own.
    try folder.writeImage("data/mine/points/a.png")
    try folder.write("1 1\n11 3\n", to: "data/mine/points/a.pts")
    let boxes = try ["", "?label=head", "?box=square&scale=2"].map { settings in
      try Dataset.load(.parse("mine/faces" + settings), catalog: catalog).images[0].annotations[0]
    }
    #expect(boxes.map(\.box) == [box(0.5, 0.5, 10, 2), box(0.5, 0.5, 10, 2), box(-4.5, -8.5, 20, 20)])
    #expect(boxes.map(\.label) == ["face", "head", "face"])
    for (name, part) in [
      ("mine/few?scale=2", "?scale="), ("mine/faces?width=3", "box, exclude"), ("mine/many", "mine/few"),
      ("mine/odd", "width"), ("broken/x", "name"), ("nothing/x", "broken, mine"),
    ] {
      #expect { try Dataset.load(.parse(name), catalog: catalog) } throws: { "\($0)".contains(part) }
    }
  }

  @Test func sourceListsBecomeSourceEntries() {
    #expect(
      DebianSource.sourceEntries(of: "# c\nTypes: deb\nURIs: http://x/debian\nSuites: a\n", isDeb822: true)
        == "# c\nTypes: deb-src\nURIs: http://x/debian\nSuites: a\n\n")
    #expect(
      DebianSource.sourceEntries(of: "# deb no\ndeb [a=b] http://x y main\ndeb-src http://z\n", isDeb822: false)
        == "deb-src [a=b] http://x y main\n")
    #expect(DebianSource.sourceEntries(of: "# nothing", isDeb822: false).isEmpty)
  }

  /// No apt, no curl, no network: an empty search path.
  @Test func aFetchThatCannotWorkSaysWhyAndLeavesNothing() throws {
    let folder = try TemporaryFolder()
    let manifest = try ManifestCatalog.standard(environment: [:]).manifest(named: "dlib-faces")
    let fetcher = DatasetFetcher(cacheFolder: folder.path + "/my cache", environment: ["PATH": folder.path])
    #expect { try fetcher.fetch(manifest) } throws: { error in
      let text = "\(error)"
      return text.contains("apt-get") && text.contains("curl") && text.contains("network")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/my cache/datasets")
    #expect(left == [])
    let wider = try ManifestCatalog.standard(environment: [:]).manifest(named: "wider")
    #expect { try fetcher.fetch(wider) } throws: { "\($0)".contains("cannot be fetched") }
  }

  /// The upstream way with files instead of a server, one of them wrong at first.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "needs curl"))
  func upstreamFilesAreCheckedAndPlaced() throws {
    let folder = try TemporaryFolder()
    try folder.write("good", to: "up/a/one.txt")
    try folder.write("evil", to: "up/a/two.txt")
    try FileManager.default.createDirectory(atPath: folder.path + "/bin", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/bin/curl", withDestinationPath: "/usr/bin/curl")
    var manifest = try ManifestCatalog.standard(environment: [:]).manifest(named: "dlib-faces")
    func file(_ name: String, _ content: String) -> DatasetFetchRecipe.File {
      DatasetFetchRecipe.File(
        member: "a/\(name)", path: "b/\(name)", sha256: SHA256.hexDigest(of: content.utf8), bytes: content.utf8.count)
    }
    manifest.fetch = DatasetFetchRecipe(
      debianSource: "x", upstream: ["file://\(folder.path)/up/{path}"],
      files: [file("one.txt", "good"), file("two.txt", "fine")])
    let fetcher = DatasetFetcher(cacheFolder: folder.path + "/cache", environment: ["PATH": folder.path + "/bin"])
    #expect { try fetcher.fetch(manifest) } throws: { "\($0)".contains("another checksum") }
    let place = folder.path + "/cache/datasets/dlib-faces/b"
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["one.txt"])
    try folder.write("fine", to: "up/a/two.txt")
    // A run that was killed left its folder; a file that was damaged since is fetched again.
    try folder.write("left", to: "cache/datasets/.dlib-faces.work/upstream/a/two.txt")
    #expect(try fetcher.fetch(manifest).fetchedCount == 1)
    try folder.write("gooD", to: "cache/datasets/dlib-faces/b/one.txt")
    #expect(try fetcher.fetch(manifest).fetchedCount == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/cache/datasets").sorted()
        == ["dlib-faces"])
    #expect(try fetcher.fetch(manifest).fetchedCount == 0)
  }

  static let dataFolder = ProcessInfo.processInfo.environment["DATASETS_DIR"]

  @Test(.enabled(if: dataFolder != nil, "needs DATASETS_DIR"))
  func theCopyAtHandReadsWithoutErrorsAndItsPartsShareNoPhoto() throws {
    for (first, second) in [
      ("wider/train", "wider/validation"), ("inria/train", "inria/validation"), ("300w/train", "300w/validation"),
      ("face-free/train", "face-free/validation"),
      ("inria/train-negatives-faceless", "inria/validation-negatives"),
    ] {
      let a = try Dataset.load(.parse(first))
      let b = try Dataset.load(.parse(second))
      #expect(Set(a.images.map(\.groupKey)).isDisjoint(with: b.images.map(\.groupKey)), "\(first)")
      #expect((a.problems + b.problems).isEmpty, "\(a.problems.prefix(3)) \(b.problems.prefix(3))")
      #expect(Double(b.images.count) > 0.03 * Double(a.images.count))
    }
    let test = try Dataset.load(.parse("cmu-mit/test"))
    #expect(test.images.count == 130)
    #expect(test.images.reduce(0) { $0 + $1.annotations.count } == 511)
    #expect(test.images.count { $0.annotations.isEmpty } == 13)
  }
}
