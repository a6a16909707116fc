import Features
import Imaging
import TestSupport
import Testing

struct HOGPictureTests {
  /// A filter that likes vertical edges (gradient along x) in its only cell and dislikes horizontal ones.
  @Test func strokesRunAlongTheEdge() {
    var filter = [Float](repeating: 0, count: 31)
    filter[18] = 1
    filter[18 + 4] = -0.5
    filter[18 + 5] = -0.5
    let picture = HOGPicture(.felzenszwalb(FelzenszwalbHOG()), cellSide: 21)
      .picture(ofFilter: filter, size: MapSize(rows: 1, columns: 1))
    #expect(picture.width == 21 + 4 + 21 && picture.height == 21 && picture.channelCount == 1)
    func pixel(_ x: Int, _ y: Int) -> UInt8 { picture.pixels[y * picture.width + x] }
    // Left: a white vertical stroke. Right: a grey, nearly horizontal one. Between: the line.
    #expect(pixel(10, 2) == 255 && pixel(10, 18) == 255 && pixel(3, 10) == 0 && pixel(17, 10) == 0)
    #expect(pixel(25 + 10, 10) == 128 && pixel(25 + 10, 2) == 0 && pixel(25 + 10, 18) == 0)
    #expect(pixel(25 + 5, 11) > 0 || pixel(25 + 5, 9) > 0)
    #expect((21..<25).allSatisfy { pixel($0, 10) == 128 })
  }

  @Test func blocksShareTheirCells() {
    let hog = DalalTriggsHOG()
    let image = patternImage(width: 64, height: 48, channelCount: 1, seed: 3)
    let picture = HOGPicture(.dalalTriggs(hog), cellSide: 10).picture(of: hog.blockMap(of: image))
    #expect(picture.width == 80 && picture.height == 60)
    #expect(picture.pixels.max() ?? 0 > 240)
    // Blocks off the grid of cells are drawn as one cell each.
    let sparse = DalalTriggsHOG(blockStride: 5)
    let map = sparse.blockMap(of: image)
    let other = HOGPicture(.dalalTriggs(sparse), cellSide: 10).picture(of: map)
    #expect(other.width == 10 * map.columns && other.height == 10 * map.rows)
  }

  @Test func aMapOfZerosIsBlack() {
    let image = ByteImage(width: 40, height: 40, channelCount: 1, filledWith: 7)
    for features in [HOGFeatures.felzenszwalb(FelzenszwalbHOG()), .dalalTriggs(DalalTriggsHOG())] {
      let picture = HOGPicture(features).picture(of: features.map(of: image))
      #expect(picture.pixels.allSatisfy { $0 == 0 })
    }
  }
}
