import Execution
import Features
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

struct DalalTriggsStackTests {
  private let colours = DalalTriggsStack(layers: [
    DalalTriggsHOG(binCount: 18, orientation: .signed, blockWindow: .gaussian(sigma: 4)),
    DalalTriggsHOG(blockWindow: .gaussian(sigma: 4), colourDifference: .redGreen),
    DalalTriggsHOG(blockWindow: .gaussian(sigma: 4), colourDifference: .blueYellow, gradientReach: 3),
  ])

  /// A red and a green half: an edge in red less green, of twice the size that it has in either channel, and none in blue
  /// against yellow.
  @Test func anEdgeOfColourByHand() {
    var image = ByteImage(width: 32, height: 16, channelCount: 3, filledWith: 0)
    for y in 0..<16 {
      for x in 0..<32 { image.pixels[(y * 32 + x) * 3 + (x < 16 ? 0 : 1)] = 100 }
    }
    func hog(_ difference: DalalTriggsHOG.ColourDifference?) -> DalalTriggsHOG {
      DalalTriggsHOG(gamma: .none, blockWindow: .uniform, clip: 1, colourDifference: difference)
    }
    // Each row has two pixels with a gradient, 15 and 16, of -200 along x in red less green: votes of 100 in bins 8 and 0.
    let map = hog(.redGreen).blockMap(of: image)
    #expect(map.size == MapSize(rows: 1, columns: 3))
    // In the middle block these are columns 7 and 8, half a pixel from the middle, and the rows' weights add up alike.
    let values = (0..<36).map { map[0, 1, $0] }
    #expect(values[0..<4].allSatisfy { $0 > 0.3 } && values[32..<36].allSatisfy { $0 > 0.3 })
    #expect(values[4..<32].allSatisfy { $0 == 0 })
    // 36 * 0.1 and 0.001 are all that keeps the norm from 1: 8 equal values.
    #expect(abs(values[0] - Float(1 / 8.0.squareRoot())) < 1e-3)
    // Blue less the mean of red and green is -50 on both sides.
    #expect(hog(.blueYellow).blockMap(of: image).values.allSatisfy { $0 == 0 })
    // The strongest channel has the same edge, of half the size.
    #expect((0..<36).allSatisfy { abs(hog(nil).blockMap(of: image)[0, 1, $0] - values[$0]) < 1e-3 })
  }

  @Test func greyHasNoColour() {
    let grey = noiseImage(width: 40, height: 32, channelCount: 1, seed: 5)
    var same = ByteImage(width: 40, height: 32, channelCount: 3, filledWith: 0)
    for index in same.pixels.indices { same.pixels[index] = grey.pixels[index / 3] }
    for difference in DalalTriggsHOG.ColourDifference.allCases {
      for stride in [5, 8] {
        let hog = DalalTriggsHOG(blockStride: stride, colourDifference: difference)
        #expect(hog.blockMap(of: grey).values.allSatisfy { $0 == 0 })
        #expect(hog.blockMap(of: same).values.allSatisfy { $0 == 0 })
      }
    }
  }

  /// By the fast form (stride of one cell) and the general one.
  @Test(arguments: testSeeds)
  func otherGradientsAgreeWithTheOracle(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let cell = 2 + random.index(below: 9)
    let stride = seed.isMultiple(of: 2) ? cell : 1 + random.index(below: 9)
    let difference = [DalalTriggsHOG.ColourDifference.redGreen, .blueYellow, nil][random.index(below: 3)]
    let reach = 1 + random.index(below: 12)
    let hog = DalalTriggsHOG(
      cellSize: cell, blockStride: stride, binCount: 8, orientation: .signed,
      gamma: random.index(below: 2) == 1 ? .squareRoot : .none, blockWindow: .gaussian(sigma: 5), clip: 0.3,
      colourDifference: difference, gradientReach: reach)
    let image = noiseImage(
      width: 2 * cell + random.index(below: 30), height: 2 * cell + random.index(below: 30), channelCount: 3, seed: seed
    )
    let padding = PixelSize(width: random.index(below: 20), height: random.index(below: 40))
    let map = hog.blockMap(of: image, padding: padding)
    var largest = 0.0
    for row in 0..<map.rows {
      for column in 0..<map.columns {
        let block = HOGOracle.block(
          image, x0: column * stride - padding.width, y0: row * stride - padding.height, cellSize: cell, cells: 2,
          bins: 8, signed: true, squareRoot: hog.gamma == .squareRoot, clip: 0.3,
          channelWeights: difference.map { $0 == .redGreen ? [1, -1, 0] : [-0.5, -0.5, 1] }, reach: reach,
          window: { offset in
            let t = (Double(offset) - Double(2 * cell - 1) / 2) / 5
            return exp(-t * t / 2)
          })
        for channel in 0..<32 {
          let expected = block[channel / 2 % 2][channel % 2][channel / 4]
          largest = max(largest, abs(Double(map[row, column, channel]) - expected))
        }
      }
    }
    #expect(map.rows > 0 && largest < 1e-4, "seed \(seed)")
  }

  @Test(arguments: [
    PixelSize(width: 64, height: 128), PixelSize(width: 71, height: 45), PixelSize(width: 9, height: 90),
  ])
  func layersStandSideBySide(size: PixelSize) {
    let odd = DalalTriggsStack(layers: [
      DalalTriggsHOG(cellSize: 6, blockCells: 3, blockStride: 5, binCount: 7),
      DalalTriggsHOG(
        cellSize: 6, blockCells: 3, blockStride: 5, binCount: 5, colourDifference: .redGreen, gradientReach: 4),
    ])
    let image = noiseImage(width: size.width, height: size.height, channelCount: 3, seed: 11)
    for stack in [colours, odd] {
      for padding in [0, 2] {
        // Into memory that holds something else.
        var map = HOGFeatures.dalalTriggsStack(colours).map(
          of: noiseImage(width: 90, height: 70, channelCount: 3, seed: 8))
        HOGFeatures.dalalTriggsStack(stack).fill(&map, with: image, padding: padding)
        #expect(map.channelCount == stack.layers.reduce(0) { $0 + $1.channelCount })
        var first = 0
        for layer in stack.layers {
          let own = HOGFeatures.dalalTriggs(layer).map(of: image, padding: padding)
          #expect(own.size == map.size)
          var different = 0
          for row in 0..<own.rows {
            for column in 0..<own.columns {
              for channel in 0..<own.channelCount where map[row, column, first + channel] != own[row, column, channel] {
                different += 1
              }
            }
          }
          #expect(different == 0)
          first += layer.channelCount
        }
        #expect(
          (0..<map.rows * map.columns).allSatisfy {
            map.values[$0 * map.channelStride + map.channelCount..<($0 + 1) * map.channelStride].allSatisfy { $0 == 0 }
          })
      }
    }
  }

  @Test(arguments: testSeeds)
  func aMirroredImageGivesTheMirroredMap(seed: UInt64) throws {
    let image = noiseImage(width: 48, height: 40, channelCount: 3, seed: seed)
    let features = HOGFeatures.dalalTriggsStack(colours)
    let map = features.map(of: image)
    let mirrored = try #require(features.mirrored(map.values, size: map.size))
    #expect(largestDifference(features.map(of: mirroredImage(image)).values, mirrored) < 1e-4, "seed \(seed)")
    let odd = DalalTriggsStack(layers: [DalalTriggsHOG(), DalalTriggsHOG(orientation: .signed)])
    #expect(odd.mirroredChannelOrder == nil)
  }

  @Test func unusableStacksAreNamed() {
    let broken: [([DalalTriggsHOG], String)] = [
      ([], "layers"), (Array(repeating: DalalTriggsHOG(), count: 17), "layers"),
      ([DalalTriggsHOG(), DalalTriggsHOG(binCount: 1)], "layers[1].binCount"),
      ([DalalTriggsHOG(), DalalTriggsHOG(gradientReach: 0)], "layers[1].gradientReach"),
      ([DalalTriggsHOG(gradientReach: 64), DalalTriggsHOG(gradientReach: 65)], "layers[1].gradientReach"),
      ([DalalTriggsHOG(), DalalTriggsHOG(cellSize: 4)], "layers[1].cellSize"),
      ([DalalTriggsHOG(), DalalTriggsHOG(blockCells: 3)], "layers[1].blockCells"),
      ([DalalTriggsHOG(), DalalTriggsHOG(blockStride: 4)], "layers[1].blockStride"),
    ]
    for (layers, field) in broken {
      let error = #expect(throws: InputError.self) {
        try HOGFeatures.dalalTriggsStack(DalalTriggsStack(layers: layers)).validate(source: "model.json")
      }
      #expect(error?.field == field)
      #expect(error?.source == "model.json")
    }
  }

  /// A step of brightness is seen as far as gradients reach, and by wider masks in more pixels.
  @Test(arguments: [1, 2, 5])
  func aGradientReachesAsFarAsItSays(reach: Int) {
    var image = ByteImage(width: 32, height: 16, channelCount: 1, filledWith: 0)
    for y in 0..<16 { for x in 16..<32 { image.pixels[y * 32 + x] = 100 } }
    // One bin column of a cell of two pixels: which cells have any vote.
    let hog = DalalTriggsHOG(
      cellSize: 2, blockCells: 1, blockStride: 2, gamma: .none, blockWindow: .uniform, clip: 1, gradientReach: reach)
    let map = hog.blockMap(of: image)
    let seen = (0..<16).filter { column in (0..<9).contains { map[3, column, $0] > 0 } }
    #expect(seen == Array((16 - reach) / 2...(15 + reach) / 2))
  }

  /// Models and configurations from before colour differences and other reaches have no such key, and still none is written
  /// for them.
  @Test func plainGradientsLeaveNoTraceInJSON() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(DalalTriggsHOG()), as: UTF8.self)
    #expect(!text.contains("colour") && !text.contains("Reach"))
    #expect(try JSONDecoder().decode(DalalTriggsHOG.self, from: Data(text.utf8)) == DalalTriggsHOG())
    let stack = HOGFeatures.dalalTriggsStack(colours)
    #expect(try JSONDecoder().decode(HOGFeatures.self, from: encoder.encode(stack)) == stack)
  }
}
