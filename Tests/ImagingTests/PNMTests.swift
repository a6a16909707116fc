import Execution
import Foundation
import Geometry
import Imaging
import Testing

@Suite("Portable maps")
struct PNMTests {
  private func decode(_ text: String, _ body: [UInt8] = []) throws -> ByteImage {
    try ImageFile.decode(Array(text.utf8) + body, name: "map").image
  }

  @Test("Text bit maps: 1 is black, digits need no spaces, comments anywhere")
  func plainBits() throws {
    let image = try decode("P1 # a comment\n# another\n3 2\n101\n0 1#x\n 0")
    #expect(image == ByteImage(width: 3, height: 2, channelCount: 1, pixels: [0, 255, 0, 255, 0, 255]))
  }

  @Test("Binary bit maps: rows are padded to whole bytes")
  func packedBits() throws {
    let image = try decode("P4\n10 2\n", [0b1000_0001, 0b0100_0000, 0b0000_0000, 0b1011_1111])
    #expect(
      image.pixels == [0, 255, 255, 255, 255, 255, 255, 0, 255, 0] + [255, 255, 255, 255, 255, 255, 255, 255, 0, 255])
  }

  @Test("Maximum values other than 255 are scaled and rounded")
  func maximum() throws {
    #expect(try decode("P2 4 1 3\n0 1 2 3").pixels == [0, 85, 170, 255])
    #expect(try decode("P2 3 1 1000\n0 500 1000").pixels == [0, 128, 255])
    #expect(try decode("P5 2 1 15\n", [7, 15]).pixels == [119, 255])
    #expect(try decode("P3 1 1 255 1 2 3").pixels == [1, 2, 3])
  }

  @Test("A number is all its digits, however many")
  func longNumbers() throws {
    let image = try decode("P5 00000000000004 4 0000000000255\n", Array(0..<16))
    #expect(image.width == 4 && image.height == 4 && image.pixels == Array(0..<16))
    #expect(try decode("P2 2 1 0000000000003 0000000000001 3").pixels == [85, 255])
    for text in [
      "P5 99999999999999999999999999 1 255\n", "P5 1 1 99999999999999999999999999\n", "P2 1 1 9 00000000009999",
    ] {
      #expect(throws: InputError.self) { try decode(text, [1, 2, 3, 4]) }
    }
  }

  @Test("Two bytes a sample, the higher first, where the maximum is above 255")
  func wide() throws {
    let image = try ImageFile.decode(Array("P6 1 1 65535\n".utf8) + [0, 128, 0, 129, 255, 255], name: "map")
    #expect(image.image.pixels == [0, 1, 255])
    #expect(image.bitDepth == 16)
    #expect(try decode("P5 2 1 256\n", [1, 0, 0, 128]).pixels == [255, 128])
  }

  @Test(
    "Broken maps are errors that say what is wrong",
    arguments: [
      ("P5", "no image"), ("P5\n", "width"), ("P5 4", "height"), ("P5 4 4", "maxval"), ("P5 4 4 0\n", "maxval"),
      ("P5 4 4 65536\n", "maxval"), ("P5 4 4 255", "header"), ("P5 4 4 255\nabc", "cut short"),
      ("P5 -4 4 255\n", "width"),
      ("P5 0 4 255\n", "no pixels"), ("P2 2 1 7 3 8", "sample 1"), ("P2 2 1 7 3 x", "sample 1"),
      ("P1 2 2 1 0 2 1", "sample 2"),
      ("P5 2 1 7\n\u{1}\u{9}", "maxval"), ("P5 99999 99999 255\n", "limit"), ("P2 9999 9999 255\n1 2", "cut short"),
      ("P5 9999999999 9999999999 255\n", "limit"), ("P7\nWIDTH 2", "PAM"),
    ])
  func broken(text: String, mentions: String) {
    let error = inputError { _ = try decode(text) }
    #expect(error?.description.contains(mentions) == true, "\(String(describing: error))")
    #expect(error?.source == "map")
  }
}
