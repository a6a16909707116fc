import CommandLineOptions
import Execution
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct OutputCheckTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "windhover-check-\(UUID().uuidString)"
    try AtomicFile.write("input", to: folder + "/input")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  @Test func twoOutputsOfOneNameAreToldWithBothOptions() throws {
    try withFolder { folder in
      #expect(symlink("new", folder + "/link") == 0)
      for other in ["new", "./new", "link"] {
        var check = OutputCheck()
        try check.file("--html", folder + "/new")
        let error = #expect(throws: UsageError.self) { try check.file("--json", "\(folder)/\(other)") }
        #expect(error?.description.contains("--html and --json") == true)
      }
      var check = OutputCheck()
      try check.file("--html", folder + "/new")
      try check.file("--json", folder + "/newer")
      try check.file("--report", nil)
      #expect(throws: UsageError.self) { try check.folder("--draw", folder + "/new") }
      try check.folder("--draw", folder)
    }
  }

  @Test func anInputIsNotOverwritten() throws {
    try withFolder { folder in
      #expect(symlink("input", folder + "/link") == 0)
      #expect(link(folder + "/input", folder + "/hard") == 0)
      for name in ["input", "./input", "link", "hard"] {
        var check = OutputCheck()
        try check.file("--output", "\(folder)/\(name)")
        let error = #expect(throws: UsageError.self) { try check.inputs("a picture", ["nowhere", folder + "/input"]) }
        #expect(error?.description.contains("--output would overwrite a picture") == true)
      }
      var check = OutputCheck()
      try check.file("--output", folder + "/new")
      try check.inputs("a picture", [folder + "/input", folder, folder + "/new", ""])
    }
  }

  @Test func aTrainingReplacesModelsAlone() throws {
    try withFolder { folder in
      var check = OutputCheck()
      let error = #expect(throws: UsageError.self) { try check.training("--output", folder + "/input") }
      #expect(error?.description.contains("--output would overwrite a file that is no model") == true)
      #expect(try FileBytes.read(folder + "/input", limit: 100) == Array("input".utf8))
      let header = Array("{\"a\":1}".utf8)
      let models: [(String, [UInt8])] = [
        ("empty", []), ("ours.safetensors", [UInt8(header.count), 0, 0, 0, 0, 0, 0, 0] + header),
        ("c.xml", Array("<?xml version=\"1.0\"?>\n<opencv_storage>".utf8)), ("dlib.dat", [1, 1, 0x81, 0x88, 0x81, 1]),
        (
          "old.xml",
          Array("<?xml version=\"1.0\"?>\n<!--\(String(repeating: "licence ", count: 2000))-->\n<opencv_storage>".utf8)
        ),
      ]
      for (name, bytes) in models {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        _ = try check.training("--output", "\(folder)/\(name)")
      }
      for (name, text) in [
        ("labels.xml", "<?xml version=\"1.0\"?>\n<dataset>"), ("layout.json", "[{\"name\": 1}]"),
        ("photo.dat", "\u{FF}\u{D8}"),
      ] {
        try AtomicFile.write(text, to: "\(folder)/\(name)")
        #expect(throws: UsageError.self) { try check.training("--output", "\(folder)/\(name)") }
      }
    }
  }

  @Test func whatCannotBeWrittenIsTold() throws {
    try withFolder { folder in
      var check = OutputCheck()
      #expect(throws: UsageError.self) { try check.file("--output", "") }
      #expect(throws: UsageError.self) { try check.folder("--draw", "") }
      #expect(throws: InputError.self) { try check.file("--output", folder) }
      #expect(throws: InputError.self) { try check.file("--output", folder + "/input/below") }
      #expect(throws: InputError.self) { try check.folder("--draw", folder + "/input") }
    }
  }

  @Test func pipesMayBeNamedTwice() throws {
    try withFolder { folder in
      #expect(mkfifo(folder + "/pipe", 0o600) == 0)
      var check = OutputCheck()
      try check.file("--html", folder + "/pipe")
      try check.file("--json", folder + "/pipe")
      let checkpoint = try check.training("--output", folder + "/pipe")
      #expect(checkpoint == nil)
    }
  }

  @Test func aTrainingKeepsItsCheckpointAndItsLockToItself() throws {
    try withFolder { folder in
      var check = OutputCheck()
      let checkpoint = try check.training("--output", folder + "/m")
      #expect(checkpoint == folder + "/m.checkpoint")
      #expect(throws: UsageError.self) { try check.file("--report", folder + "/m.checkpoint") }
      #expect(throws: UsageError.self) { try check.file("--report", folder + "/m.lock") }
    }
  }
}
