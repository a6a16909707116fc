import Execution
import Foundation
import Geometry
import TestSupport
import Testing

@testable import Imaging

@Suite("Pictures laid over backgrounds")
struct CutOutTests {
  private let ground = ByteImage(width: 6, height: 5, channelCount: 1, filledWith: 100)

  @Test("Moved by whole pixels: its pixels, where it covers; half where it covers half")
  func byHand() {
    let picture = ByteImage(width: 3, height: 2, channelCount: 1, pixels: [10, 20, 30, 40, 50, 60])
    let mask = ByteImage(width: 3, height: 2, channelCount: 1, pixels: [255, 0, 255, 51, 255, 255])
    let placed = CutOut(picture, coverage: mask).placed(on: ground, by: .translation(x: -2, y: -1))
    var wanted = ground
    // 40 * 0.2 + 100 * 0.8 = 88.
    for (index, value) in [(8, 10), (10, 30), (14, 88), (15, 50), (16, 60)] { wanted.pixels[index] = UInt8(value) }
    #expect(placed.image == wanted)
    #expect(placed.visible == Box(x: 2, y: 1, width: 3, height: 2))
    let shifted = CutOut(ByteImage(width: 2, height: 2, channelCount: 1, filledWith: 200))
      .placed(on: ground, by: .translation(x: -1.5, y: -1))
    #expect(Array(shifted.image.pixels[6..<12]) == [100, 150, 200, 150, 100, 100])
    // Covered by half counts.
    #expect(shifted.visible == Box(x: 1, y: 1, width: 3, height: 2))
  }

  @Test("Tone changes the picture and not the background; sums are kept within bounds")
  func tone() {
    let picture = CutOut(ByteImage(width: 3, height: 1, channelCount: 1, pixels: [5, 100, 250]))
    func row(_ tone: ToneChange) -> [UInt8] {
      Array(picture.placed(on: ground, by: .identity, tone: tone).image.pixels[0..<4])
    }
    #expect(row(.none) == [5, 100, 250, 100])
    #expect(row(ToneChange(shift: 20)) == [25, 120, 255, 100])
    #expect(row(ToneChange(shift: -20)) == [0, 80, 230, 100])
    #expect(row(ToneChange(shift: 20, isInverted: true)) == [230, 135, 0, 100])
    let image = ByteImage(width: 3, height: 1, channelCount: 1, pixels: [5, 100, 250])
    #expect(image.toned(by: ToneChange(shift: 20, isInverted: true)).pixels == [230, 135, 0])
    #expect(image.toned(by: .none) == image)
  }

  @Test("A colour made transparent, and no rim of it left")
  func transparent() {
    // White around, an edge that is half mixed with it, and 40 within.
    var picture = ByteImage(width: 7, height: 7, channelCount: 1, filledWith: 255)
    for row in 1..<6 {
      for column in 1..<6 {
        let isInner = (2..<5).contains(row) && (2..<5).contains(column)
        picture.pixels[row * 7 + column] = isInner ? 40 : 150
      }
    }
    let cut = CutOut(picture).withTransparent(.white, tolerance: 10)
    #expect(cut.coverage?.pixels.count { $0 == 0 } == 24)
    let placed = cut.placed(on: ByteImage(width: 7, height: 7, channelCount: 1, filledWith: 0), by: .identity)
    #expect(Set(placed.image.pixels) == [0, 40])
    #expect(placed.visible == Box(x: 1, y: 1, width: 5, height: 5))
    let colour = ByteImage(width: 2, height: 1, channelCount: 3, pixels: [250, 10, 10, 250, 30, 10])
    let red = CutOut(colour).withTransparent(RGBColor(red: 255, green: 5, blue: 5), tolerance: 6)
    #expect(red.coverage?.pixels == [0, 255])
    #expect(!CutOut(colour).withTransparent(RGBColor(red: 250, green: 20, blue: 10), tolerance: 10).isVisible)
  }

  @Test("Nothing transparent, everything transparent, wholly outside")
  func trivial() {
    let opaque = CutOut(ByteImage(width: 20, height: 20, channelCount: 1, filledWith: 3))
    #expect(Set(opaque.placed(on: ground, by: .translation(x: 5, y: 5)).image.pixels) == [3])
    let clear = CutOut(
      ByteImage(width: 4, height: 4, channelCount: 1, filledWith: 3),
      coverage: ByteImage(width: 4, height: 4, channelCount: 1, filledWith: 0))
    #expect(clear.placed(on: ground, by: .identity).image == ground)
    #expect(clear.placed(on: ground, by: .identity).visible == nil && !clear.isVisible)
    let outside = opaque.placed(on: ground, by: .translation(x: 100, y: 0))
    #expect(outside.image == ground && outside.visible == nil)
  }

  @Test("A turned picture shrunk covers the area that it should", arguments: testSeeds)
  func coveredArea(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let picture = CutOut(ByteImage(width: 120, height: 80, channelCount: 1, filledWith: 255))
    let scale = random.uniform(in: 3..<5)
    let angle = random.uniform(in: -3..<3)
    let map = Homography.translation(x: -25, y: -25)
      .followed(
        by: Homography(scale * cos(angle), -scale * sin(angle), 0, scale * sin(angle), scale * cos(angle), 0, 0, 0, 1)
      )
      .followed(by: .translation(x: 60, y: 40))
    let placed = picture.placed(on: ByteImage(width: 50, height: 50, channelCount: 1, filledWith: 0), by: map)
    let area = placed.image.pixels.reduce(0.0) { $0 + Double($1) / 255 }
    #expect(abs(area / (120 * 80 / (scale * scale)) - 1) < 0.01, "seed \(seed)")
  }

  @Test("A PNG's transparency is the coverage; one that shows nothing is told")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cutout-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try ImageFile.write(ground, to: folder + "/plain.png")
    let plain = try CutOut(contentsOf: folder + "/plain.png")
    #expect(plain.coverage == nil && plain.image == ground)
    // Colour type 6, 8 bits: the fixture's alpha is known by what shows of two grounds.
    let path = Fixtures.path("png-type6-8.png")
    let cut = try CutOut(contentsOf: path)
    let size = cut.size
    for level in [UInt8(0), 90, 255] {
      let shown = cut.rgb().placed(
        on: ByteImage(width: size.width, height: size.height, channelCount: 3, filledWith: level), by: .identity)
      let wanted = try ImageFile.read(path, options: ImageReadOptions(background: level)).image
      #expect((largestDifference(shown.image.pixels, wanted.pixels) ?? 255) <= 2, "over \(level)")
    }
    #expect(throws: InputError.self) { try CutOut(contentsOf: folder + "/none.png") }
  }
}
