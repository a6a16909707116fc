import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

@Suite("Layouts of landmarks in files")
struct LandmarkLayoutFilesTests {
  @Test("a model keeps its layout whole; files of before have its name alone; a layout of other points is refused")
  func wholeLayout() throws {
    let folder = try SpotFolder()
    try folder.write(count: 25, names: ["a", "b", "c", "d"])
    try AtomicFile.write(
      """
      [{"name": "kite", "summary": "s", "sides": "image", "pointCount": 4, "mirror": [2, 1, 0, 3], "groups": [
        {"name": "rim", "points": [0, 1, 2, 3], "isClosed": true}, {"name": "tail", "points": [3], "isClosed": false}]}]
      """, to: folder.path + "/kite.json")
    var job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: SmallTraining.options)
    job.layout = try LandmarkLayout.find(folder.path + "/kite.json", pointCount: 4)
    job.isMirrored = true
    let model = try SmallTraining.run(job)
    let path = folder.path + "/model.safetensors"
    try model.write(to: path)
    // Nothing but the model is needed from here on.
    try FileManager.default.removeItem(atPath: folder.path + "/kite.json")
    let read = try LandmarkModel(path: path)
    #expect(read.layout == job.layout && read.predictor.layout == "kite")
    #expect(LandmarkRun(model: read, executor: .serial).layout?.groups.map(\.isClosed) == [true, false])
    let stored = try ModelFormats.read(path)
    #expect(stored.description.contains("layout kite: rim, tail"))
    #expect(try stored.picture() != nil)
    var file = try model.modelFile()
    let options = file.options
    #expect(options.contains("\"wholeLayout\""))
    var tree = try #require(JSONSerialization.jsonObject(with: Data(options.utf8)) as? [String: Any])
    let whole = try #require(tree["wholeLayout"] as? [String: Any])
    func rewritten() throws -> LandmarkModel {
      file.options = String(decoding: try JSONSerialization.data(withJSONObject: tree), as: UTF8.self)
      return try LandmarkModel(ModelFile(bytes: try file.bytes(), name: "test"))
    }
    tree["wholeLayout"] = nil
    #expect(try rewritten().layout == nil)
    for (key, value) in [("pointCount", 5), ("mirror", [0, 2, 1, 1])] as [(String, Any)] {
      tree["wholeLayout"] = whole.merging([key: value]) { $1 }
      #expect(throws: InputError.self, "\(key)") { try rewritten() }
    }
  }

  @Test("a mirror map that does not undo itself is refused before training, and so is a layout of other points")
  func badLayouts() throws {
    let folder = try SpotFolder()
    try AtomicFile.write(
      "[{\"name\": \"odd\", \"summary\": \"\", \"sides\": \"image\", \"pointCount\": 3, \"mirror\": [1, 2, 0], \"groups\": []}]",
      to: folder.path + "/odd.json")
    #expect {
      try LandmarkLayout.find(folder.path + "/odd.json", pointCount: 3)
    } throws: { "\($0)".contains("does not undo itself: found 0 goes to 1, which goes to 2") }
    #expect(throws: InputError.self) { try LandmarkLayout.find("ibug68", pointCount: 3) }
  }

  @Test("a layout is found by its name or in a file, checked, and of the data's number of points")
  func find() throws {
    #expect(try LandmarkLayout.find("five", pointCount: 5).name == "five")
    #expect(throws: InputError.self) { try LandmarkLayout.find("five", pointCount: 6) }
    #expect(throws: InputError.self) { try LandmarkLayout.find("/nowhere/at/all.json", pointCount: 5) }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    func write(_ mirror: String) throws {
      try AtomicFile.write(
        #"[{"name":"pair","summary":"","sides":"image","pointCount":2,"mirror":[\#(mirror)],"groups":[]},"#
          + #"{"name":"three","summary":"","sides":"image","pointCount":3,"mirror":[2,1,0],"groups":[]}]"#, to: path)
    }
    try write("1,0")
    #expect(try LandmarkLayout.find(path, pointCount: 2).name == "pair")
    #expect(try LandmarkLayout.find(path, pointCount: 3).name == "three")
    #expect(throws: InputError.self) { try LandmarkLayout.find(path, pointCount: 4) }
    #expect(throws: InputError.self) { try LandmarkLayout.find("", pointCount: 2) }
    // Two that fit: none is picked.
    let one = #"{"name":"NAME","summary":"","sides":"image","pointCount":2,"mirror":[1,0],"groups":[]}"#
    let both = ["first", "second"].map { one.replacing("NAME", with: $0) }.joined(separator: ",")
    try AtomicFile.write("[\(both)]", to: path)
    let several = #expect(throws: InputError.self) { try LandmarkLayout.find(path, pointCount: 2) }
    #expect(several?.problem == "has several that fit")
    for bad in [
      one.replacing("NAME", with: ""), one.replacing("[]", with: #"[{"name":"g","points":[],"isClosed":true}]"#),
    ] {
      try AtomicFile.write("[\(bad)]", to: path)
      #expect(throws: InputError.self, "\(bad)") { try LandmarkLayout.find(path, pointCount: 2) }
    }
    for bad in ["1,1", "1", "0,2", "0,1,2"] {
      try write(bad)
      #expect(throws: InputError.self, "mirror \(bad)") { try LandmarkLayout.find(path, pointCount: 2) }
    }
  }

  @Test(
    "a file that is no list of layouts is told by line or field, with what was found and expected, in no words of Foundation's",
    arguments: [
      ("", "layout.json: is no JSON: found nothing"),
      ("[{\"name\": \"a\",\n\"summary\" \"b\"}]", "layout.json:2: is no JSON: found \"\"b\"}]\""),
      ("[{\"name\": \"a\",", "layout.json:1: is no JSON: found the end of the file"),
      ("{}", "layout.json: is of the wrong kind: found an object, expected a list"),
      ("5", "layout.json: is of the wrong kind: found 5, expected a list"),
      ("null", "layout.json: is null: expected a list"),
      ("[1]", "layout.json: [0]: is of the wrong kind: found 1, expected an object"),
      ("[NAMED}, {\"name\": true}]", "layout.json: [1].name: is of the wrong kind: found true, expected a text"),
      ("[{\"name\": \"a\", \"name\": \"b\"}]", "layout.json:1: [0].name: is there twice in one object"),
      ("[{\"name\": \"a\", \"summary\": \"\"}]", "layout.json: [0].sides: is missing"),
      ("[NAMED, \"colour\": 3}]", "layout.json: [0].colour: means nothing here"),
      (
        "[{\"name\": \"a\", \"summary\": \"\", \"sides\": \"left\"}]",
        "[0].sides: is not a word that is known here: found \"left\", expected \"person\" or \"image\""
      ),
      (
        "[COUNT 2.5, \"mirror\": [1, 0], \"groups\": []}]",
        "[0].pointCount: holds a number that does not fit its place: found 2.5"
      ),
      (
        "[COUNT 1e40, \"mirror\": [1, 0], \"groups\": []}]",
        "[0].pointCount: holds a number that does not fit its place"
      ),
      (
        "[COUNT \"2\", \"mirror\": [1, 0], \"groups\": []}]",
        "[0].pointCount: is of the wrong kind: found \"2\", expected a whole number"
      ),
      ("[COUNT 2, \"mirror\": [1, \"0\"], \"groups\": []}]", "[0].mirror[1]: is of the wrong kind: found \"0\""),
      (
        "[COUNT 0, \"mirror\": [], \"groups\": []}]",
        "layout.json: a.pointCount: is no number of points: found 0, expected 1 to 65535"
      ),
      (
        "[COUNT 2, \"mirror\": [1, 0], \"groups\": [{\"name\": \"g\", \"points\": [2], \"isClosed\": true}]}]",
        "a.groups[0].points: names a point that is not there: found 2, expected 0 to 1"
      ),
      ("[NAMED, \"leftEye\": []}]", "a.leftEye: is empty"),
      ("[NAMED, \"rightOuterCorner\": [-1]}]", "a.rightOuterCorner: names a point that is not there: found -1"),
      ("[NAMED, \"base\": \"ibug68\"}]", "a.base: is there alone"),
      ("[NAMED, \"base\": \"ibug68\", \"derivation\": [[]]}]", "a.derivation: has another length: found 1, expected 2"),
      (
        "[NAMED, \"base\": \"ibug68\", \"derivation\": [[{\"point\": 0, \"weight\": 1}], [{\"point\": 3, \"weight\": 0.5}]]}]",
        "a.derivation[1]: has shares that do not sum to 1: found 0.5"
      ),
      (
        "[NAMED, \"base\": \"none\", \"derivation\": [[{\"point\": 0, \"weight\": 1}], [{\"point\": 3, \"weight\": 1}]]}]",
        "a.base: is no layout: found \"none\", expected another layout of this file that has no base itself, or one of ibug68"
      ),
      (
        "[NAMED, \"base\": \"five\", \"derivation\": [[{\"point\": 0, \"weight\": 1}], [{\"point\": 5, \"weight\": 1}]]}]",
        "a.derivation[1]: names a point that is not there: found 5, expected 0 to 4, the points of five"
      ),
      (
        "[NAMED, \"base\": \"ibug68\", \"derivation\": [[{\"point\": 0, \"weight\": 1}], [{\"point\": 68, \"weight\": 1}]]}]",
        "a.derivation[1]: names a point that is not there: found 68, expected 0 to 67, the points of ibug68"
      ),
      (
        "[NAMED, \"base\": \"ibug68\", \"derivation\": [[{\"point\": 0, \"weight\": 1}], [{\"point\": 1, \"weight\": 1e300},"
          + "{\"point\": 2, \"weight\": -1e300}, {\"point\": 3, \"weight\": 1}]]}]",
        "a.derivation[1]: has a share that no point can have: found 1e+300"
      ),
      (
        "[{\"name\": \"five\", \"summary\": \"\", \"sides\": \"image\", \"pointCount\": 1, \"mirror\": [0], \"groups\": []}]",
        "five.name: is a built-in layout's: found \"five\""
      ),
    ])
  func faults(text: String, part: String) {
    let count = #"{"name": "a", "summary": "", "sides": "image", "pointCount":"#
    let named = #"\#(count) 2, "mirror": [1, 0], "groups": []"#
    let whole = text.replacing("COUNT", with: count).replacing("NAMED", with: named)
    let error = #expect(throws: InputError.self) { try LandmarkLayout.read(Data(whole.utf8), name: "layout.json") }
    let told = error.map { "\($0)" } ?? ""
    #expect(told.hasPrefix("layout.json") && told.contains(part), "\(told)")
    for word in ["DecodingError", "Dictionary", "Array<", "CodingKeys", "debugDescription", "Swift"] {
      #expect(!told.contains(word), "\(told)")
    }
  }

  @Test("a folder, a missing file, a file that is no text and an empty list are told")
  func noFiles() throws {
    let folder = try SpotFolder()
    func message(_ path: String) -> String {
      let error = #expect(throws: InputError.self) { try LandmarkLayout.find(path, pointCount: 2) }
      return error.map { "\($0)" } ?? ""
    }
    #expect(message(folder.path).contains("found a folder"))
    #expect(message(folder.path + "/none.json").contains("is no layout and no file"))
    try Data([0, 1, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder.path + "/binary.json"))
    #expect(message(folder.path + "/binary.json").contains("binary.json:1: is no JSON"))
    try AtomicFile.write("[]", to: folder.path + "/empty.json")
    #expect(message(folder.path + "/empty.json").contains("found an empty list, expected one layout of 2 points"))
  }
}
