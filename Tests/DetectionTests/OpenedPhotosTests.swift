import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@testable import Detection

@Suite("Opened photos")
struct OpenedPhotosTests {
  @Test("Every photo that cannot be read is told, with file and line")
  func failures() throws {
    var photos = PlainPhotos.noise([(8, 8), (9, 7), (10, 10), (3, 3)])
    photos.broken = [1, 3]
    for threads in [1, 4] {
      let error = try #require(throws: UnreadablePhotos.self) {
        try OpenedPhotos(photos, executor: ParallelExecutor(threadCount: threads))
      }
      #expect(error.failures.map(\.origin?.description) == ["list.txt:2", "list.txt:4"])
      #expect(
        error.description == """
          2 of 4 photos cannot be read; mend them or leave them out:
            list.txt:2: photo 1: is broken
            list.txt:4: photo 3: is broken
          """)
    }
  }

  @Test("A photo without pixels is told, not divided by")
  func empty() throws {
    var photos = PlainPhotos.noise([(8, 8)])
    photos.images.append(ByteImage(width: 0, height: 5, channelCount: 1, pixels: []))
    let error = try #require(throws: UnreadablePhotos.self) { try OpenedPhotos(photos) }
    #expect(error.failures.map(\.error.problem) == ["has no pixels"])
  }

  @Test("Sizes, grey copies and checksum do not depend on memory or threads; the checksum does on data")
  func sameWhateverTheMemory() throws {
    var photos = PlainPhotos.noise([(8, 5), (9, 7), (10, 10)])
    photos.images[1] = noiseImage(width: 9, height: 7, channelCount: 3, seed: 7)
    let all = try OpenedPhotos(photos, executor: ParallelExecutor(threadCount: 3))
    let none = try OpenedPhotos(photos, memory: 0, executor: .serial)
    #expect(all.sizes == photos.images.map(\.size))
    for index in 0..<3 {
      #expect(try all.grey(at: index) == photos.images[index].grey())
      #expect(try none.grey(at: index) == photos.images[index].grey())
    }
    #expect(all.checksum == none.checksum)
    var other = photos
    other.images[2].pixels[50] ^= 1
    #expect(try OpenedPhotos(other).checksum != all.checksum)
    other = photos
    other.boxes = [[], [target(1, 1, 3, 3)]]
    #expect(try OpenedPhotos(other).checksum != all.checksum)
  }

  @Test("Joined sources keep their order; empty ones do no harm")
  func joined() throws {
    let none = PlainPhotos(images: [])
    let joined = JoinedPhotos([none, PlainPhotos.noise([(4, 4), (5, 5)]), none, PlainPhotos.noise([(6, 6)]), none])
    #expect(joined.count == 3)
    #expect(try (0..<3).map { try joined.image(at: $0).width } == [4, 5, 6])
    #expect((0..<3).map { joined.name(at: $0) } == ["photo 0", "photo 1", "photo 0"])
    #expect(JoinedPhotos([none]).count == 0)
  }

  @Test("Photos that show the same are known, whatever they are called; so are those that two sets share")
  func alike() throws {
    var photos = PlainPhotos.noise([(8, 5), (9, 7), (8, 5), (10, 10), (9, 7)])
    photos.images[2] = photos.images[0]
    photos.images[4] = photos.images[1]
    // The same values in another shape, and in colour, are others.
    photos.images.append(ByteImage(width: 5, height: 8, channelCount: 1, pixels: photos.images[0].pixels))
    photos.images.append(
      ByteImage(width: 8, height: 5, channelCount: 3, pixels: photos.images[0].pixels.flatMap { [$0, $0, $0] }))
    for threads in [1, 3] {
      let opened = try OpenedPhotos(photos, executor: ParallelExecutor(threadCount: threads))
      #expect(opened.firstAlike == [0, 1, 0, 3, 1, 5, 6])
      #expect(opened.damage.isEmpty)
      let others = try OpenedPhotos(PlainPhotos(images: [noiseImage(width: 9, height: 7, channelCount: 1, seed: 99)]))
      #expect(opened.shared(with: others) == nil && others.shared(with: opened) == nil)
      let some = try OpenedPhotos(PlainPhotos(images: [others.grey(at: 0), photos.images[3]]))
      let shared = try #require(some.shared(with: opened))
      #expect(shared.own == 1 && shared.other == 3)
    }
  }

  @Test("Photos without some of their rows are told with file and line")
  func lackingRows() throws {
    var photos = PlainPhotos.noise([(8, 8), (9, 7), (10, 10)])
    photos.cut = [1]
    let progress = RecordedProgress()
    let opened = try OpenedPhotos(JoinedPhotos([photos, photos]), progress: progress)
    #expect(opened.damage.keys.sorted() == [1, 4])
    #expect(
      progress.warnings == Array(repeating: "list.txt:2: photo 1 is cut short: rows from 3 on are grey", count: 2))
  }
}
