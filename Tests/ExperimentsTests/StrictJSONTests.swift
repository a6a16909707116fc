import Detection
import Execution
import Foundation
import Testing

@testable import Experiments

struct StrictJSONTests {
  struct Inner: Codable, Equatable {
    var size: Int
    var note: String?
  }

  struct Outer: Codable, Equatable {
    enum Kind: String, NamedChoice {
      case thin, broad, flat
    }

    var name: String
    var kind: Kind?
    var parts: [Inner]
  }

  private func decode(_ text: String) throws -> Outer {
    try StrictJSON.decode(Outer.self, from: Data(text.utf8), source: "config.json")
  }

  @Test func whatIsWrittenIsReadBack() throws {
    let value = Outer(name: "a/b", parts: [Inner(size: 1, note: nil), Inner(size: 2, note: "x")])
    #expect(try decode(StrictJSON.text(value)) == value)
    #expect(try decode(#"{"name": "n", "parts": [{"size": 3, "note": null}]}"#).parts == [Inner(size: 3, note: nil)])
  }

  @Test(arguments: [
    (#"{"name": "n", "parts": [], "nmae": 1}"#, "nmae"),
    (#"{"name": "n", "parts": [{"size": 1}, {"size": 2, "sise": 3}]}"#, "parts[1].sise"),
    (#"{"name": "n"}"#, "parts"),
    (#"{"name": 3, "parts": []}"#, "name"),
    (#"{"name": "n", "parts": [{"size": "big"}]}"#, "size"),
    (#"{"name": "n", "parts": ["#, "config.json:1: is no JSON: found the end of the file"),
    ("{\n\"name\": \"n\",\n// why\n\"parts\": []}", "config.json:3: is no JSON: found \"// why\""),
    (" \n", "is no JSON: found nothing"),
    ("", "is no JSON: found nothing"),
    (
      #"{"name": "n", "parts": [{"size": 1}, {"size": 2.5}]}"#,
      "parts[1].size: holds a number that does not fit its place: found 2.5"
    ),
    (#"{"name": "n", "parts": [{"size": 1e30}]}"#, "parts[0].size"),
    (
      #"{"name": "n", "parts": [], "kind": "thick"}"#,
      #"kind: is not a word that is known here: found "thick", expected "thin", "broad" or "flat""#
    ),
    ("{\n\"name\": \"n\",\n\"parts\": [],\n\"name\": \"m\"}", "config.json:4: name: is there twice in one object"),
    (#"{"name": "n", "parts": [{"size": 1}, {"size": 2, "size": 2}]}"#, "parts[1].size: is there twice in one object"),
    (#"{"name": "n", "parts": [], "n\u0061me": "m"}"#, "config.json:1: name: is there twice in one object"),
    ("{\"name\": \"n\",\n\"parts\": [],\n}", "config.json:3: is no JSON: found \"}\""),
    (#"{"name": "n", "parts": []} {}"#, "config.json:1: is no JSON: found \"{}\", expected nothing behind the value"),
    (#"{"name": "n", "parts": [NaN]}"#, "config.json:1: is no JSON: found \"NaN]}\""),
    (#"{"name": "n"#, "config.json:1: is no JSON"),
    (String(repeating: "[", count: 100_000), "nested more than"),
  ])
  func faultsAreNamed(text: String, part: String) {
    #expect { try decode(text) } throws: { error in
      error is InputError && "\(error)".hasPrefix("config.json") && "\(error)".contains(part)
    }
  }

  @Test func aByteOrderMarkIsTakenOffAndUTF16Refused() throws {
    let text = #"{"name": "n", "parts": []}"#
    #expect(
      try StrictJSON.decode(Outer.self, from: Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8), source: "c.json").name == "n")
    #expect(throws: InputError.self) {
      try StrictJSON.decode(Outer.self, from: try #require(text.data(using: .utf16)), source: "c.json")
    }
  }
}

/// Words of configurations: wherever one is not known, the error lists those that are.
struct ConfigurationWordTests {
  /// The paths of all texts in a tree, and the tree with another text there.
  private func replacingTexts(in tree: JSONTree) -> [(place: [String], changed: JSONTree)] {
    switch tree {
    case .text: return [([], .text("no-such-word"))]
    case .object(let object):
      return object.sorted { $0.key < $1.key }.flatMap { key, value in
        replacingTexts(in: value).map { ([key] + $0.place, .object(object.merging([key: $0.changed]) { $1 })) }
      }
    case .array(let list):
      return list.enumerated().flatMap { index, value in
        replacingTexts(in: value).map { entry in
          var copy = list
          copy[index] = entry.changed
          return (["[\(index)]"] + entry.place, .array(copy))
        }
      }
    default: return []
    }
  }

  /// Names and file names may be anything; what is a word of a language of its own says so itself.
  private static let free: Set<String> = [
    "label", "name", "title", "purpose", "data", "positives", "negatives", "validation", "model", "left", "right",
    "detector", "boxes", "layout", "targets", "sourceLabels", "results",
  ]

  private func check<Value: Codable>(_ type: Value.Type, _ text: String) throws -> Int {
    let value = try StrictJSON.decode(type, from: Data(text.utf8), source: "c.json")
    let tree = try JSONDecoder().decode(JSONTree.self, from: JSONEncoder().encode(value))
    var words = 0
    for (place, changed) in replacingTexts(in: tree) {
      let data = try JSONEncoder().encode(changed)
      do {
        _ = try StrictJSON.decode(type, from: data, source: "c.json")
        #expect(place.contains { ConfigurationWordTests.free.contains($0) }, "\(place) takes any text")
      } catch let error as InputError {
        guard !place.contains(where: { ["data", "positives", "negatives", "validation", "targets"].contains($0) })
        else {
          continue
        }
        words += 1
        #expect(error.found == "\"no-such-word\"" && error.expected?.contains("\"") ?? false, "\(place): \(error)")
        #expect(error.field?.hasSuffix(place[place.count - 1]) ?? false, "\(place): \(error)")
      }
    }
    return words
  }

  @Test func trainings() throws {
    let sources = #""positives": ["folder:a"], "negatives": ["folder:b"]"#
    // preset, features, boosting.algorithm, fit.
    #expect(try check(CascadeTrainingJob.self, "{\(sources), \"sampling\": {\"fit\": \"cover\"}}") == 4)
    #expect(try check(HOGTrainingJob.self, "{\(sources)}") >= 6)
    #expect(try check(HOGTrainingJob.self, "{\(sources), \"preset\": \"face\"}") >= 5)
    #expect(try check(TrainingChoice.self, "{\(sources), \"family\": \"cascade\"}") >= 4)
    #expect(try check(LandmarkTraining.self, #"{"data": ["folder:a"]}"#) >= 3)
    #expect(try check(ScanOptions.self, #"{"suppression": {"method": "greedy"}}"#) >= 4)
  }
}
