import Execution
import Features
import Geometry
import Imaging
import TestSupport
import Testing

struct DalalTriggsHOGTests {
  @Test(arguments: Golden.all("opencv"))
  func agreesWithOpenCV(golden: Golden) throws {
    let window = PixelSize(width: golden.width, height: golden.height)
    let image = patternImage(
      width: golden.width, height: golden.height, channelCount: golden.channels, seed: golden.seed)
    let hog = DalalTriggsHOG(
      cellSize: try #require(golden.cell), blockStride: try #require(golden.stride),
      binCount: try #require(golden.bins), orientation: golden.signed == true ? .signed : .unsigned,
      gamma: golden.gamma == true ? .squareRoot : .none,
      blockWindow: .gaussianBesideCentre(sigma: try #require(golden.sigma)))
    let difference = largestDifference(
      hog.openCVVector(from: hog.descriptor(of: image), window: window), try golden.values())
    #expect(difference < golden.tolerance, "largest difference \(difference)")
  }

  @Test func goldensAreThere() { #expect(Golden.all("opencv").count == 7) }

  @Test func aPersonWindowHas3780Values() {
    let window = PixelSize(width: 64, height: 128)
    #expect(DalalTriggsHOG().mapSize(for: window) == MapSize(rows: 15, columns: 7))
    let image = patternImage(width: 64, height: 128, channelCount: 3, seed: 1)
    #expect(DalalTriggsHOG().descriptor(of: image).count == 3780)
  }

  /// A ramp of one step a pixel: each gradient is (2, 0), of which bins 8 and 0 get one each, the same in every cell.
  @Test func aRampByHand() {
    var image = ByteImage(width: 34, height: 34, channelCount: 1, filledWith: 0)
    for y in 0..<34 { for x in 0..<34 { image.pixels[y * 34 + x] = UInt8(100 + x) } }
    let hog = DalalTriggsHOG(gamma: .none, blockWindow: .uniform, clip: 1)
    let map = hog.blockMap(of: image)
    #expect(map.size == MapSize(rows: 3, columns: 3))
    // A cell's votes: along a side, the weights of the 12 pixels in reach of its centre, each a gradient of 2.
    var side = 0.0
    for pixel in 0..<16 {
      let position = (Double(pixel) + 0.5) / 8 - 0.5
      side += max(0, 1 - abs(position))
    }
    let vote = Float(side * side)
    let norm = (8 * vote * vote).squareRoot()
    let scaled = vote / (norm + 3.6)
    let expected = scaled / ((8 * scaled * scaled).squareRoot() + 0.001)
    for channel in 0..<36 {
      let bin = channel / 4
      #expect(abs(map[1, 1, channel] - (bin == 0 || bin == 8 ? expected : 0)) < 1e-5, "channel \(channel)")
    }
  }

  @Test(arguments: testSeeds)
  func agreesWithTheOracle(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let cell = 2 + random.index(below: 9)
    let cells = seed.isMultiple(of: 2) ? 2 : 1 + random.index(below: 3)
    let strideInPixels = seed.isMultiple(of: 2) ? cell : 1 + random.index(below: 9)
    let bins = 2 * (1 + random.index(below: 9))
    let signed = random.index(below: 2) == 1
    let sigma = 2 + 6 * random.uniform()
    let hog = DalalTriggsHOG(
      cellSize: cell, blockCells: cells, blockStride: strideInPixels, binCount: bins,
      orientation: signed ? .signed : .unsigned, gamma: random.index(below: 2) == 1 ? .squareRoot : .none,
      blockWindow: .gaussian(sigma: sigma), clip: 0.15)
    let image = noiseImage(
      width: cells * cell + random.index(below: 30), height: cells * cell + random.index(below: 30),
      channelCount: seed.isMultiple(of: 3) ? 1 : 3, seed: seed)
    let padding = PixelSize(width: random.index(below: 20), height: random.index(below: 60))
    let map = hog.blockMap(of: image, padding: padding)
    let centre = Double(cells * cell - 1) / 2
    for row in 0..<map.rows {
      for column in 0..<map.columns {
        let block = HOGOracle.block(
          image, x0: column * strideInPixels - padding.width, y0: row * strideInPixels - padding.height,
          cellSize: cell, cells: cells, bins: bins, signed: signed, squareRoot: hog.gamma == .squareRoot, clip: 0.15,
          window: { offset in
            let t = (Double(offset) - centre) / sigma
            return exponential(-t * t / 2)
          })
        var largest = 0.0
        for cellRow in 0..<cells {
          for cellColumn in 0..<cells {
            for bin in 0..<bins {
              let channel = hog.channel(cellRow: cellRow, cellColumn: cellColumn, bin: bin)
              largest = max(largest, abs(Double(map[row, column, channel]) - block[cellRow][cellColumn][bin]))
            }
          }
        }
        #expect(largest < 1e-4, "seed \(seed), row \(row), column \(column)")
      }
    }
  }

  /// The kernels work on 8 pixels at once and run over a row's end; cells of 8 pixels with 9 bins have loops of their own.
  @Test(arguments: 1...40)
  func everyWidthAgreesWithTheOracle(width: Int) {
    for channels in [1, 3] {
      for (cell, bins) in [(8, 9), (8, 10), (5, 9)] {
        let hog = DalalTriggsHOG(
          cellSize: cell, blockStride: cell, binCount: bins, blockWindow: .gaussian(sigma: Double(cell)))
        let image = noiseImage(width: width, height: 21, channelCount: channels, seed: UInt64(width))
        for padding in [PixelSize(width: 0, height: 0), PixelSize(width: 2 * cell, height: cell)] {
          let map = hog.blockMap(of: image, padding: padding)
          #expect(map.columns == max(0, (width + 2 * padding.width) / cell - 1))
          let difference = largestDifferenceFromTheOracle(map, hog, image, padding: padding, sigma: Double(cell))
          #expect(difference < 1e-4, "\(width) pixels of \(channels) channels, \(cell), \(bins), \(padding)")
        }
      }
    }
  }

  private func largestDifferenceFromTheOracle(
    _ map: FeatureMap, _ hog: DalalTriggsHOG, _ image: ByteImage, padding: PixelSize, sigma: Double
  ) -> Double {
    let centre = Double(hog.blockSize - 1) / 2
    var largest = 0.0
    for row in 0..<map.rows {
      for column in 0..<map.columns {
        let block = HOGOracle.block(
          image, x0: column * hog.blockStride - padding.width, y0: row * hog.blockStride - padding.height,
          cellSize: hog.cellSize, cells: hog.blockCells, bins: hog.binCount, signed: hog.orientation == .signed,
          squareRoot: hog.gamma == .squareRoot, clip: Double(hog.clip),
          window: { offset in
            let t = (Double(offset) - centre) / sigma
            return exponential(-t * t / 2)
          })
        for cellRow in 0..<hog.blockCells {
          for cellColumn in 0..<hog.blockCells {
            for bin in 0..<hog.binCount {
              let value = map[row, column, hog.channel(cellRow: cellRow, cellColumn: cellColumn, bin: bin)]
              // A value that is no number differs most of all.
              let difference = abs(Double(value) - block[cellRow][cellColumn][bin])
              largest = difference <= largest ? largest : difference.isNaN ? .infinity : difference
            }
          }
        }
      }
    }
    return largest
  }

  @Test func aConstantImageGivesZeros() {
    for channels in [1, 3] {
      let image = ByteImage(width: 50, height: 40, channelCount: channels, filledWith: 200)
      let map = DalalTriggsHOG().blockMap(of: image)
      #expect(map.size == MapSize(rows: 4, columns: 5))
      #expect(map.values.allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: testSeeds)
  func aMirroredImageGivesTheMirroredMap(seed: UInt64) throws {
    let image = noiseImage(width: 48, height: 40, channelCount: 3, seed: seed)
    for orientation in DalalTriggsHOG.Orientation.allCases {
      let bins = orientation == .signed ? 18 : 9
      let features = HOGFeatures.dalalTriggs(DalalTriggsHOG(binCount: bins, orientation: orientation))
      let map = features.map(of: image)
      let mirrored = try #require(features.mirrored(map.values, size: map.size))
      #expect(largestDifference(features.map(of: mirroredImage(image)).values, mirrored) < 1e-4, "seed \(seed)")
    }
  }

  @Test func anOddNumberOfSignedBinsHasNoMirror() {
    #expect(DalalTriggsHOG(binCount: 9, orientation: .signed).mirroredChannelOrder == nil)
  }

  /// Without gamma, twice the contrast changes a block by no more than the small constant of its norm.
  @Test func contrastHardlyMatters() {
    var dim = noiseImage(width: 40, height: 40, channelCount: 1, seed: 4)
    dim.pixels = dim.pixels.map { $0 / 2 }
    var bright = dim
    bright.pixels = dim.pixels.map { $0 * 2 }
    let hog = DalalTriggsHOG(gamma: .none)
    #expect(largestDifference(hog.blockMap(of: dim).values, hog.blockMap(of: bright).values) < 2e-3)
  }

  /// A window inside an image holds the blocks of the whole image's map: shifts by whole strides shift the map.
  @Test func aCropWithItsNeighboursHoldsTheSameBlocks() {
    let image = patternImage(width: 97, height: 81, channelCount: 3, seed: 9)
    var crop = ByteImage(width: 64, height: 48, channelCount: 3, filledWith: 0)
    for y in 0..<48 {
      for index in 0..<64 * 3 { crop.pixels[y * 64 * 3 + index] = image.pixels[((y + 16) * 97 + 8) * 3 + index] }
    }
    let whole = DalalTriggsHOG.openCV.blockMap(of: image)
    let part = DalalTriggsHOG.openCV.blockMap(of: crop)
    for row in 1..<part.rows - 1 {
      for column in 1..<part.columns - 1 {
        for channel in 0..<36 {
          #expect(abs(part[row, column, channel] - whole[row + 2, column + 1, channel]) < 1e-6)
        }
      }
    }
  }

  @Test func openCVOrderAndBack() {
    let hog = DalalTriggsHOG.openCV
    let window = PixelSize(width: 24, height: 32)
    let vector = (0..<2 * 3 * 36).map { Float($0) }
    let filter = hog.filter(fromOpenCV: vector, window: window)
    #expect(hog.openCVVector(from: filter, window: window) == vector)
    // Row 1, column 1, cell row 0, cell column 1, bin 5: OpenCV's block 1 * 3 + 1, cell 1 * 2 + 0.
    let place = (1 * 2 + 1) * 36 + hog.channel(cellRow: 0, cellColumn: 1, bin: 5)
    #expect(filter[place] == Float((1 * 3 + 1) * 36 + 2 * 9 + 5))
  }

  @Test func smallImagesGiveEmptyMaps() {
    for (width, height) in [(0, 0), (1, 1), (15, 40), (40, 15)] {
      let image = ByteImage(width: width, height: height, channelCount: 1, filledWith: 9)
      let map = DalalTriggsHOG().blockMap(of: image)
      #expect(map.size.count == 0)
      #expect(map.values.isEmpty)
    }
    let padded = HOGFeatures.dalalTriggs(DalalTriggsHOG()).map(
      of: ByteImage(width: 1, height: 1, channelCount: 3, filledWith: 9), padding: 2)
    #expect(padded.size == MapSize(rows: 3, columns: 3))
    #expect(padded.values.allSatisfy { $0 == 0 })
  }
}
