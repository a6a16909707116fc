import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

@testable import Experiments

@Suite("Sample jobs")
struct SampleJobTests {
  /// A folder that is removed when the test lets go of it.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func photo(_ name: String, _ width: Int, _ height: Int, seed: UInt64, channels: Int = 1) throws -> ByteImage {
      let image = noiseImage(width: width, height: height, channelCount: channels, seed: seed)
      try ImageFile.write(image, to: "\(path)/\(name)")
      return image
    }
  }

  private func source(_ text: String) throws -> AnnotatedSource { AnnotatedSource(data: try .parse(text)) }

  private var plain: PositiveSampleOptions { PositiveSampleOptions(windowSize: SampleJob.defaultWindow) }

  @Test("Boxes of a list become packed samples in the list's order, and these again others, joined")
  func objects() throws {
    let folder = try Folder()
    let first = try folder.photo("a.png", 50, 40, seed: 1)
    let second = try folder.photo("b.png", 60, 30, seed: 2)
    try AtomicFile.write("a.png 2 3 4 12 8 20 21 12 8\nb.png 1 40 20 12 8\n", to: folder.path + "/info.txt")
    let job = SampleJob(
      .objects([try source("info:\(folder.path)/info.txt")], labels: nil), options: plain,
      windowSize: PixelSize(width: 12, height: 8))
    let made = try job.samples()
    #expect(made.summary.samples == 3 && made.summary.objects == 3 && made.summary.leftOut == [:])
    let vec = folder.path + "/one.vec"
    try made.write(vec: vec)
    let file = try VecFile(path: vec, width: 12)
    #expect(try file.sample(at: 0) == first.crop(x: 3, y: 4, width: 12, height: 8))
    #expect(try file.sample(at: 1) == first.crop(x: 20, y: 21, width: 12, height: 8))
    #expect(try file.sample(at: 2) == second.crop(x: 40, y: 20, width: 12, height: 8))
    let again = SampleJob(
      .objects([try source("vec:\(vec)?width=12"), try source("vec:\(vec)?width=12")], labels: nil), options: plain)
    try again.samples().write(vec: folder.path + "/two.vec")
    let one = [UInt8](try Data(contentsOf: URL(filePath: vec)))
    let two = [UInt8](try Data(contentsOf: URL(filePath: folder.path + "/two.vec")))
    #expect(two[0] == 6 && Array(two[12...]) == Array(one[12...] + one[12...]))
  }

  @Test("A folder of files and their list, which are read again; a second run does not mix with it")
  func files() throws {
    let folder = try Folder()
    _ = try folder.photo("a.png", 50, 40, seed: 1)
    try AtomicFile.write("a.png 1 3 4 24 24\n", to: folder.path + "/info.txt")
    var options = plain
    options.copies = 4
    options.mirrors = true
    let made = try SampleJob(
      .objects([try source("info:\(folder.path)/info.txt")], labels: nil), options: options
    ).samples()
    let output = folder.path + "/out"
    try made.write(folder: output, executor: ParallelExecutor(threadCount: 3))
    let set = try Dataset.load(.parse("info:\(output)/info.txt"))
    #expect(set.images.count == 6 && set.problems.isEmpty)
    for index in 0..<6 {
      #expect(try set.image(at: index) == made.samples.sample(at: made.indices[index]))
      #expect(set.images[index].annotations.map(\.box) == [Box(x: 0, y: 0, width: 24, height: 24)])
    }
    let error = try #require(throws: InputError.self) { try made.write(folder: output) }
    #expect(error.problem == "is not empty")
    let sheet = try made.sheet(count: 4)
    #expect(sheet.width > 4 * 96 && sheet.height > 96)
  }

  @Test("More than there are: told, with what would make as many")
  func tooMany() throws {
    let folder = try Folder()
    _ = try folder.photo("a.png", 50, 40, seed: 1)
    try AtomicFile.write("a.png 2 3 4 24 24 10 10 24 24\n", to: folder.path + "/info.txt")
    var job = SampleJob(
      .objects([try source("info:\(folder.path)/info.txt")], labels: nil), options: plain, count: 9)
    let error = try #require(throws: InputError.self) { try job.samples() }
    #expect(error.found == "2 objects, which give 2 samples" && error.hint?.contains("4 of each object") == true)
    job.options.copies = 4
    #expect(try job.samples().indices.count == 9)
  }

  @Test("All photos that cannot be read are told with the lines that name them")
  func unreadable() throws {
    let folder = try Folder()
    _ = try folder.photo("a.png", 50, 40, seed: 1)
    try AtomicFile.write("nonsense", to: folder.path + "/b.png")
    try AtomicFile.write("", to: folder.path + "/c.png")
    let list = folder.path + "/info.txt"
    try AtomicFile.write("a.png 1 3 4 24 24\r\nb.png 1 0 0 9 9 \r\nc.png 1 0 0 9 9\r\n", to: list)
    let job = SampleJob(.objects([try source("info:\(list)")], labels: nil), options: plain)
    let error = try #require(throws: UnreadablePhotos.self) { try job.samples() }
    #expect(error.failures.map(\.origin?.description) == ["\(list):2", "\(list):3"])
  }

  @Test("Pictures over photos: as many as asked for, the same on any threads; bad pictures are told")
  func pictures() throws {
    let folder = try Folder()
    let photos = folder.path + "/photos"
    try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
    _ = try folder.photo("photos/a.png", 50, 40, seed: 1)
    _ = try folder.photo("logo.png", 30, 20, seed: 2, channels: 3)
    try ImageFile.write(
      ByteImage(width: 8, height: 8, channelCount: 1, filledWith: 250), to: folder.path + "/white.png")
    var pictures = SamplePictures(paths: [folder.path + "/logo.png"], backgrounds: [try source("folder:\(photos)")])
    var options = plain
    options.fit = .cover
    options.jitterTiltX = 40
    options.jitterTiltY = 40
    let job = SampleJob(
      .pictures(pictures), options: options, windowSize: PixelSize(width: 20, height: 16), count: 1500)
    let made = try job.samples()
    #expect(made.summary.samples == 1500 && made.summary.pictures == 1 && (made.summary.backgroundWindows ?? 0) > 700)
    try made.write(vec: folder.path + "/a.vec", executor: ParallelExecutor(threadCount: 4))
    try made.write(vec: folder.path + "/b.vec", executor: .serial)
    #expect(
      try Data(contentsOf: URL(filePath: folder.path + "/a.vec"))
        == Data(contentsOf: URL(filePath: folder.path + "/b.vec")))
    pictures.paths = [folder.path + "/white.png"]
    pictures.transparent = .white
    let error = try #require(throws: InputError.self) {
      try SampleJob(.pictures(pictures), options: options).samples()
    }
    #expect(error.source.hasSuffix("white.png") && error.problem == "shows nothing")
    pictures.transparent = nil
    let large = SampleJob(.pictures(pictures), options: options, windowSize: PixelSize(width: 100, height: 100))
    #expect(
      try #require(throws: InputError.self) { try large.samples() }.problem == "there are no windows of 100 x 100")
  }

  @Test("Scenes: the list's boxes hold what was laid over the photos, and nothing else has changed")
  func scenes() throws {
    let folder = try Folder()
    let photos = folder.path + "/photos"
    try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
    let ground = ByteImage(width: 200, height: 150, channelCount: 1, filledWith: 0)
    try ImageFile.write(ground, to: photos + "/a.png")
    try ImageFile.write(ground, to: photos + "/b.png")
    _ = try folder.photo("photos/small.png", 20, 20, seed: 1)
    try ImageFile.write(
      ByteImage(width: 40, height: 30, channelCount: 1, filledWith: 255), to: folder.path + "/logo.png")
    var options = plain
    options.jitterTiltX = 50
    options.jitterTiltY = 50
    options.jitterRotation = 60
    var job = SceneJob(
      SamplePictures(paths: [folder.path + "/logo.png"], backgrounds: [try source("folder:\(photos)")]),
      options: options, count: 5)
    job.objects = 3
    let output = folder.path + "/scenes"
    let summary = try job.write(folder: output, executor: ParallelExecutor(threadCount: 2))
    #expect(summary.scenes == 5 && summary.backgrounds == 2 && summary.smallBackgrounds == 1)
    let set = try Dataset.load(.parse("info:\(output)/info.txt"))
    #expect(set.images.count == 5)
    #expect(set.images.reduce(0) { $0 + $1.annotations.count } == summary.objects)
    #expect(summary.objects + summary.withoutPlace == 15 && summary.objects > 5)
    for index in 0..<5 {
      let image = try set.image(at: index).grey()
      let boxes = set.images[index].annotations.map(\.box)
      #expect(image.size == ground.size)
      for row in 0..<150 {
        for column in 0..<200 where image.pixels[row * 200 + column] >= 128 {
          let pixel = Box(x: Double(column), y: Double(row), width: 1, height: 1)
          #expect(boxes.contains { $0.contains(pixel) }, "image \(index), \(column), \(row)")
        }
      }
      for box in boxes {
        #expect(Box(ground.size).contains(box))
        // Tight: each edge of the box touches the object.
        let part = image.crop(x: Int(box.x), y: Int(box.y), width: Int(box.width), height: Int(box.height))
        let bright = part.pixels.indices.filter { part.pixels[$0] >= 127 }
        #expect(bright.contains { $0 % part.width == 0 } && bright.contains { $0 % part.width == part.width - 1 })
        #expect(bright.contains { $0 < part.width } && bright.contains { $0 >= part.width * (part.height - 1) })
      }
    }
    #expect(throws: InputError.self) { try job.write(folder: output) }
  }
}
