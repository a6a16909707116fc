import Execution
import Foundation
import Testing

@testable import CommandLineOptions

/// Errors of Foundation that no library made its own are still told in a line that a user can read.
struct ErrorTextTests {
  private struct Value: Codable {
    var count: Int
    var share = 0.0
  }

  private func text(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch { return ErrorText.line(error) }
  }

  @Test func ourOwnAreTakenAsTheyAre() {
    let error = InputError(source: "a.json", line: 3, problem: "is no JSON")
    #expect(ErrorText.line(error) == "a.json:3: is no JSON")
    #expect(ErrorText.line(CancelledError()) == "\(CancelledError())")
  }

  @Test func foundationsHaveThePathAndTheReason() {
    let missing = text { _ = try Data(contentsOf: URL(fileURLWithPath: "/nowhere/at/all")) }
    #expect(missing.hasPrefix("/nowhere/at/all: ") && missing.contains("exist"), "\(missing)")
    let folder = text {
      try FileManager.default.createDirectory(atPath: "/proc/self/x", withIntermediateDirectories: false)
    }
    #expect(folder.contains("/proc/self/x"), "\(folder)")
    for (given, part) in [
      ("[", "is no JSON"), (#"{"count": "a"}"#, "count: is of the wrong kind: expected a whole number"),
      (#"{"share": 1}"#, "count: is missing"), (#"{"count": null, "share": 1}"#, "count: is null"),
    ] {
      let told = text { _ = try JSONDecoder().decode(Value.self, from: Data(given.utf8)) }
      #expect(told.contains(part), "\(told)")
    }
    let nan = text { _ = try JSONEncoder().encode(Value(count: 1, share: .nan)) }
    #expect(nan == "share: cannot be written as JSON: found nan")
    for told in [missing, folder, nan] {
      for word in ["Error Domain", "NSFilePath", "UserInfo", "DecodingError", "EncodingError", "CodingKeys"] {
        #expect(!told.contains(word), "\(told)")
      }
    }
  }
}
