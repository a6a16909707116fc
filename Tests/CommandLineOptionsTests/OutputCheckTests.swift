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

  /// Every kind of output is looked at before a command runs, and none of them but a calibrated model may be read.
  @Test func whatOptionsWriteIsNotRead() throws {
    try withFolder { folder in
      let specification = CommandSpecification(
        name: "work", summary: "Works.",
        options: [
          .value("--json", "FILE", help: "A file.").written(),
          .value("--draw", "DIR", help: "A folder.").written(.folder),
          .value("--pack", "PATH", help: "Either.").written(.fileOrFolder(suffix: ".vec")),
          .value("--export", "FILE", help: "A model.").written(.model),
          .value("--output", "FILE", help: "A model.").written(.training),
          .value("--anew", "FILE", help: "A model.").written(.calibratedModel),
          .value("--name", "NAME", help: "A name."),
        ])
      let header = Array("{\"a\":1}".utf8)
      for name in ["m.safetensors", "p.vec"] {
        try Data([UInt8(header.count), 0, 0, 0, 0, 0, 0, 0] + header).write(
          to: URL(fileURLWithPath: "\(folder)/\(name)"))
      }
      func check(_ option: String, _ name: String) throws -> OutputCheck {
        let use = FileUse()
        use.begin()
        try use.willRead(["input", "m.safetensors", "p.vec"].map { "\(folder)/\($0)" })
        return try OutputCheck(specification.parse([option, name]), uses: use)
      }
      for (option, name) in [
        ("--json", "input"), ("--pack", "p.vec"), ("--export", "m.safetensors"), ("--output", "m.safetensors"),
      ] {
        let error = #expect(throws: OverwriteError.self) { try check(option, "\(folder)/\(name)") }
        #expect(error?.description.hasPrefix("\(option) would overwrite") == true)
      }
      for (option, name) in [("--draw", "input"), ("--pack", "input"), ("--draw", "")] {
        #expect(throws: (any Error).self) { try check(option, name.isEmpty ? "" : "\(folder)/\(name)") }
      }
      #expect(throws: UsageError.self) { try check("--anew", "\(folder)/input") }
      _ = try check("--anew", "\(folder)/m.safetensors")
      _ = try check("--json", "-")
      _ = try check("--name", "\(folder)/input")
      #expect(try check("--output", "\(folder)/new").checkpoint == "\(folder)/new.checkpoint")
    }
  }

  @Test func aTrainingReplacesModelsAlone() throws {
    try withFolder { folder in
      var check = OutputCheck()
      let error = #expect(throws: UsageError.self) { try check.training("--output", folder + "/input") }
      #expect(error?.description.contains("--output would overwrite a file that is no such model") == true)
      #expect(try FileBytes.read(folder + "/input", limit: 100) == Array("input".utf8))
      let header = Array("{\"a\":1}".utf8)
      let models: [(String, [UInt8])] = [
        ("empty", []), ("ours.safetensors", [UInt8(header.count), 0, 0, 0, 0, 0, 0, 0] + header),
        ("c.xml", Array("<?xml version=\"1.0\"?>\n<opencv_storage>\n<cascade>".utf8)),
        ("dlib.dat", [1, 1, 0x81, 0x88, 0x81, 1]),
        (
          "old.xml",
          Array(
            "<!--\(String(repeating: "licence ", count: 2000))-->\n<opencv_storage>\n<f type_id=\"opencv-haar-classifier\">"
              .utf8)
        ),
      ]
      for (name, bytes) in models {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        try check.training("--output", "\(folder)/\(name)")
      }
      for (name, text) in [
        ("labels.xml", "<?xml version=\"1.0\"?>\n<dataset>"), ("layout.json", "[{\"name\": 1}]"),
        ("photo.dat", "\u{FF}\u{D8}"), ("camera.xml", "<opencv_storage>\n<camera_matrix type_id=\"opencv-matrix\">"),
        // A cascade is none of ours.
        ("m.safetensors", "<opencv_storage>\n<cascade>"),
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
      try check.training("--output", folder + "/pipe")
      #expect(check.checkpoint == nil)
    }
  }

  @Test func aTrainingKeepsItsCheckpointAndItsLockToItself() throws {
    try withFolder { folder in
      var check = OutputCheck()
      try check.training("--output", folder + "/m")
      #expect(check.checkpoint == folder + "/m.checkpoint")
      #expect(throws: UsageError.self) { try check.file("--report", folder + "/m.checkpoint") }
      #expect(throws: UsageError.self) { try check.file("--report", folder + "/m.lock") }
    }
  }
}
