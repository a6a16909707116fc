import Execution
import Geometry
import Imaging
import TestSupport
import Testing

@testable import Detection

struct OpenCVResizerTests {
  /// Both axes at once, in whole numbers.
  private func slow(_ image: ByteImage, to size: PixelSize) -> ByteImage {
    func samples(_ count: Int, _ source: Int) -> [(Int, Int, Int)] {
      (0..<count).map { index in
        let position = 1 / (Double(count) / Double(source)) * (Double(index) + 0.5) - 0.5
        let below = Int(position.rounded(.down))
        if below < 0 { return (0, 0, 0) }
        if below >= source - 1 { return (source - 1, source - 1, 0) }
        return (below, below + 1, Int(((position - Double(below)) * 256).rounded(.toNearestOrEven)))
      }
    }
    var pixels: [UInt8] = []
    let columns = samples(size.width, image.width)
    for (top, bottom, down) in samples(size.height, image.height) {
      for (left, right, across) in columns {
        for channel in 0..<image.channelCount {
          func at(_ x: Int, _ y: Int) -> Int { Int(image.pixels[(y * image.width + x) * image.channelCount + channel]) }
          let upper = at(left, top) * (256 - across) + at(right, top) * across
          let lower = at(left, bottom) * (256 - across) + at(right, bottom) * across
          pixels.append(UInt8((upper * (256 - down) + lower * down + 32768) / 65536))
        }
      }
    }
    return ByteImage(width: size.width, height: size.height, channelCount: image.channelCount, pixels: pixels)
  }

  @Test(arguments: testSeeds) func agreesWithTheSlowOne(_ seed: UInt64) {
    var random = RandomStream(seed: seed)
    for _ in 0..<20 {
      let image = noiseImage(
        width: 1 + random.index(below: 60), height: 1 + random.index(below: 40),
        channelCount: random.index(below: 2) == 0 ? 1 : 3, seed: random.next())
      let size = PixelSize(width: 1 + random.index(below: 70), height: 1 + random.index(below: 70))
      let wanted = slow(image, to: size)
      #expect(image.resizedAsOpenCV(to: size) == wanted, "seed \(seed): \(image.size) to \(size)")
      let left = random.index(below: size.width)
      let top = random.index(below: size.height)
      let part = (
        columns: left..<left + 1 + random.index(below: size.width - left),
        rows: top..<top + 1 + random.index(below: size.height - top)
      )
      #expect(
        image.resizedAsOpenCV(to: size, columns: part.columns, rows: part.rows)
          == wanted.crop(x: left, y: top, width: part.columns.count, height: part.rows.count), "seed \(seed)")
    }
  }

  @Test func aConstantStays() {
    let image = ByteImage(width: 37, height: 11, channelCount: 1, filledWith: 255)
    #expect(
      image.resizedAsOpenCV(to: PixelSize(width: 90, height: 5))
        == ByteImage(width: 90, height: 5, channelCount: 1, filledWith: 255))
  }
}
