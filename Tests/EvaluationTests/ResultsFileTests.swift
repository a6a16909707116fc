import Evaluation
import Execution
import Foundation
import Geometry
import TestSupport
import Testing

struct ResultsFileTests {
  private func parse(_ text: String) throws -> ResultsFile {
    try ResultsFile.parse(Data(text.utf8), source: "r.jsonl")
  }

  private let line =
    #"{"image": "a/b.jpg", "width": 640, "height": 480, "detections": [{"box": [1, 2.5, 30, 4e1], "score": -1.25, "confidence": 0.9, "label": "face"}]}"#

  @Test func theFormOfTheDocumentation() throws {
    let file = try parse(line + "\n")
    #expect(
      file.images == [
        ImageDetections(
          image: "a/b.jpg", width: 640, height: 480,
          detections: [
            Detection(
              box: Box(x: 1, y: 2.5, width: 30, height: 40), score: -1.25, confidence: 0.9, label: "face")
          ])
      ])
    #expect(file.checksum == SHA256.hexDigest(of: Array((line + "\n").utf8)))
  }

  @Test func byteOrderMarkCarriageReturnsBlankLinesAndNoLastNewline() throws {
    let second = #"{"image":"c","detections":[],"extra":{"a":[1,{"b":null}],"t":true}}"#
    let file = try parse("\u{FEFF}" + line + "\r\n\r\n  \n" + second)
    #expect(file.images.map(\.image) == ["a/b.jpg", "c"])
    #expect(file.images[1].width == 0)
  }

  @Test func escapesInNames() throws {
    let file = try parse(#"{"image":"a\u00e9\ud83d\ude00\"\\\/\n","detections":[]}"#)
    #expect(file.images[0].image == "a\u{e9}\u{1F600}\"\\/\n")
  }

  /// (the second line of the file, what the error must say)
  static let faults: [(String, String)] = [
    ("{", "r.jsonl:2"),
    ("[]", "expected \"{\""),
    (#"{"image":"x"}"#, "has no \"detections\""),
    (#"{"detections":[]}"#, "has no \"image\""),
    (#"{"image":"a/b.jpg","detections":[]}"#, "the image occurs twice"),
    (#"{"image":7,"detections":[]}"#, "expected a string for \"image\""),
    (#"{"image":"x","detections":{}}"#, "expected \"[\""),
    (#"{"image":"x","detections":[],}"#, "a key of the line's object"),
    (#"{"image":"x","detections":[]} x"#, "something follows the object"),
    (#"{"image":"x","width":1.5,"detections":[]}"#, "not an image size"),
    (#"{"image":"x","width":-3,"detections":[]}"#, "not an image size"),
    (#"{"image":"x","image":"y","detections":[]}"#, "occurs twice"),
    (#"{"image":"x","detections":[{"box":[1,2,3],"score":1,"label":"f"}]}"#, "a box has 3 numbers"),
    (#"{"image":"x","detections":[{"box":[1,2,3,4,5],"score":1,"label":"f"}]}"#, "a box has 5 numbers"),
    (#"{"image":"x","detections":[{"box":[1,2,-3,4],"score":1,"label":"f"}]}"#, "negative size"),
    (#"{"image":"x","detections":[{"box":[1,2,3,1e999],"score":1,"label":"f"}]}"#, "not finite"),
    (#"{"image":"x","detections":[{"box":[1,2,3,4],"score":NaN,"label":"f"}]}"#, "expected a number for \"score\""),
    (#"{"image":"x","detections":[{"box":[1,2,3,4],"score":-1e400,"label":"f"}]}"#, "not finite"),
    (#"{"image":"x","detections":[{"box":[1,2,3,4],"score":01,"label":"f"}]}"#, "not a number"),
    (#"{"image":"x","detections":[{"box":[1,2,3,4],"score":1.,"label":"f"}]}"#, "not a number"),
    (#"{"image":"x","detections":[{"box":[1,2,3,4],"score":1e,"label":"f"}]}"#, "not a number"),
    (#"{"image":"x","detections":[{"box":[1,2,3,4],"label":"f"}]}"#, "has no \"score\""),
    (#"{"image":"x","detections":[{"box":[1,2,3,4],"score":1}]}"#, "has no \"label\""),
    (#"{"image":"x","detections":[{"score":1,"label":"f"}]}"#, "has no \"box\""),
    (#"{"image":"x","detections":[{"box":[1,2,3,4],"score":1,"confidence":1.5,"label":"f"}]}"#, "expected 0 to 1"),
    (#"{"image":"\ud83d","detections":[]}"#, "surrogate"),
    (#"{"image":"\x","detections":[]}"#, "unknown escape"),
    ("{\"image\":\"a\tb\",\"detections\":[]}", "control character"),
    (#"{"image":"x"#, "ends within a string"),
    (#"{"image":"x","detections":[],"deep":"# + String(repeating: "[", count: 5000), "deep"),
  ]

  @Test(arguments: faults) func aFaultIsToldWithItsLine(second: String, says: String) {
    let error = #expect(throws: InputError.self) { try parse(line + "\n" + second + "\n") }
    #expect(error?.line == 2)
    #expect(error?.description.hasPrefix("r.jsonl:2") == true)
    #expect(error?.description.contains(says) == true, "\(String(describing: error))")
  }

  @Test func bytesThatAreNotUTF8AreAnError() {
    let data = Data(#"{"image":""#.utf8) + Data([0xFF, 0xC0]) + Data(#"","detections":[]}"#.utf8)
    let error = #expect(throws: InputError.self) { try ResultsFile.parse(data, source: "r") }
    #expect(error?.description.contains("not UTF-8") == true)
  }

  @Test func emptyMissingAndFolderAreErrors() {
    #expect(throws: InputError.self) { try parse("") }
    #expect(throws: InputError.self) { try parse("\n\n") }
    let missing = #expect(throws: InputError.self) { try ResultsFile.read("/nowhere/r.jsonl") }
    #expect(missing?.description.contains("/nowhere/r.jsonl") == true)
    let folder = #expect(throws: InputError.self) { try ResultsFile.read("/") }
    #expect(folder?.description.contains("a folder") == true)
  }

  @Test(arguments: testSeeds) func whatIsWrittenIsReadBack(seed: UInt64) throws {
    var images = DetectionScenes(seed: seed, imageCount: 5).results
    var random = RandomStream(seed: seed)
    for image in images.indices {
      images[image].image += " \"q\" \\ \u{e9}\u{1}\n"
      for index in images[image].detections.indices {
        images[image].detections[index].score = (random.uniform() - 0.5) * pow(10, Double(random.index(below: 40)) - 20)
        images[image].detections[index].box.x = random.gaussian() * 1000
        images[image].detections[index].confidence = random.uniform() < 0.5 ? nil : random.uniform()
      }
    }
    let text = images.map(ResultsFile.line).joined(separator: "\n")
    #expect(try parse(text).images == images, "seed \(seed)")
    // Foundation's reader takes the same lines.
    for (image, line) in zip(images, text.split(separator: "\n")) {
      #expect(try JSONDecoder().decode(ImageDetections.self, from: Data(line.utf8)) == image, "seed \(seed)")
    }
  }

  @Test func numbersAreThoseOfTheStandardLibrary() throws {
    var random = RandomStream(seed: 6)
    let special = [
      "0", "-0", "0.1", "1e-320", "123456789012345678901234567890", "0.000000000000000000000000000001",
      "9007199254740993", "1.7976931348623157e308", "0.30000000000000004", "1E+2", "4.35",
      "0.00000000000000000000012345",
    ]
    let texts =
      special + (0..<2000).map { _ in "\((random.uniform() - 0.5) * pow(10, Double(random.index(below: 60)) - 30))" }
      + (0..<2000).map { _ in "\(random.index(below: 2000)).\(random.index(below: 100000))" }
    let lines = texts.enumerated().map { index, text in
      #"{"image":"\#(index)","detections":[{"box":[0,0,1,1],"score":\#(text),"label":"f"}]}"#
    }
    let file = try parse(lines.joined(separator: "\n"))
    for (text, image) in zip(texts, file.images) {
      #expect(image.detections[0].score.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }

  @Test func damagedFilesNeverTrap() throws {
    let clean = Array(
      (DetectionScenes(seed: 1, imageCount: 4).results.map(ResultsFile.line).joined(separator: "\n")).utf8)
    var failures = 0
    for seed in 0..<1000 {
      var random = RandomStream(seed: UInt64(seed))
      var bytes = clean
      if seed % 3 == 0 { bytes.removeLast(random.index(below: bytes.count)) }
      for _ in 0..<1 + random.index(below: 4) where !bytes.isEmpty {
        bytes[random.index(below: bytes.count)] = UInt8(random.index(below: 256))
      }
      do {
        let file = try ResultsFile.parse(Data(bytes), source: "r", executor: .serial)
        #expect(file.images.allSatisfy { $0.detections.allSatisfy { $0.score.isFinite && $0.box.isFinite } })
      } catch let error as InputError {
        failures += 1
        #expect(error.line != nil || error.problem == "holds no results", "seed \(seed)")
      }
    }
    #expect(failures > 500)
  }

  @Test func theFirstFaultIsToldWhateverTheThreads() throws {
    let good = (0..<30_000).map { #"{"image":"\#($0)","width":1,"height":1,"detections":[]}"# }
    var lines = good
    lines[29_000] = "x"
    lines[11_000] = "y"
    lines[20_000] = "z"
    for threads in [1, 2, 5] {
      let error = #expect(throws: InputError.self) {
        try ResultsFile.parse(
          Data(lines.joined(separator: "\n").utf8), source: "r", executor: ParallelExecutor(threadCount: threads))
      }
      #expect(error?.line == 11_001)
    }
    #expect(try parse(good.joined(separator: "\n")).images.count == 30_000)
  }
}
