import Detection
import Execution
import Features
import Foundation
import Geometry
import Imaging
import Learning
import TestSupport
import Testing

@testable import Interchange

struct OpenCVCascadeTests {
  static let names = ["haar", "tilted", "patterns", "pattern-trees", "old"]

  static func fixture(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/Interchange/\(name)")
  }

  /// The picture of `make_opencv_cascades.py`.
  static func picture(width: Int, height: Int) -> ByteImage {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let wave = (x * x * 3 + y * y * 5 + x * y * 7) / 64 % 200
        pixels.append(UInt8(wave + (x / 8 + y / 8) % 2 * 55))
      }
    }
    return ByteImage(width: width, height: height, channelCount: 1, pixels: pixels)
  }

  private static let stump = """
    <?xml version="1.0"?>
    <opencv_storage>
    <cascade><stageType>BOOST</stageType><featureType>HAAR</featureType><height>8</height><width>6</width>
    <featureParams><maxCatCount>0</maxCatCount></featureParams>
    <stageNum>1</stageNum>
    <stages><_><stageThreshold>5.0000000000000000e-001</stageThreshold>
    <weakClassifiers><_><internalNodes>0 -1 0 1.25</internalNodes>
    <leafValues>-1. 2.5e-1</leafValues></_></weakClassifiers></_></stages>
    <features><_><rects><_>0 1 6 4 -1.</_><_>
      2 1 2 4 3.</_></rects></_></features></cascade>
    </opencv_storage>
    """

  private func decode(_ text: String) throws -> CascadeDetector {
    try OpenCVCascade.decode(Array(text.utf8), source: "c.xml", label: "face")
  }

  @Test func readsAStump() throws {
    let detector = try decode(OpenCVCascadeTests.stump)
    #expect(detector.windowSize == PixelSize(width: 6, height: 8) && detector.label == "face")
    #expect(
      detector.features
        == .haar([
          HaarFeature(boxes: [
            .init(x: 0, y: 1, width: 6, height: 4, weight: -1), .init(x: 2, y: 1, width: 2, height: 4, weight: 3),
          ])
        ]))
    #expect(
      detector.stages
        == [
          CascadeStage(
            trees: [
              DecisionTree(
                nodes: [.init(feature: 0, split: .below(1.25), left: .leaf(0), right: .leaf(1))], leaves: [-1, 0.25])
            ], threshold: Float(0.5) - Float(1e-5))
        ])
    #expect(detector.scanOptions == .openCVCascade)
  }

  /// What is changed, and what the error must say.
  @Test(arguments: [
    ("<featureType>HAAR", "<featureType>HOG", "c.xml:3: featureType: HOG cascades are not read"),
    ("<featureType>HAAR", "<featureType>LBP", "c.xml:4: maxCatCount: another number of categories"),
    ("<featureType>HAAR", "<featureType>SIFT", "c.xml:3: featureType: a kind of feature that is not known"),
    ("BOOST", "FOREST", "c.xml:3: stageType"),
    ("<stageType>BOOST</stageType>", "", "c.xml:3: cascade: is no OpenCV cascade"),
    ("opencv_storage>", "annotation>", "c.xml:2: is no OpenCV cascade"),
    ("<width>6", "<width>0x6", "c.xml:3: width: no finite number: found \"0x6\""),
    ("0 -1 0 1.25", "0 -1 0 0x1p3", "c.xml:7: internalNodes: no finite number"),
    ("</height>", "</height><height>9</height>", "c.xml:3: cascade: has <height> twice"),
    ("</rects>", "</rects>\n<rects></rects>", "c.xml:11: _: has <rects> twice"),
    ("<width>6", "<width>\u{0}6", "c.xml:3: is not well-formed XML: a control character: found the byte 0"),
    ("<width>6", "<width>&#1;6", "c.xml:3: is not well-formed XML: reference to invalid character number"),
    ("<width>6", "<width>-6", "c.xml:3: cascade: is no usable detection window"),
    ("<width>6", "<width>1e99", "c.xml:3: width: no whole number"),
    ("<width>6", "<width>6 6", "c.xml:3: width: not one number"),
    ("<width>6", "<width>100000", "c.xml:3: cascade: is no usable detection window"),
    ("<stageNum>1", "<stageNum>1000000000", "c.xml:5: stageNum: another number of stages"),
    ("0 -1 0 1.25", "0 -1 1 1.25", "c.xml:7: stage 0, tree 0: names a feature that does not exist"),
    ("0 -1 0 1.25", "0 -1 -1 1.25", "c.xml:7: stage 0, tree 0: names a feature that does not exist"),
    ("0 -1 0 1.25", "0 0 0 1.25", "c.xml:7: stage 0, tree 0: node 0 leads to a leaf"),
    ("0 -1 0 1.25", "0 -2 0 1.25", "c.xml:7: stage 0, tree 0: node 0 leads to a leaf"),
    ("0 -1 0 1.25", "1 -1 0 1.25", "c.xml:7: stage 0, tree 0: node 0 leads to a node"),
    ("0 -1 0 1.25", "0 -1 0 1.25 1 0 0 2", "c.xml:7: stage 0, tree 0: has another number of leaves"),
    ("0 -1 0 1.25", "0 -1 0", "c.xml:7: internalNodes: no whole number of nodes"),
    ("0 -1 0 1.25", "0 -1 0 nan", "c.xml:7: internalNodes: no finite number"),
    ("0 -1 0 1.25", "0 -1 0.5 1.25", "c.xml:7: internalNodes: no index"),
    ("2.5e-1", "2.5e300", "c.xml:7: stage 0, tree 0: has a leaf that is no finite number"),
    ("2.5e-1", "", "c.xml:7: stage 0, tree 0: has another number of leaves"),
    ("2 1 2 4 3.", "5 1 2 4 3.", "c.xml:9: feature 0: a box that does not lie in the window"),
    ("2 1 2 4 3.", "2 1 2 8 3.", "c.xml:9: feature 0: a box that does not lie in the window"),
    ("2 1 2 4 3.", "9e18 1 2 4 3.", "c.xml:9: _: no box of whole pixels"),
    ("2 1 2 4 3.", "2 1 2 4", "c.xml:9: _: no box"),
    ("</rects>", "</rects><tilted>1</tilted>", "c.xml:9: feature 0: a tilted box that does not lie in the window"),
    ("<weakClassifiers>", "<weak>", "c.xml:8: is not well-formed XML"),
    ("<stageThreshold>5.0", "<stageThreshold>5.0.0", "c.xml:6: stageThreshold: no finite number"),
    ("<?xml version=\"1.0\"?>", "<!DOCTYPE a [<!ENTITY x SYSTEM \"/etc/passwd\">]>", "c.xml:1: has a document type"),
  ]) func namesWhatIsWrong(_ old: String, _ new: String, _ message: String) {
    let text = OpenCVCascadeTests.stump.replacingOccurrences(of: old, with: new)
    do {
      _ = try decode(text)
      Issue.record("\(new) was read")
    } catch {
      #expect(error is InputError && "\(error)".hasPrefix(message), "\(error)")
    }
  }

  @Test func otherFilesAreRefused() {
    for text in ["", "   ", "%YAML:1.0\n---\n", "{}", "<a/>", "<opencv_storage></opencv_storage>", "1 2 3"] {
      #expect(throws: InputError.self) { try decode(text) }
    }
    #expect(throws: InputError.self) { try OpenCVCascade.read("/nonexistent/cascade.xml") }
    #expect(throws: InputError.self) { try OpenCVCascade.read("/tmp") }
    let deep = "<opencv_storage>" + String(repeating: "<_>", count: 100_000)
    #expect(throws: InputError.self) { try decode(deep) }
    let wide = "<opencv_storage>" + String(repeating: "<_/>", count: OpenCVCascade.elementLimit + 1)
    #expect(throws: InputError.self) { try decode(wide) }
  }

  @Test(arguments: names) func writesWhatItReads(_ name: String) throws {
    let detector = try OpenCVCascade.read(OpenCVCascadeTests.fixture("cascade-\(name).xml").path)
    let text = try OpenCVCascade.text(detector)
    let again = try decode(text)
    #expect(again.features == detector.features && again.stages == detector.stages)
    #expect(again.windowSize == detector.windowSize)
    #expect(try OpenCVCascade.text(again) == text)
    let path = NSTemporaryDirectory() + "windhover-\(ProcessInfo.processInfo.processIdentifier)-\(name).xml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try OpenCVCascade.write(detector, to: path)
    #expect(try OpenCVCascade.read(path).stages == detector.stages)
  }

  @Test(arguments: testSeeds) func thresholdsComeBack(_ seed: UInt64) {
    var random = RandomStream(seed: seed)
    for _ in 0..<2000 {
      let scale = pow(10, random.uniform(in: -7..<3))
      // As a file would say it.
      let said = Float(random.uniform(in: -1..<1) * scale)
      let kept = said - OpenCVCascade.thresholdMargin
      #expect(OpenCVCascade.fileThreshold(kept) - OpenCVCascade.thresholdMargin == kept, "seed \(seed), \(said)")
      // As a trainer would set it: never stricter, and as near as single precision comes.
      let set = Float(random.uniform(in: -1..<1) * scale)
      let read = OpenCVCascade.fileThreshold(set) - OpenCVCascade.thresholdMargin
      #expect(read <= set && set - read <= max(abs(set), 1e-5).ulp * 2, "seed \(seed), \(set)")
    }
  }

  @Test func softCascadesAreNotWritten() throws {
    var detector = try OpenCVCascade.read(OpenCVCascadeTests.fixture("cascade-haar.xml").path)
    var stages = detector.stages
    stages[0].trace = stages[0].trees.map { _ in -1 }
    detector = CascadeDetector(
      windowSize: detector.windowSize, features: detector.features, stages: stages, label: "a")
    #expect(throws: InputError.self) { try OpenCVCascade.text(detector) }
  }

  // MARK: Damage

  @Test(arguments: names) func cutFilesAreRefused(_ name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: OpenCVCascadeTests.fixture("cascade-\(name).xml")))
    for tenth in 0..<10 {
      let cut = Array(bytes[..<(bytes.count * tenth / 10)])
      #expect(throws: InputError.self) { try OpenCVCascade.decode(cut, source: "c.xml") }
    }
  }

  /// A changed bit gives an error with a line, or a cascade that can be scanned with.
  @Test(arguments: names) func flippedBitsAreSafe(_ name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: OpenCVCascadeTests.fixture("cascade-\(name).xml")))
    let image = OpenCVCascadeTests.picture(width: 50, height: 40)
    var refused = 0
    for seed in 0..<UInt64(1000) {
      var random = RandomStream(seed: seed)
      var changed = bytes
      for _ in 0..<1 + random.index(below: 4) {
        changed[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
      }
      do {
        let detector = try OpenCVCascade.decode(changed, source: "c.xml")
        let found = detector.detect(in: image, executor: .serial)
        #expect(found.allSatisfy { $0.score.isFinite && $0.box.isFinite }, "seed \(seed)")
      } catch let error as InputError {
        refused += 1
        #expect(error.line != nil || error.problem == "is not UTF-8 text", "seed \(seed): \(error)")
      }
    }
    #expect(refused > 300)
  }

  // MARK: OpenCV

  private struct Golden: Decodable {
    struct Case: Decodable {
      var cascade: String
      var parameters: [Double]
      var found: [[Double]]?
      var count: Int?
      var sums: [Double]?
    }
    var width: Int
    var height: Int
    var cases: [Case]
  }

  @Test func findsWhatOpenCVFinds() throws {
    let golden = try JSONDecoder().decode(
      Golden.self, from: Data(contentsOf: OpenCVCascadeTests.fixture("opencv_cascades.json")))
    let image = OpenCVCascadeTests.picture(width: golden.width, height: golden.height)
    #expect(golden.cases.count == 25)
    for expected in golden.cases {
      let path = OpenCVCascadeTests.fixture("cascade-\(expected.cascade).xml").path
      let detector = try OpenCVCascade.read(path)
      let sides = expected.parameters.map { Int($0) }
      let margin = Double(detector.stages[detector.stages.count - 1].threshold)
      let found = detector.detectMultiScale(
        in: image, scaleFactor: expected.parameters[0], neighbours: sides[1],
        smallest: PixelSize(width: sides[2], height: sides[3]), largest: PixelSize(width: sides[4], height: sides[5])
      ).map { [$0.box.x, $0.box.y, $0.box.width, $0.box.height, $0.score + margin] }.sorted {
        $0.lexicographicallyPrecedes($1)
      }
      let what: Comment = "\(expected.cascade) \(expected.parameters)"
      if let wanted = expected.found {
        #expect(found.map { $0[..<4] } == wanted.map { $0[..<4] }, what)
        #expect(zip(found, wanted).allSatisfy { abs($0[4] - $1[4]) < 1e-9 }, what)
      } else {
        #expect(found.count == expected.count, what)
        let sums = (0..<5).map { index in found.reduce(0) { $0 + $1[index] } }
        #expect(zip(sums, expected.sums ?? []).allSatisfy { abs($0 - $1) < 1e-5 }, what)
      }
    }
  }
}
