import Foundation
import Geometry
import Imaging
import Testing

@Suite("Decoding against other programs")
struct DecodeTests {
  @Test("Every fixture shows the pixels that its record states", arguments: try Fixtures.load().images.keys.sorted())
  func decodes(name: String) throws {
    let expected = try #require(try Fixtures.load().images[name])
    let decoded = try ImageFile.read(Fixtures.path(name))
    #expect(decoded.image.width == expected.width && decoded.image.height == expected.height)
    #expect(decoded.image.channelCount == expected.channels)
    let difference = try #require(largestDifference(decoded.image.pixels, [UInt8](expected.pixels)))
    #expect(difference <= expected.tolerance, "\(expected.source)")
    #expect(decoded.orientation.rawValue == expected.orientation)
    #expect(decoded.bitDepth == expected.bits)
    #expect(decoded.hasAlpha == expected.alpha)
    #expect(decoded.format == (name.hasSuffix(".png") ? .png : .jpeg))
    #expect(decoded.warnings.isEmpty && !decoded.isDamaged)
    #expect(try ImageFile.size(Fixtures.path(name)) == decoded.image.size)
  }

  @Test("Every file of the folder has a record, and the kinds that matter are there")
  func coverage() throws {
    let names = try Fixtures.names()
    #expect(try Set(names) == Set(Fixtures.load().images.keys))
    #expect(names.filter { $0.hasPrefix("png-type") }.count == 30)
    #expect(names.filter { $0.contains("exif") }.count == 17)
  }

  @Test("Without the option the image stays as stored")
  func storedOrientation() throws {
    var options = ImageReadOptions()
    options.appliesOrientation = false
    let name = Fixtures.path("jpeg-exif6-big.jpg")
    let stored = try ImageFile.read(name, options: options)
    let upright = try ImageFile.read(name)
    #expect(stored.orientation == .right)
    #expect(stored.image.size == PixelSize(width: 18, height: 11))
    #expect(try ImageFile.size(name, options: options) == stored.image.size)
    #expect(upright.image == stored.image.oriented(.right))
  }

  @Test("Transparency shows the stated background")
  func background() throws {
    let name = Fixtures.path("png-type4-8.png")
    let white = try ImageFile.read(name, options: ImageReadOptions(background: 255)).image
    let black = try ImageFile.read(name, options: ImageReadOptions(background: 0)).image
    // over white - over black = 255 - alpha, whatever the colour; each side is rounded.
    let alphas = zip(white.pixels, black.pixels).map { 255 - (Int($0) - Int($1)) }
    #expect(alphas.allSatisfy { (-1...256).contains($0) })
    #expect(Set(alphas).count > 20)
  }

  @Test("A 16-bit sample becomes the nearest byte of the same encoded value")
  func sixteenBits() throws {
    // A 16-bit grey PNG of one row: values about the rounding edges of value / 257.
    let values: [Int] = [0, 128, 129, 257, 385, 386, 32767, 32768, 65406, 65407, 65535]
    var raw: [UInt8] = [0]
    for value in values { raw += [UInt8(value >> 8), UInt8(value & 255)] }
    let png = makePNG(width: values.count, height: 1, bits: 16, colorType: 0, raw: raw)
    let image = try ImageFile.decode(png, name: "sixteen").image
    #expect(image.pixels.map(Int.init) == values.map { ($0 + 128) / 257 })
  }
}

/// A PNG file whose data is one stored deflate block.
func makePNG(width: Int, height: Int, bits: UInt8, colorType: UInt8, raw: [UInt8]) -> [UInt8] {
  precondition(raw.count < 65536)
  let stored: [UInt8] =
    [0x78, 0x01, 0x01, UInt8(raw.count & 255), UInt8(raw.count >> 8), ~UInt8(raw.count & 255), ~UInt8(raw.count >> 8)]
    + raw + bigEndian(adler32(raw))
  return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    + pngChunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [bits, colorType, 0, 0, 0])
    + pngChunk("IDAT", stored) + pngChunk("IEND", [])
}

func pngChunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
  let typed = Array(type.utf8) + body
  return bigEndian(UInt32(body.count)) + typed + bigEndian(crc32(typed))
}

func bigEndian(_ value: UInt32) -> [UInt8] {
  [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}

private func crc32(_ bytes: [UInt8]) -> UInt32 {
  var value: UInt32 = 0xFFFF_FFFF
  for byte in bytes {
    value ^= UInt32(byte)
    for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
  }
  return ~value
}

private func adler32(_ bytes: [UInt8]) -> UInt32 {
  var (a, b): (UInt32, UInt32) = (1, 0)
  for byte in bytes {
    a = (a + UInt32(byte)) % 65521
    b = (b + a) % 65521
  }
  return b << 16 | a
}
