import Detection
import Execution
import Features
import Foundation
import Geometry
import Imaging
import Interchange
import TestSupport
import Testing

@Suite struct OpenCVHOGVectorTests {
  @Test func readsTextAndJSON() throws {
    let plain = try OpenCVHOGVector(text: "0.5\n-1e-3\n\n 2 \r\n-0.25\n", source: "a.txt")
    #expect(plain.weights == [0.5, -0.001, 2] && plain.bias == -0.25)
    #expect(try OpenCVHOGVector(text: "[0.5, -1e-3, 2, -0.25]", source: "a.json") == plain)
    #expect(try OpenCVHOGVector(text: "[[0.5], [-1e-3],\n[2], [-0.25]]", source: "a.json") == plain)
  }

  @Test func namesWhatItCannotRead() {
    func message(_ text: String) -> String {
      do {
        _ = try OpenCVHOGVector(text: text, source: "v.txt")
        return "nothing"
      } catch { return "\(error)" }
    }
    #expect(message("1\n2\nthree\n").hasPrefix("v.txt:3: not a number"))
    #expect(message("1 nan 2").contains("v.txt:1"))
    #expect(message("1e60").contains("v.txt:1"))
    #expect(message("").contains("too short"))
    #expect(message("7").contains("1 numbers"))
    #expect(throws: InputError.self) { try OpenCVHOGVector(path: "/nonexistent/vector.txt") }
    #expect(throws: InputError.self) { try OpenCVHOGVector(path: "/tmp") }
    let short = OpenCVHOGVector(weights: Array(repeating: 0, count: 100), bias: 0)
    #expect(throws: InputError.self) { try short.detector(label: "person") }
  }

  private func madeUpVector() -> OpenCVHOGVector {
    OpenCVHOGVector(weights: (0..<3780).map { Float(0.05 * sin(12.9898 * Double($0))) }, bias: -0.25)
  }

  @Test func comesBackFromDetectorAndText() throws {
    let vector = madeUpVector()
    let detector = try vector.detector(label: "person")
    #expect(detector.components[0].rows == 15 && detector.components[0].columns == 7)
    #expect(try OpenCVHOGVector(detector: detector) == vector)
    #expect(try OpenCVHOGVector(text: vector.text, source: "text") == vector)
    let path = NSTemporaryDirectory() + "windhover-vector-\(ProcessInfo.processInfo.processIdentifier).txt"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try vector.write(to: path)
    #expect(try OpenCVHOGVector(path: path) == vector)
  }

  /// OpenCV takes the strongest channel's gradients, of neighbouring pixels, and one histogram.
  @Test func otherGradientsAndStacksAreRefused() throws {
    let colour = DalalTriggsHOG(colourDifference: .redGreen)
    let window = PixelSize(width: 64, height: 128)
    for features in [
      HOGFeatures.dalalTriggs(colour), .dalalTriggs(DalalTriggsHOG(gradientReach: 2)),
      .dalalTriggsStack(DalalTriggsStack(layers: [DalalTriggsHOG(), colour])),
    ] {
      let size = features.windowMapSize(window)
      let component = HOGComponent(
        label: "person", windowSize: window, objectRegion: Box(x: 0, y: 0, width: 1, height: 1), rows: size.rows,
        columns: size.columns, channelCount: features.channelCount,
        weights: Array(repeating: 0, count: size.count * features.channelCount), bias: 0)
      let detector = HOGDetector(features: features, colour: .rgb, components: [component])
      let error = #expect(throws: InputError.self) { try OpenCVHOGVector(detector: detector) }
      #expect(error?.field == "features")
    }
  }

  @Test func felzenszwalbIsRefused() throws {
    let hog = FelzenszwalbHOG()
    let component = HOGComponent(
      label: "a", windowSize: PixelSize(width: 16, height: 16), objectRegion: Box(x: 0, y: 0, width: 1, height: 1),
      rows: 2, columns: 2, channelCount: 31, weights: Array(repeating: 0, count: 124), bias: 0)
    let detector = HOGDetector(features: .felzenszwalb(hog), colour: .grey, components: [component])
    #expect(throws: InputError.self) { try OpenCVHOGVector(detector: detector) }
  }

  private struct Golden: Decodable {
    struct Case: Decodable {
      var padding: Int
      var group: Int
      var found: [[Double]]
    }
    var width: Int
    var height: Int
    var cases: [Case]
  }

  /// The formulas are those of `Fixtures/Interchange/make_opencv_people.py`.
  @Test func findsWhatOpenCVFinds() throws {
    let golden = try Fixture.decode(Golden.self, "Interchange/opencv_people.json")
    var pixels: [UInt8] = []
    for y in 0..<golden.height {
      for x in 0..<golden.width {
        for c in 0..<3 {
          pixels.append(UInt8(truncatingIfNeeded: (x * x * 3 + y * y * 5 + x * y * 7 + c * 40 * x) >> 6))
        }
      }
    }
    let image = ByteImage(width: golden.width, height: golden.height, channelCount: 3, pixels: pixels)
    let detector = try madeUpVector().detector(label: "person")
    #expect(golden.cases.count == 6 && golden.cases.contains { $0.found.count > 50 })
    for expected in golden.cases {
      var options = detector.scanOptions
      options.padding = expected.padding
      options.suppression = .groupRectangles(RectangleGrouping(threshold: expected.group))
      var found = detector.detect(in: image, options: options)
      let count = found.count
      var missing = 0
      for box in expected.found {
        let match = found.firstIndex { ours in
          abs(ours.box.x - box[0]) <= 2 && abs(ours.box.y - box[1]) <= 2 && abs(ours.box.maxX - box[0] - box[2]) <= 2
            && abs(ours.box.maxY - box[1] - box[3]) <= 2 && abs(ours.score - box[4]) <= 0.002
        }
        if let match { found.remove(at: match) } else { missing += 1 }
      }
      let allowed = expected.found.count / 50
      #expect(
        missing <= allowed,
        "padding \(expected.padding), group \(expected.group): \(missing) of \(expected.found.count)")
      #expect(count - expected.found.count <= allowed, "padding \(expected.padding), group \(expected.group)")
    }
  }
}
