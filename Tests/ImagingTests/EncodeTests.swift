import Execution
import Foundation
import Geometry
import Imaging
import Testing

@Suite("Writing images")
struct EncodeTests {
  @Test("PNG and PNM keep every byte", arguments: [1, 3])
  func lossless(channels: Int) throws {
    var random = RandomStream(seed: 6)
    try withTemporaryFolder { folder in
      for (width, height) in [(1, 1), (7, 5), (300, 200)] {
        let image = randomImage(width: width, height: height, channelCount: channels, using: &random)
        for name in ["a.png", "a.PNM", channels == 1 ? "a.pgm" : "a.ppm"] {
          let path = folder + "/new/" + name
          try ImageFile.write(image, to: path)
          let read = try ImageFile.read(path)
          #expect(read.image == image)
          #expect(read.warnings.isEmpty)
        }
        #expect(try ImageFile.decode([UInt8](ImageFile.encodePNG(image)), name: "memory").image == image)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/new").count == 3)
    }
  }

  @Test("A suffix decides the channels: .pgm is grey and .ppm is RGB")
  func suffixes() throws {
    let image = ByteImage(width: 2, height: 1, channelCount: 3, pixels: [255, 0, 0, 9, 9, 9])
    try withTemporaryFolder { folder in
      try ImageFile.write(image, to: folder + "/a.pgm")
      #expect(try ImageFile.read(folder + "/a.pgm").image == image.grey())
      try ImageFile.write(image.grey(), to: folder + "/a.ppm")
      #expect(try ImageFile.read(folder + "/a.ppm").image == image.grey().rgb())
      for (path, mentions) in [("/a.tif", ".tif"), ("/a", "no suffix"), ("/a.pbm", ".pbm")] {
        let error = inputError { try ImageFile.write(image, to: folder + path) }
        #expect(error?.description.contains(mentions) == true)
        #expect(!FileManager.default.fileExists(atPath: folder + path))
      }
      #expect(inputError { try ImageFile.write(image, to: folder) } != nil)
    }
  }

  @Test("JPEG stays near the picture and nearer with more quality")
  func jpeg() throws {
    var pixels: [UInt8] = []
    for y in 0..<48 {
      for x in 0..<64 { pixels += [UInt8(4 * x), UInt8(5 * y), UInt8(2 * (x + y))] }
    }
    let image = ByteImage(width: 64, height: 48, channelCount: 3, pixels: pixels)
    var errors: [Double] = []
    for quality in [30, 75, 97] {
      let bytes = [UInt8](try ImageFile.encodeJPEG(image, quality: quality))
      let decoded = try ImageFile.decode(bytes, name: "q")
      #expect(decoded.format == .jpeg && decoded.image.size == image.size)
      let sum = zip(decoded.image.pixels, pixels).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
      errors.append(sum / Double(pixels.count))
    }
    #expect(errors[0] > errors[1] && errors[1] > errors[2])
    #expect(errors[1] < 12 && errors[2] < 2)
    let grey = try ImageFile.decode([UInt8](ImageFile.encodeJPEG(image.grey())), name: "grey")
    #expect(grey.image.channelCount == 1)
  }

  @Test("An image without pixels, or too long for the format, is an error")
  func impossible() {
    let none = ByteImage(width: 0, height: 3, channelCount: 1, pixels: [])
    let long = ByteImage(width: 65501, height: 1, channelCount: 1, filledWith: 0)
    #expect(throws: InputError.self) { try ImageFile.encodePNG(none) }
    #expect(throws: InputError.self) { try ImageFile.encodeJPEG(none) }
    #expect(throws: InputError.self) { try ImageFile.encodeJPEG(long) }
    #expect(throws: Never.self) { try ImageFile.encodePNG(long) }
  }
}
