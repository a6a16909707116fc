import Features
import Geometry
import Testing

@Suite("Features of a window")
struct HaarEnumerationTests {
  /// Printed by opencv_traincascade 3.4.18 ("Number of unique features given windowSize") for these windows.
  static let golden: [(width: Int, height: Int, basic: Int, core: Int, all: Int, patterns: Int)] = [
    (24, 24, 162_336, 210_400, 261_600, 8464), (20, 20, 78_460, 101_329, 125_199, 3969),
    (30, 20, 175_995, 228_105, 277_035, 9135), (19, 14, 34_855, 44_755, 54_007, 1710),
    (8, 8, 2056, 2569, 3001, 81), (5, 7, 609, 746, 832, 21),
  ]

  @Test("there are as many as opencv_traincascade 3.4.18 counts", arguments: golden.indices)
  func counts(_ index: Int) {
    let row = HaarEnumerationTests.golden[index]
    let window = PixelSize(width: row.width, height: row.height)
    #expect(HaarFeatureSet.basic.features(in: window).count == row.basic)
    #expect(HaarFeatureSet.core.features(in: window).count == row.core)
    #expect(HaarFeatureSet.all.features(in: window).count == row.all)
    #expect(BlockPattern.all(in: window).count == row.patterns)
  }

  @Test("a window of 3 x 2 has its features in the order of corner, part and kind")
  func order() {
    let features = HaarFeatureSet.basic.features(in: PixelSize(width: 3, height: 2))
    func box(_ x: Int, _ y: Int, _ w: Int, _ h: Int, _ weight: Float) -> HaarFeature.WeightedBox {
      HaarFeature.WeightedBox(x: x, y: y, width: w, height: h, weight: weight)
    }
    let expected = [
      HaarFeature(boxes: [box(0, 0, 2, 1, -1), box(1, 0, 1, 1, 2)]),
      HaarFeature(boxes: [box(0, 0, 1, 2, -1), box(0, 1, 1, 1, 2)]),
      HaarFeature(boxes: [box(0, 0, 3, 1, -1), box(1, 0, 1, 1, 2)]),
      HaarFeature(boxes: [box(0, 0, 2, 2, -1), box(0, 0, 1, 1, 2), box(1, 1, 1, 1, 2)]),
      // The part is one wide and two high: edges and lines across.
      HaarFeature(boxes: [box(0, 0, 2, 2, -1), box(1, 0, 1, 2, 2)]),
      HaarFeature(boxes: [box(0, 0, 3, 2, -1), box(1, 0, 1, 2, 2)]),
      // Two wide, one high.
      HaarFeature(boxes: [box(0, 0, 2, 2, -1), box(0, 1, 2, 1, 2)]),
      // Three wide, one high.
      HaarFeature(boxes: [box(0, 0, 3, 2, -1), box(0, 1, 3, 1, 2)]),
      HaarFeature(boxes: [box(0, 1, 2, 1, -1), box(1, 1, 1, 1, 2)]),
      HaarFeature(boxes: [box(0, 1, 3, 1, -1), box(1, 1, 1, 1, 2)]),
    ]
    #expect(Array(features.prefix(10)) == expected)
  }

  @Test("the turned features of a window of 4 x 4 that begin at its top, in OpenCV's weights")
  func turned() {
    let window = PixelSize(width: 4, height: 4)
    let core = Set(HaarFeatureSet.core.features(in: window))
    let turned = HaarFeatureSet.all.features(in: window).filter { !core.contains($0) }
    #expect(!turned.contains { !$0.isTilted })
    func box(_ x: Int, _ y: Int, _ w: Int, _ h: Int, _ weight: Float) -> HaarFeature.WeightedBox {
      HaarFeature.WeightedBox(x: x, y: y, width: w, height: h, weight: weight)
    }
    func tilted(_ boxes: HaarFeature.WeightedBox...) -> HaarFeature { HaarFeature(boxes: boxes, isTilted: true) }
    // An edge down to the right, an edge down to the left, and a line each way.
    #expect(turned.contains(tilted(box(1, 0, 2, 1, -1), box(1, 0, 1, 1, 2))))
    #expect(turned.contains(tilted(box(2, 0, 1, 2, -1), box(2, 0, 1, 1, 2))))
    #expect(turned.contains(tilted(box(1, 0, 3, 1, -1), box(2, 1, 1, 1, 3))))
    #expect(turned.contains(tilted(box(3, 0, 1, 3, -1), box(2, 1, 1, 1, 3))))
  }

  @Test("all lie in the window, and none comes twice", arguments: HaarFeatureSet.allCases)
  func insideAndDistinct(_ set: HaarFeatureSet) {
    let window = PixelSize(width: 9, height: 11)
    let features = set.features(in: window)
    #expect(Set(features).count == features.count)
    for feature in features {
      for box in feature.boxes {
        if feature.isTilted {
          #expect(box.x - box.height >= 0 && box.x + box.width <= 9 && box.y >= 0)
          #expect(box.y + box.width + box.height <= 11)
        } else {
          #expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= 9 && box.y + box.height <= 11)
        }
      }
    }
  }

  @Test("a window too small for any has none")
  func tooSmall() {
    #expect(BlockPattern.all(in: PixelSize(width: 2, height: 9)).isEmpty)
    #expect(HaarFeatureSet.all.features(in: PixelSize(width: 1, height: 1)).isEmpty)
  }

  @Test("Features are counted without being listed")
  func counts() {
    for (width, height) in [(1, 1), (2, 2), (3, 3), (3, 7), (8, 5), (12, 12), (19, 14), (24, 24), (30, 20), (0, 4)] {
      let window = PixelSize(width: width, height: height)
      for set in HaarFeatureSet.allCases where width > 0 {
        #expect(set.featureCount(in: window) == set.features(in: window).count, "\(set) \(window)")
      }
      #expect(BlockPattern.count(in: window) == BlockPattern.all(in: window).count, "\(window)")
    }
    // Numbers of windows that nobody wants to list.
    #expect(HaarFeatureSet.all.featureCount(in: PixelSize(width: 24, height: 24)) == 261_600)
    #expect(BlockPattern.count(in: PixelSize(width: 255, height: 255)) == 116_532_025)
  }
}
