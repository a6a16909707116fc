import Execution
import Features
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

struct HOGFeaturesTests {
  private let variants: [HOGFeatures] = [
    .dalalTriggs(DalalTriggsHOG()), .dalalTriggs(.openCV),
    .dalalTriggs(DalalTriggsHOG(cellSize: 6, blockCells: 3, blockStride: 5, binCount: 7)),
    .felzenszwalb(FelzenszwalbHOG(cellSize: 8)), .felzenszwalb(FelzenszwalbHOG(cellSize: 5)),
    .felzenszwalbWithPatterns(PatternedHOG(cellSize: 8, patternNorm: 0.3)),
    .dalalTriggsStack(
      DalalTriggsStack(layers: [DalalTriggsHOG(binCount: 7), DalalTriggsHOG(binCount: 4, colourDifference: .redGreen)])),
    .dalalTriggs(DalalTriggsHOG(gradientReach: 3)),
  ]

  @Test func optionsSurviveJSON() throws {
    for features in variants {
      let data = try JSONEncoder().encode(features)
      #expect(try JSONDecoder().decode(HOGFeatures.self, from: data) == features)
    }
    let text = try JSONEncoder().encode(HOGFeatures.felzenszwalb(FelzenszwalbHOG(cellSize: 6)))
    #expect(String(decoding: text, as: UTF8.self) == #"{"felzenszwalb":{"cellSize":6}}"#)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(HOGFeatures.self, from: Data("{}".utf8)) }
  }

  @Test func aLineSaysWhatTheyAre() {
    let layers = [
      DalalTriggsHOG(), DalalTriggsHOG(binCount: 18, orientation: .signed),
      DalalTriggsHOG(colourDifference: .blueYellow, gradientReach: 3),
    ]
    #expect(
      HOGFeatures.dalalTriggsStack(DalalTriggsStack(layers: layers)).summary
        == "Dalal-Triggs HOG, blocks of 2 x 2 cells of 8 pixels, one every 8: 9 unsigned orientations; 18 signed "
        + "orientations; 9 unsigned orientations of gradients that reach 3 pixels in blue less yellow")
    #expect(
      HOGFeatures.felzenszwalbWithPatterns(PatternedHOG(cellSize: 4)).summary
        == "Felzenszwalb HOG and local binary patterns, cells of 4 pixels")
    #expect(Set(variants.map(\.summary)).count == variants.count - 1, "OpenCV's window is not told")
  }

  @Test func mapsHaveTheSizeThatIsPromised() {
    for features in variants {
      for (width, height) in [(64, 128), (67, 131), (3, 80), (16, 16), (1, 1)] {
        let image = patternImage(width: width, height: height, channelCount: 3, seed: 2)
        for padding in [0, 3] {
          let map = features.map(of: image, padding: padding)
          #expect(map.size == features.mapSize(forImage: image.size, padding: padding))
          #expect(map.channelCount == features.channelCount && map.channelStride == features.channelStride)
        }
      }
    }
  }

  @Test func windowsAndPlacesConvert() {
    let person = PixelSize(width: 64, height: 128)
    #expect(variants[0].windowMapSize(person) == MapSize(rows: 15, columns: 7))
    #expect(variants[0].windowSize(MapSize(rows: 15, columns: 7)) == person)
    #expect(variants[3].windowMapSize(person) == MapSize(rows: 16, columns: 8))
    #expect(variants[3].windowSize(MapSize(rows: 16, columns: 8)) == person)
  }

  @Test func aMapFilledIntoOldMemoryIsTheSame() {
    let large = noiseImage(width: 120, height: 100, channelCount: 3, seed: 1)
    let small = noiseImage(width: 61, height: 77, channelCount: 1, seed: 2)
    for features in variants {
      var map = features.map(of: large)
      for image in [small, large, small] {
        features.fill(&map, with: image, padding: 1)
        #expect(map == features.map(of: image, padding: 1))
      }
    }
  }

  @Test func mirroringTwiceChangesNothing() throws {
    for features in variants {
      let size = MapSize(rows: 3, columns: 4)
      var random = RandomStream(seed: 12)
      let filter = (0..<size.count * features.channelCount).map { _ in Float(random.uniform()) }
      let once = try #require(features.mirrored(filter, size: size))
      #expect(once != filter)
      #expect(features.mirrored(once, size: size) == filter)
    }
  }

  @Test func unusableOptionsAreNamed() {
    let broken: [(HOGFeatures, String)] = [
      (.dalalTriggs(DalalTriggsHOG(cellSize: 1)), "cellSize"), (.dalalTriggs(DalalTriggsHOG(binCount: 0)), "binCount"),
      (.dalalTriggs(DalalTriggsHOG(blockStride: 0)), "blockStride"),
      (.dalalTriggs(DalalTriggsHOG(blockWindow: .gaussian(sigma: .nan))), "blockWindow.sigma"),
      (.dalalTriggs(DalalTriggsHOG(clip: 0)), "clip"), (.felzenszwalb(FelzenszwalbHOG(cellSize: 1)), "cellSize"),
      (.felzenszwalbWithPatterns(PatternedHOG(cellSize: 1)), "cellSize"),
      (.felzenszwalbWithPatterns(PatternedHOG(patternNorm: .nan)), "patternNorm"),
    ]
    for (features, field) in broken {
      let error = #expect(throws: InputError.self) { try features.validate(source: "model.json") }
      #expect(error?.field == field)
      #expect(error?.source == "model.json")
    }
    for features in variants { #expect(throws: Never.self) { try features.validate(source: "model.json") } }
  }
}
