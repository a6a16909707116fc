import Execution
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

@Suite("Files that are broken, huge, or no images")
struct BrokenFileTests {
  private static let formats = [
    "png-type2-8.png", "png-type3-4-interlaced.png", "png-type6-16-interlaced.png", "png-gamma-rgb16.png",
    "png-exif6.png", "jpeg-baseline.jpg", "jpeg-progressive.jpg", "jpeg-cmyk.jpg", "jpeg-ycck.jpg", "jpeg-restarts.jpg",
    "jpeg-exif6-little.jpg",
  ]

  private static let maps: [[UInt8]] = [
    Array("P1 5 4\n10110 0 1 1 1 0 0 0 0 0 11111".utf8), Array("P2 3 2 9\n1 2 3 4 5 6".utf8),
    Array("P3 1 2 300\n1 2 3 4 5 256".utf8), Array("P4 9 2\n".utf8) + [1, 128, 255, 0],
    Array("P5 3 2 255\n".utf8) + [1, 2, 3, 4, 5, 6], Array("P6 1 2 65535\n".utf8) + Array(0..<12),
  ]

  private static func allFiles() throws -> [(name: String, bytes: [UInt8])] {
    try formats.map { ($0, try Fixtures.bytes($0)) } + maps.enumerated().map { ("map\($0 + 1).pnm", $1) }
  }

  @Test("Cut at each tenth: an error, or the usable part of a JPEG with a warning")
  func truncation() throws {
    for (name, bytes) in try Self.allFiles() {
      for tenth in 0..<10 {
        let cut = Array(bytes[0..<bytes.count * tenth / 10])
        do {
          let decoded = try ImageFile.decode(cut, name: name)
          #expect(name.hasSuffix(".jpg") && !decoded.warnings.isEmpty, "\(name) cut at \(tenth) tenths")
        } catch {
          let error = try #require(error as? InputError)
          #expect(error.source == name)
        }
      }
    }
  }

  @Test("A PNG within the pixel limit but longer than libpng reads is not called broken")
  func longerThanLibpngReads() throws {
    for (width, height) in [(90_000_000, 1), (1, 1_000_001)] {
      let bytes = makePNG(width: width, height: height, bits: 8, colorType: 0, raw: [0, 1, 2, 3])
      let error = #expect(throws: InputError.self) { try ImageFile.decode(bytes, name: "long.png") }
      #expect(error?.problem.contains("libpng") == true && error?.expected?.contains("1000000") == true)
      #expect(error?.found == "\(width) x \(height)")
    }
  }

  @Test("A cut JPEG keeps its upper rows")
  func usablePart() throws {
    let bytes = try ImageFile.encodeJPEG(smoothImage(width: 64, height: 160), quality: 90)
    let whole = try ImageFile.decode([UInt8](bytes), name: "whole.jpg").image
    let cut = try ImageFile.decode([UInt8](bytes.prefix(bytes.count * 7 / 10)), name: "cut.jpg")
    #expect(cut.image.size == whole.size)
    #expect(cut.image.pixels.prefix(64 * 3 * 48) == whole.pixels.prefix(64 * 3 * 48))
    #expect(cut.image != whole)
    #expect(cut.warnings.count == 1 && cut.warnings[0].contains("cut short"))
    #expect(cut.isDamaged)
  }

  @Test(
    "A cut JPEG that can be read and shows something else than the whole says that it is damaged",
    arguments: ["jpeg-baseline.jpg", "jpeg-progressive.jpg", "jpeg-cmyk.jpg", "jpeg-ycck.jpg", "jpeg-restarts.jpg"])
  func cutIsDamaged(name: String) throws {
    let bytes = try #require(try Self.allFiles().first { $0.name == name }).bytes
    let whole = try ImageFile.decode(bytes, name: name)
    #expect(!whole.isDamaged)
    var coarse = 0
    for count in stride(from: bytes.count - 1, to: bytes.count / 8, by: -max(1, bytes.count / 97)) {
      guard let cut = try? ImageFile.decode(Array(bytes.prefix(count)), name: name), cut.image != whole.image else {
        continue
      }
      #expect(cut.isDamaged && !cut.warnings.isEmpty, "\(count) of \(bytes.count) bytes")
      if cut.warnings.contains(where: { $0.contains("coarse") }) { coarse += 1 }
    }
    if name == "jpeg-progressive.jpg" { #expect(coarse > 0, "the case of all rows there, but coarse") }
  }

  @Test("Random bit flips: every file decodes or throws", arguments: try allFiles().map(\.name))
  func bitFlips(name: String) throws {
    let bytes = try #require(try Self.allFiles().first { $0.name == name }).bytes
    // A flipped size must not make the test take memory.
    let options = ImageReadOptions(pixelLimit: 1_000_000)
    var decodedCount = 0
    for seed in 0..<300 {
      var random = RandomStream(seed: UInt64(seed), stream: 7)
      var damaged = bytes
      for _ in 0..<1 + random.index(below: 8) {
        damaged[random.index(below: damaged.count)] ^= 1 << UInt8(random.index(below: 8))
      }
      do {
        let decoded = try ImageFile.decode(damaged, name: name, options: options)
        decodedCount += 1
        #expect(decoded.image.pixels.count == decoded.image.width * decoded.image.height * decoded.image.channelCount)
      } catch {
        #expect(error is InputError, "seed \(seed): \(error)")
      }
    }
    // Checksums make nearly every damaged PNG an error; the others mostly survive.
    #expect(name.hasSuffix(".png") || decodedCount > 0)
  }

  @Test("Random bytes after each format's first bytes", arguments: testSeeds)
  func randomBytes(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    for head in [[0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF, 0xE0], [0x50, 0x33, 0x20], []]
      as [[UInt8]]
    {
      for _ in 0..<50 {
        let tail = (0..<random.index(below: 400)).map { _ in UInt8(random.index(below: 256)) }
        #expect(throws: InputError.self, "seed \(seed)") {
          try ImageFile.decode(head + tail, name: "noise", options: ImageReadOptions(pixelLimit: 10_000))
        }
      }
    }
  }

  @Test("The pixel limit is checked on the header, and the error names it")
  func pixelLimit() throws {
    let png = makePNG(width: 20000, height: 20000, bits: 8, colorType: 2, raw: [0, 0, 0, 0])
    var jpeg = try Fixtures.bytes("jpeg-baseline.jpg")
    let frame = try #require((0..<jpeg.count - 1).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
    for (bytes, side) in [(png, "20000"), (jpeg, "65500")] {
      let error = inputError { _ = try ImageFile.decode(bytes, name: "huge") }
      #expect(error?.found?.contains("\(side) x \(side)") == true)
      #expect(error?.expected?.contains("100000000") == true)
      #expect(error?.hint?.contains("pixelLimit") == true)
      var options = ImageReadOptions()
      options.pixelLimitName = "--max-pixels"
      let named = inputError { _ = try ImageFile.decode(bytes, name: "huge", options: options) }
      #expect(named?.hint?.contains("(--max-pixels)") == true)
    }
    let small = try Fixtures.bytes("png-type2-8.png")
    #expect(throws: InputError.self) {
      try ImageFile.decode(small, name: "small", options: ImageReadOptions(pixelLimit: 13 * 11 - 1))
    }
    #expect(
      try ImageFile.decode(small, name: "small", options: ImageReadOptions(pixelLimit: 13 * 11)).image.width == 13)
  }

  @Test("JPEG without image data never passes in silence")
  func emptyJPEG() throws {
    let bytes = try Fixtures.bytes("jpeg-baseline.jpg")
    let scan = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
    let afterScan = scan + 2 + Int(bytes[scan + 3])
    // What was read cannot be told from the mid-grey of blocks without data.
    let midGrey = [UInt8](
      try ImageFile.encodeJPEG(ByteImage(width: 64, height: 64, channelCount: 1, filledWith: 128)))
    var zeroHeight = bytes
    let frame = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    zeroHeight.replaceSubrange(frame + 5..<frame + 7, with: [0, 0])
    for (bytes, mentions) in [
      (Array(bytes[..<20]), "frame header"), (Array(bytes[..<scan]), "without image data"),
      (Array(bytes[..<scan]) + [0xFF, 0xD9], "without image data"), (Array(bytes[..<afterScan]), "without image data"),
      (Array(bytes[..<afterScan]) + [0xFF, 0xD9], "without image data"), ([0xFF, 0xD8, 0xFF, 0xD9], "frame header"),
      (Array(midGrey.prefix(midGrey.count - 2)), "nothing can be read"), (zeroHeight, "no pixels"),
    ] {
      let error = inputError { _ = try ImageFile.decode(bytes, name: "stub.jpg") }
      #expect(error?.description.contains(mentions) == true, "\(mentions): \(String(describing: error))")
    }
  }

  @Test("Folders, pipes, devices, missing and empty files are errors with the path, and nothing hangs")
  func specialFiles() throws {
    try withTemporaryFolder { folder in
      let pipe = folder + "/pipe.png"
      #expect(mkfifo(pipe, 0o600) == 0)
      let empty = folder + "/empty.png"
      #expect(FileManager.default.createFile(atPath: empty, contents: Data()))
      let text = folder + "/text.jpg"
      try Data("hello".utf8).write(to: URL(fileURLWithPath: text))
      for (path, mentions) in [
        (folder, "a folder"), (pipe, "a pipe"), ("/dev/zero", "a device"), (folder + "/none.png", "No such file"),
        (empty, "is empty"), (text, "no image"), (folder + "/a\0b.png", "zero byte"), ("", "no file name"),
      ] {
        let error = inputError { _ = try ImageFile.read(path) }
        #expect(error?.description.contains(mentions) == true, "\(path): \(String(describing: error))")
        #expect(path.isEmpty || error?.source == path)
        #expect(inputError { _ = try ImageFile.size(path) } != nil)
      }
    }
  }

  @Test("A misnamed file is read by its content, with a warning")
  func misnamed() throws {
    try withTemporaryFolder { folder in
      for (source, name) in [("png-type2-8.png", "a.jpg"), ("jpeg-baseline.jpg", "b.PNG"), ("jpeg-grey.jpg", "c.gif")] {
        let path = folder + "/" + name
        try Data(Fixtures.bytes(source)).write(to: URL(fileURLWithPath: path))
        let decoded = try ImageFile.read(path)
        #expect(decoded.warnings.count == 1 && decoded.warnings[0].contains("is named"))
        #expect(try decoded.image == ImageFile.read(Fixtures.path(source)).image)
      }
      let bare = folder + "/no-suffix"
      try Data(Fixtures.bytes("jpeg-grey.jpg")).write(to: URL(fileURLWithPath: bare))
      #expect(try ImageFile.read(bare).warnings.isEmpty)
    }
  }

  @Test("Other formats are named in the error")
  func otherFormats() {
    for (text, name) in [
      ("GIF89a....", "GIF"), ("BM......", "BMP"), ("II*\0....", "TIFF"), ("RIFF....WEBPVP8 ", "WebP"),
    ] {
      let error = inputError { _ = try ImageFile.decode(Array(text.utf8), name: "other") }
      #expect(error?.found?.contains(name) == true)
    }
  }

  private func smoothImage(width: Int, height: Int) -> ByteImage {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { pixels += [UInt8(x * 3), UInt8(y), UInt8((x * y) % 97 + 60)] }
    }
    return ByteImage(width: width, height: height, channelCount: 3, pixels: pixels)
  }
}
