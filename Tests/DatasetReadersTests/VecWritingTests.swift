import Execution
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

@testable import DatasetReaders

@Suite("Packed samples are written")
struct VecWritingTests {
  @Test("Byte by byte, as opencv_createsamples lays them out")
  func layout() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/new/folder/two.vec"
    try VecFile.write(count: 2, size: PixelSize(width: 3, height: 1), to: path) { output in
      try output.append([1, 2, 255])
      try output.append([128, 0, 7])
    }
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(
      bytes == [
        2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,  // count, values, two numbers that are not used
        0, 1, 0, 2, 0, 255, 0,
        0, 128, 0, 0, 0, 7, 0,
      ])
  }

  @Test("What is written is read again, square or not", arguments: [(24, 24), (30, 20), (1, 1)])
  func roundTrip(width: Int, height: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/samples.vec"
    let images = (0..<37).map { noiseImage(width: width, height: height, channelCount: 1, seed: UInt64($0)) }
    try VecFile.write(count: 37, size: PixelSize(width: width, height: height), to: path) { output in
      for begin in stride(from: 0, to: 37, by: 10) {
        try output.append(images[begin..<min(37, begin + 10)].flatMap(\.pixels))
      }
    }
    let file = try VecFile(path: path, width: width)
    #expect(file.sampleCount == 37 && file.declaredCount == 37 && file.strayByteCount == 0)
    for index in 0..<37 { #expect(try file.sample(at: index) == images[index]) }
    let set = try folder.load("vec:\(path)?width=\(width)")
    #expect(set.images.count == 37 && set.problems.isEmpty)
  }

  @Test("A failure leaves the old file, and nothing beside it")
  func failure() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("old", to: "samples.vec")
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try VecFile.write(count: 2, size: PixelSize(width: 1, height: 1), to: path) { output in
        try output.append([1])
        throw Stop()
      }
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["samples.vec"])
    for (count, width) in [(0, 4), (3, 0), (1, 1 << 25)] {
      #expect(throws: InputError.self) {
        try VecFile.write(count: count, size: PixelSize(width: width, height: 1), to: path) { _ in }
      }
    }
    #expect(throws: InputError.self) {
      try VecFile.write(count: 1, size: PixelSize(width: 1, height: 1), to: folder.path) { _ in }
    }
  }

  @Test("A list of images with their objects is read again")
  func infoList() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("a.png", width: 40, height: 30)
    try folder.writeImage("b.png", width: 40, height: 30)
    let text = InfoList.text([("a.png", [box(0, 0, 40, 30), box(1.4, 2.6, 5, 6)]), ("b.png", [])])
    #expect(text == "a.png 2 0 0 40 30 1 3 5 6\nb.png 0\n")
    let set = try folder.load("info:\(try folder.write(text, to: "info.txt"))")
    #expect(set.boxes == ["a.png": [box(0, 0, 40, 30), box(1, 3, 5, 6)], "b.png": []])
  }

  @Test("An image knows the line that names it; what is stored of it does not")
  func origins() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("a.png")
    try folder.writeImage("b.png")
    let list = try folder.write("# photos\r\n\r\na.png \r\nb.png\r\n", to: "bg.txt")
    let set = try folder.load("bg:\(list)")
    #expect(set.images.map(\.origin) == [FileLine(file: list, line: 3), FileLine(file: list, line: 4)])
    let parts = [set.subset([1]), Dataset.joined([set, set]).subset([3])]
    #expect(parts.map { $0.images[0].origin?.description } == ["\(list):4", "\(list):4"])
    let stored = String(decoding: try JSONEncoder().encode(set.images[0]), as: UTF8.self)
    #expect(!stored.contains("origin") && !stored.contains("bg.txt"))
  }
}
