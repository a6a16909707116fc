import Execution
import ModelFiles
import TestSupport
import Testing

/// Files that are cut, spoilt, or made to mislead: an error that names the file, never a crash, a hang or a wrong tensor.
struct DamagedModelFileTests {
  /// A file of this header and data.
  private func file(_ header: String, data: Int = 0, length: UInt64? = nil) -> [UInt8] {
    let length = length ?? UInt64(header.utf8.count)
    return (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + Array(header.utf8)
      + [UInt8](repeating: 1, count: data)
  }

  private func message(_ bytes: [UInt8]) -> String {
    do {
      _ = try ModelFile(bytes: bytes, name: "m.safetensors")
      return "no error"
    } catch let error as InputError {
      return error.source == "m.safetensors" ? "\(error)" : "another source: \(error)"
    } catch {
      return "another kind of error: \(error)"
    }
  }

  @Test func filesCutAtEachPlaceAreErrors() throws {
    let whole = try ModelFileTests.sample().bytes()
    for count in 0..<whole.count {
      let text = message(Array(whole[..<count]))
      #expect(text.hasPrefix("m.safetensors: "), "\(count) of \(whole.count) bytes: \(text)")
    }
    #expect(message(whole + [0]).contains("bytes follow the last tensor"))
  }

  @Test func flippedBitsAreReadOrAreErrors() throws {
    let whole = try ModelFileTests.sample().bytes()
    var read = 0
    for seed in 0..<1000 {
      var random = RandomStream(seed: UInt64(seed))
      var bytes = whole
      for _ in 0..<1 + random.index(below: 3) { bytes[random.index(below: bytes.count)] ^= 1 << random.index(below: 8) }
      let text = message(bytes)
      if text == "no error" { read += 1 } else { #expect(text.hasPrefix("m.safetensors: "), "seed \(seed): \(text)") }
    }
    #expect(read > 0 && read < 1000)
  }

  @Test func impossibleHeaderLengths() {
    let header = #"{"__metadata__":{}}"#
    for length in [0, 1, UInt64(ModelFile.headerLimit) + 1, UInt64(Int.max), UInt64(Int.max) + 1, .max] {
      #expect(message(file(header, length: length)).contains("impossible header length"), "\(length)")
    }
    #expect(message(file(header, length: 20)).contains("cut short"))
    #expect(message(file(header, length: 18)).contains("header byte 18"))
  }

  private static let metadata =
    #""__metadata__":{"format":"windhover","kind":"k","version":"1","options":"{}","#
    + #""provenance":"{\"command\":\"\",\"dataSets\":[],\"seed\":0}"}"#

  private func tensor(_ text: String, data: Int) -> String {
    message(file("{\(DamagedModelFileTests.metadata),\(text)}", data: data))
  }

  @Test func tensorsThatDoNotFit() {
    func f32(_ shape: String, _ offsets: String, name: String = "t") -> String {
      #""\#(name)":{"dtype":"F32","shape":[\#(shape)],"data_offsets":[\#(offsets)]}"#
    }
    #expect(tensor(f32("2", "0,8"), data: 8) == "no error")
    #expect(
      tensor(f32("2", "0,8"), data: 7).contains("t: the file is cut short: found 7 bytes of data, expected at least 8"))
    #expect(tensor(f32("2", "0,8"), data: 9).contains("bytes follow the last tensor: found 9"))
    #expect(tensor(f32("3", "0,8"), data: 8).contains("expected 12 bytes for F32 of shape [3]"))
    #expect(tensor(f32("2", "8,0"), data: 8).contains("impossible data offsets"))
    #expect(tensor(f32("2", "8"), data: 8).contains("impossible data offsets"))
    #expect(
      tensor(f32("2", "4,12"), data: 12).contains("leaves a gap before it: found bytes from 4, expected bytes from 0"))
    #expect(
      tensor(f32("2", "0,8") + "," + f32("2", "4,12", name: "u"), data: 12).contains("u: overlaps another tensor"))
    #expect(tensor(f32("2", "0,8") + "," + f32("2", "0,8", name: "u"), data: 8).contains("overlaps another tensor"))
    #expect(tensor(f32("2", "0,8") + "," + f32("2", "0,8"), data: 8).contains("a key is given twice: found \"t\""))
    // Sizes whose product overflows, or would be gigantic in a small file.
    #expect(tensor(f32("4611686018427387904,4", "0,8"), data: 8).contains("an impossible shape"))
    #expect(tensor(f32("9223372036854775807", "0,8"), data: 8).contains("an impossible shape"))
    #expect(tensor(f32("9223372036854775808", "0,8"), data: 8).contains("expected a number below 2^63"))
    #expect(tensor(f32("1000000000000", "0,4000000000000"), data: 8).contains("the file is cut short"))
    #expect(tensor(f32("0,9223372036854775807,9223372036854775807", "0,0"), data: 0) == "no error")
    for bad in ["-1", "1.0", "1e1", "02", "\"2\"", "null", "", "2,"] {
      #expect(tensor(f32(bad, "0,8"), data: 8).hasPrefix("m.safetensors: "), "\(bad)")
    }
    #expect(
      tensor(#""t":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}"#, data: 8).contains("unknown type: found \"F31\""))
    #expect(tensor(#""t":{"dtype":"F32","shape":[2]}"#, data: 8).contains("incomplete"))
    #expect(tensor(#""t":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}"#, data: 8).contains("unknown key"))
    #expect(tensor(#""t":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}"#, data: 8).contains("twice"))
  }

  @Test func headersThatAreNoJSON() {
    let bad = [
      "", " ", "{", "[]", "{}", "null", "{\"a\"}", "{\"a\":1}", "{\"__metadata__\":1}", "{\"__metadata__\":{\"a\":1}}",
      "{\"__metadata__\":{\"a\":{}}}", "{\"a\u{1}\":{}}", "{\"\\x\":{}}", "{\"\\u12\":{}}", "{\"\\ud800\":{}}",
      "{\"\\ud800\\u0041\":{}}", "{\"\\udc00\":{}}", "{} {}", "{,}", "{\"__metadata__\":{},}", "\u{FEFF}{}",
    ]
    for header in bad {
      #expect(message(file(header)).hasPrefix("m.safetensors: "), "\(header)")
    }
    // Not UTF-8.
    var bytes = file("{\"__metadata__\":{\"format\":\"X\"}}")
    bytes[bytes.count - 4] = 0xFF
    #expect(message(bytes).contains("UTF-8"))
  }

  /// A reader that called itself for each bracket would run out of stack here.
  @Test func deepNestingIsAnErrorAtOnce() {
    for opening in ["{\"a\":", "["] {
      let bomb = String(repeating: opening, count: 1_000_000)
      #expect(message(file(bomb)).hasPrefix("m.safetensors: "))
      #expect(message(file("{\"__metadata__\":\(bomb)")).contains("header byte"))
      #expect(tensor("\"t\":{\"shape\":\(bomb)", data: 0).contains("header byte"))
    }
    // Within the strings, that other code reads as JSON.
    let deep = String(repeating: "[", count: 1_000_000)
    let provenance =
      #"{"__metadata__":{"format":"windhover","kind":"k","version":"1","options":"{}","provenance":"\#(deep)"}}"#
    #expect(message(file(provenance)).contains("provenance: cannot be understood"))
    let options = ModelFile(
      kind: "k", version: 1, options: deep, provenance: Provenance(command: "", dataSets: [], seed: 0), tensors: [:])
    #expect(throws: InputError.self) { try options.options(as: [String: Int].self) }
    #expect(throws: InputError.self) { try options.options(as: Provenance.self) }
  }

  @Test func otherProgramsFilesAreNamedAsSuch() {
    #expect(message(file("{}")).contains("not a Windhover model: no \"format\""))
    #expect(message(file(#"{"__metadata__":{"format":"pt"}}"#)).contains("found \"pt\", expected \"windhover\""))
    for version in ["0", "-1", "1.5", "x", "", "99999999999999999999"] {
      let text = message(file(#"{"__metadata__":{"format":"windhover","version":"\#(version)"}}"#))
      #expect(text.contains("version: not a version"), "\(version): \(text)")
    }
    // A PNG and a text file begin with what would be enormous lengths.
    #expect(message([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]).contains("impossible header length"))
    #expect(message(Array("<?xml version=\"1.0\"?>".utf8)).contains("impossible header length"))
  }
}
