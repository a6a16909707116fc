import Execution
import Geometry
import Imaging
import Testing

@Suite("Orientation")
struct OrientationTests {
  @Test("The letter-like picture 1 2 3 / 4 5 6 in all eight positions")
  func byHand() {
    let image = ByteImage(width: 3, height: 2, channelCount: 1, pixels: [1, 2, 3, 4, 5, 6])
    let expected: [Orientation: [UInt8]] = [
      .up: [1, 2, 3, 4, 5, 6], .upMirrored: [3, 2, 1, 6, 5, 4], .down: [6, 5, 4, 3, 2, 1],
      .downMirrored: [4, 5, 6, 1, 2, 3], .leftMirrored: [1, 4, 2, 5, 3, 6], .right: [4, 1, 5, 2, 6, 3],
      .rightMirrored: [6, 3, 5, 2, 4, 1], .left: [3, 6, 2, 5, 1, 4],
    ]
    for orientation in Orientation.allCases {
      let turned = image.oriented(orientation)
      #expect(turned.pixels == expected[orientation], "\(orientation)")
      #expect(turned.width == (orientation.swapsAxes ? 2 : 3))
    }
  }

  @Test("Each position is undone by its inverse, at sizes that span tiles")
  func inverses() {
    var random = RandomStream(seed: 11)
    let image = randomImage(width: 70, height: 45, channelCount: 3, using: &random)
    for orientation in Orientation.allCases {
      let inverse: Orientation = orientation == .right ? .left : orientation == .left ? .right : orientation
      #expect(image.oriented(orientation).oriented(inverse) == image, "\(orientation)")
    }
    #expect(image.mirrored() == image.oriented(.upMirrored))
  }

  @Test("An image without pixels keeps none")
  func empty() {
    let image = ByteImage(width: 0, height: 4, channelCount: 3, pixels: [])
    #expect(image.oriented(.right).size == PixelSize(width: 4, height: 0))
    #expect(image.mirrored() == image)
  }
}
