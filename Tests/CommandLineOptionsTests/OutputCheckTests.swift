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
          .value("--figures", "FILE", help: "A file or -.").written(.fileOrStandardOutput),
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
        ("--json", "input"), ("--figures", "input"), ("--pack", "p.vec"), ("--export", "m.safetensors"),
        ("--output", "m.safetensors"),
      ] {
        let error = #expect(throws: OverwriteError.self) { try check(option, "\(folder)/\(name)") }
        #expect(error?.description.hasPrefix("\(option) would overwrite") == true)
      }
      for (option, name) in [("--draw", "input"), ("--pack", "input"), ("--draw", "")] {
        #expect(throws: (any Error).self) { try check(option, name.isEmpty ? "" : "\(folder)/\(name)") }
      }
      #expect(throws: UsageError.self) { try check("--anew", "\(folder)/input") }
      _ = try check("--anew", "\(folder)/m.safetensors")
      _ = try check("--name", "\(folder)/input")
      #expect(try check("--output", "\(folder)/new").checkpoint == "\(folder)/new.checkpoint")
      // A name like any, but where it is standard output.
      #expect(try check("--output", "-").checkpoint == "-.checkpoint")
      for (option, fails) in [("--json", true), ("--figures", false)] {
        let options = try specification.parse([option, "-", "--output", "-"])
        if fails {
          #expect(throws: UsageError.self) { try OutputCheck(options, uses: FileUse()) }
        } else {
          _ = try OutputCheck(options, uses: FileUse())
        }
      }
    }
  }

  @Test func aTrainingReplacesModelsAlone() throws {
    try withFolder { folder in
      var check = OutputCheck()
      let error = #expect(throws: UsageError.self) { try check.training("--output", folder + "/input") }
      #expect(error?.description.contains("--output would overwrite a file of another kind") == true)
      #expect(try FileBytes.read(folder + "/input", limit: 100) == Array("input".utf8))
      let header = Array("{\"a\":1}".utf8)
      let ours = [UInt8(header.count), 0, 0, 0, 0, 0, 0, 0] + header
      let models: [(String, [UInt8])] = [
        ("empty", []), ("ours.safetensors", ours), ("ours.xml", ours), ("ours.dat", ours), ("ours", ours),
        ("c.xml", Array("<?xml version=\"1.0\"?>\n<opencv_storage>\n<cascade>".utf8)),
        ("dlib.dat", [1, 1, 0x81, 0x88, 0x81, 1]), ("dlib.DAT", [1, 1, 0x81, 0x88, 0x81, 1]),
        ("c.XML", Array("<opencv_storage>\n<cascade>".utf8)),
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

  /// It is deleted to begin anew, before any data are read.
  @Test func aCheckpointReplacesCheckpointsAlone() throws {
    try withFolder { folder in
      try AtomicFile.write("photo.png 1 0 0 9 9\n", to: folder + "/m.checkpoint")
      var check = OutputCheck()
      let error = #expect(throws: UsageError.self) { try check.training("--output", folder + "/m") }
      #expect(error?.description.contains("the checkpoint of --output would overwrite a file of another kind") == true)
      #expect(check.checkpoint == nil)
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
