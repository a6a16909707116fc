import Execution
import Experiments
import Foundation
import Testing

struct StrictJSONTests {
  struct Inner: Codable, Equatable {
    var size: Int
    var note: String?
  }

  struct Outer: Codable, Equatable {
    enum Kind: String, Codable {
      case thin
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
    (#"{"name": "n", "parts": [], "kind": "thick"}"#, "kind: is not a word that is known here: found \"thick\""),
  ])
  func faultsAreNamed(text: String, part: String) {
    #expect { try decode(text) } throws: { error in
      error is InputError && "\(error)".hasPrefix("config.json") && "\(error)".contains(part)
    }
  }
}
