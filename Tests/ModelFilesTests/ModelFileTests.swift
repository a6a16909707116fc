import Execution
import Foundation
import ModelFiles
import TestSupport
import Testing

struct ModelFileTests {
  struct Options: Codable, Equatable {
    var stride = 8
    var scale = 1.5
    var name = "a/b \"ü\" \n"
  }

  static let provenance = Provenance(
    command: "windhover-train hog --seed 7",
    dataSets: [.init(name: "wider/train", description: "505 images", imageCount: 505, checksum: "ab12")], seed: .max,
    commit: "0123abc", date: "2005-06-20T12:00:00Z", machine: "a plain processor")

  static func sample() throws -> ModelFile {
    ModelFile(
      kind: "sample", version: 2, options: try ModelFile.json(Options()), provenance: provenance,
      tensors: [
        "b": Tensor([1.5, -2, 3, 0.1, Float.leastNonzeroMagnitude, 7], shape: [2, 3]), "a": Tensor([UInt8(1), 2, 3]),
        "ü \"q\"": Tensor([Int32.min, .max]), "wide": Tensor([Double.pi], shape: []), "l": Tensor([Int64.min, .max]),
        "empty": Tensor([Float](), shape: [0, 5]),
      ])
  }

  static func folder() -> String { NSTemporaryDirectory() + "windhover-model-\(UUID().uuidString)" }

  @Test func writtenFilesReadTheSame() throws {
    let file = try ModelFileTests.sample()
    let folder = ModelFileTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/models/päth with space.safetensors"
    try file.write(to: path)
    let read = try ModelFile(path: path).expect(kind: "sample", version: 1...2)
    #expect(read.tensors == file.tensors)
    #expect(read.provenance == file.provenance)
    #expect(try read.options(as: Options.self) == Options())
    #expect(read.source == path)
    #expect(try read.bytes() == file.bytes())
    #expect(try read.floats("b", shape: [nil, 3]) == [1.5, -2, 3, 0.1, Float.leastNonzeroMagnitude, 7])
    #expect(try read.doubles("wide") == [Double.pi])
    #expect(try read.integers("l") == [Int.min, .max])
    #expect(try read.integers("ü \"q\"") == [Int(Int32.min), Int(Int32.max)])
    #expect(try read.floats("empty") == [])
  }

  /// The layout by hand: length, header padded to 8 with spaces, bytes in falling order of element size.
  @Test func theLayoutByHand() throws {
    let file = ModelFile(
      kind: "k", version: 1, options: "{}", provenance: Provenance(command: "c", dataSets: [], seed: 1),
      tensors: ["a": Tensor([UInt8(9)]), "b": Tensor([Float(1)])])
    let header =
      #"{"__metadata__":{"format":"windhover","kind":"k","options":"{}","#
      + #""provenance":"{\"command\":\"c\",\"dataSets\":[],\"seed\":1}","version":"1"},"#
      + #""a":{"dtype":"U8","shape":[1],"data_offsets":[4,5]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#
    let padded = header + String(repeating: " ", count: (8 - header.utf8.count % 8) % 8)
    var expected = (0..<8).map { UInt8(truncatingIfNeeded: padded.utf8.count >> (8 * $0)) }
    expected += Array(padded.utf8) + [0, 0, 0x80, 0x3F, 9]
    #expect(try file.bytes() == expected)
  }

  /// Golden: Python's safetensors 0.8.0, see Tests/Fixtures/ModelFiles/make_fixtures.py; exact.
  @Test func pythonFilesAreRead() throws {
    let file = try ModelFile(path: Fixture.url("ModelFiles/python.safetensors").path)
    #expect(file.kind == "golden" && file.version == 3)
    #expect(file.provenance.seed == .max && file.provenance.commit == nil)
    struct Golden: Codable {
      var stride: Int
      var name: String
    }
    let options = try file.options(as: Golden.self)
    #expect(options.stride == 8 && options.name == "é \"x\" 😀")
    #expect(try file.floats("weights", shape: [2, 3]) == [-0.5, -0.25, 0, 0.25, 0.5, 0.75])
    #expect(try file.doubles("bias", shape: []) == [-0.125])
    #expect(try file.floats("half") == [1.5, -2, 0x1p-14, 0x1p-24, 65504])
    #expect(try file.integers("counts") == [-3, Int(Int32.max)])
    #expect(try file.integers("large") == [1 << 62, -1])
    #expect(try file.integers("bytes", shape: [1, 3]) == [0, 255, 7])
    #expect(try file.floats("none", shape: [0, 4]).isEmpty)
  }

  @Test func anotherKindShapeOrTypeIsNamed() throws {
    let file = try ModelFileTests.sample()
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "no error"
      } catch {
        return "\(error)"
      }
    }
    #expect(message { try file.expect(kind: "cascade", version: 1) }.contains("found \"sample\", expected \"cascade\""))
    #expect(message { try file.expect(kind: "sample", version: 1) }.contains("found 2, expected 1; use a newer"))
    #expect(message { try file.expect(kind: "sample", version: 3...4) }.contains("found 2, expected 3 to 4; train"))
    #expect(message { _ = try file.floats("b", shape: [3, 2]) }.contains("b: a tensor of another shape: found [2, 3]"))
    #expect(message { _ = try file.floats("a") }.contains("a: a tensor of another type: found U8, expected F32"))
    #expect(message { _ = try file.integers("b") }.contains("found F32"))
    #expect(message { _ = try file.floats("c") }.contains("c: no such tensor: found a, b, empty"))
    var spoilt = file
    spoilt.tensors["b"] = Tensor([1, Float.nan])
    #expect(message { _ = try spoilt.floats("b") }.contains("element 1 is not a finite number"))
    struct Other: Decodable { var windows: Int }
    let other = message { _ = try file.options(as: Other.self) }
    #expect(
      other.contains("sample: options") && other.contains("options.windows: cannot be understood: is missing"),
      "\(other)")
  }

  @Test func missingFilesFoldersAndPipesAreNamed() throws {
    let folder = ModelFileTests.folder()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func message(_ name: String) -> String {
      do {
        _ = try ModelFile(path: folder + name)
        return "no error"
      } catch {
        return "\(error)"
      }
    }
    #expect(message("/none").contains(folder + "/none: cannot be read: found No such file"))
    #expect(message("").contains("found a folder"))
    #expect(mkfifo(folder + "/pipe", 0o600) == 0)
    #expect(message("/pipe").contains("no plain file"))
    // A huge file of holes that begins as a model does: no memory may be taken for it.
    let header = #"{"a":{"dtype":"U8","shape":[1000],"data_offsets":[0,1000]}}"#
    try Data([UInt8(header.utf8.count), 0, 0, 0, 0, 0, 0, 0] + Array(header.utf8))
      .write(to: URL(fileURLWithPath: folder + "/sparse"))
    #expect(truncate(folder + "/sparse", 1 << 30) == 0)
    #expect(message("/sparse").contains("bytes follow the last tensor"))
    #expect(truncate(folder + "/sparse", 1 << 40) == 0)
    #expect(message("/sparse").contains("too large for a model: found 1099511627776 bytes"))
    try Data().write(to: URL(fileURLWithPath: folder + "/empty"))
    #expect(message("/empty").contains("too short: found 0 bytes"))
  }

  private static let hasPython: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import safetensors.numpy"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(.enabled(if: hasPython, "python3 with the package safetensors is not installed"))
  func pythonReadsOurFiles() throws {
    let folder = ModelFileTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try ModelFileTests.sample().write(to: folder + "/m.safetensors")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import json, sys
      from safetensors import safe_open
      with safe_open(sys.argv[1], framework="numpy") as f:
          m = f.metadata()
          t = {k: f.get_tensor(k) for k in f.keys()}
      print(json.dumps([sorted(m), m["format"], m["kind"], m["version"], json.loads(m["provenance"])["seed"],
          sorted((k, str(v.dtype), list(v.shape)) for k, v in t.items()), t["b"].tolist(), t["l"].tolist()]))
      """, folder + "/m.safetensors",
    ]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(
      text == #"[["format", "kind", "options", "provenance", "version"], "windhover", "sample", "2", "#
        + #"18446744073709551615, [["a", "uint8", [3]], ["b", "float32", [2, 3]], ["empty", "float32", [0, 5]], "#
        + #"["l", "int64", [2]], ["wide", "float64", []], ["\u00fc \"q\"", "int32", [2]]], "#
        + "[[1.5, -2.0, 3.0], [0.10000000149011612, 1.401298464324817e-45, 7.0]], "
        + "[-9223372036854775808, 9223372036854775807]]\n")
  }
}
