import Execution
import Foundation
import Geometry
import Testing

@testable import DatasetReaders

struct DatasetTests {
  static func annotation(_ height: Double, _ attributes: [String: String] = [:], label: String = "face") -> Annotation {
    Annotation(box: box(0, 0, height / 2, height), label: label, attributes: attributes)
  }

  @Test func filterTurnsWhatIsNoTargetToIgnored() throws {
    let filter = try AnnotationFilter.parse("height>=20, blur<=1,occlusion=0|1,label=face|person")
    let items = [
      Self.annotation(20, ["blur": "1", "occlusion": "1"]), Self.annotation(19.9), Self.annotation(30, ["blur": "2"]),
      Self.annotation(30, ["occlusion": "2"]), Self.annotation(30, label: "cat"), Self.annotation(30),
    ]
    #expect(filter.applied(to: items).map(\.isIgnored) == [false, true, true, true, true, false])
    #expect(try AnnotationFilter.parse(filter.description) == filter)
    #expect(try AnnotationFilter.parse(" ").applied(to: items) == items)
    let coded = try JSONDecoder().decode([AnnotationFilter].self, from: JSONEncoder().encode([filter]))
    #expect(coded == [filter])
    #expect(try AnnotationFilter.parse("blurr<=1").rulesWithoutEffect(on: items).map(\.description) == ["blurr<=1"])
    #expect(try AnnotationFilter.parse("aspect<0.6,side>9,area>=200,width!=10").accepts(items[5]))
    #expect(try !AnnotationFilter.parse("width!=15").accepts(items[5]))
  }

  @Test(arguments: [
    "height", ">=20", "height>=", "height>=x", "height=>20", "height>=nan", "a>=1,,b<=2", "label>face", "blur<=a",
  ])
  func aFilterThatIsNoneThrows(text: String) {
    #expect(throws: InputError.self) { try AnnotationFilter.parse(text) }
  }

  @Test func boxesAreFittedToTheImage() {
    let image = AnnotatedImage(
      name: "a", path: "p",
      annotations: [box(0, 0, 10, 10), box(-0.9, 0, 5, 5), box(8, 8, 5, 5), box(10, 0, 5, 5), box(-5, -5, 5, 5)].map {
        Annotation(box: $0, label: "f")
      })
    let (annotations, problems) = image.fitted(to: PixelSize(width: 10, height: 10))
    #expect(annotations.map(\.isIgnored) == [false, false, false, true, true])
    #expect(problems.map(\.kind) == [.boxPartlyOutside, .boxOutside, .boxOutside])
    #expect(problems.allSatisfy { $0.file == "p" && $0.line == nil })
  }

  @Test func joinedSetsKeepNamesApart() throws {
    let folder = try TemporaryFolder()
    for name in ["a/x.png", "b/x.png", "b/y.png"] { try folder.writeImage(name) }
    let a = try folder.load("folder:\(folder.path)/a")
    let b = try folder.load("folder:\(folder.path)/b")
    let both = Dataset.joined([a, b])
    #expect(
      both.images.map(\.name) == [
        "folder:\(folder.path)/a/x.png", "folder:\(folder.path)/b/x.png", "folder:\(folder.path)/b/y.png",
      ])
    #expect(Set(Dataset.joined([a, a]).images.map(\.name)).count == 2)
    #expect(Dataset.joined([a, b.subset([1])]).images.map(\.name) == ["x.png", "y.png"])
    #expect(try both.image(at: 2).width == 4)
  }

  @Test(arguments: [1, 2, 5]) func checkOpensImagesAndLooksAtBoxes(threads: Int) throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("a.png", width: 10, height: 10)
    try folder.write("no image at all", to: "b.png")
    try folder.write([], to: "c.png")
    try folder.write("a.png 3 1 1 5 5 20 20 5 5 8 8 9 9\nb.png 0\nc.png 0\n", to: "info.dat")
    let set = try folder.load("info:\(folder.path)/info.dat")
    let problems = try DatasetCheck().problems(of: set, executor: ParallelExecutor(threadCount: threads))
    // The first image is PGM under a PNG name, as all images of these tests.
    #expect(
      problems.map(\.kind) == [.doubtfulImage, .boxOutside, .boxPartlyOutside, .unreadableImage, .unreadableImage])
    #expect(problems.filter { $0.severity == .error }.count == 3)
    #expect(problems[1...2].allSatisfy { $0.file == "\(folder.path)/info.dat" && $0.line == 1 })
  }

  @Test func summaryCountsAndLeavesUndefinedAbsent() throws {
    let folder = try TemporaryFolder()
    for name in ["a.png", "b.png"] { try folder.writeImage(name) }
    try folder.write("a.png 2 0 0 10 20 0 0 64 32\nb.png 0\n", to: "info.dat")
    let set = try folder.load("info:\(folder.path)/info.dat")
    let summary = try DatasetSummary(set.filtered(by: .parse("side<20")))
    #expect(summary.images == 2 && summary.imagesWithoutTargets == 1)
    #expect(summary.targets == 1 && summary.ignored == 1)
    #expect(summary.sizes.map(\.count) == [0, 1, 0, 0, 0, 0, 0])
    #expect(summary.medianAspect == 0.5)
    let empty = try DatasetSummary(set.subset([1]))
    #expect(empty.medianAspect == nil)
    #expect(empty.description.contains("aspect       -"))
    let one = try set.contentChecksum(executor: .serial)
    #expect(try one == set.contentChecksum(executor: ParallelExecutor(threadCount: 4)))
    try folder.writeImage("b.png", width: 5)
    #expect(try one != set.contentChecksum(executor: .serial))
  }

  @Test func aSearchOfFoldersStopsOnRequest() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("deep/a.pgm")
    let cancellation = Cancellation()
    let reference = try DatasetReference.parse("folder:\(folder.path)")
    let catalog = ManifestCatalog(manifestFolders: [], dataFolders: [])
    #expect(try Dataset.load(reference, catalog: catalog, cancellation: cancellation).images.count == 1)
    cancellation.cancel()
    #expect(throws: CancelledError.self) {
      try Dataset.load(reference, catalog: catalog, cancellation: cancellation)
    }
  }
}
