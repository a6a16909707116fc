import Foundation
import Testing

@testable import Execution

#if canImport(Glibc)
  import Glibc
#endif

/// Outputs that are no plain files, and names that mean one file. Devices are never written to here: pipes stand for them.
struct OutputFileTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "windhover-output-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  @Test func aLinkStaysAndItsFileIsReplaced() throws {
    try withFolder { folder in
      try AtomicFile.write("old", to: folder + "/deep/file.txt")
      #expect(symlink("deep/file.txt", folder + "/second") == 0)
      #expect(symlink(folder + "/second", folder + "/first") == 0)
      try AtomicFile.write("new", to: folder + "/first")
      #expect(try text(folder + "/deep/file.txt") == "new")
      #expect(isLink(folder + "/first") && isLink(folder + "/second"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/deep") == ["file.txt"])
    }
  }

  @Test func aLinkToNothingMakesItsFile() throws {
    try withFolder { folder in
      #expect(symlink("missing/file.txt", folder + "/link") == 0)
      try AtomicFile.write("new", to: folder + "/link")
      #expect(try text(folder + "/missing/file.txt") == "new")
      #expect(isLink(folder + "/link"))
    }
  }

  @Test func linksInACircleAreAnError() throws {
    try withFolder { folder in
      #expect(symlink("b", folder + "/a") == 0)
      #expect(symlink("a", folder + "/b") == 0)
      #expect(throws: InputError.self) { try AtomicFile.write("x", to: folder + "/a") }
      #expect(isLink(folder + "/a"))
    }
  }

  @Test func aPipeIsWrittenThroughAndStaysAPipe() throws {
    try withFolder { folder in
      let pipe = folder + "/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      try AtomicFile.write("through", to: pipe)
      var buffer = [UInt8](repeating: 0, count: 64)
      let count = read(reader, &buffer, buffer.count)
      #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self) == "through")
      var status = stat()
      #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["pipe"])
    }
  }

  @Test func aSocketIsRefused() throws {
    try withFolder { folder in
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let path = folder + "/s"
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(bound == 0)
      let error = #expect(throws: InputError.self) { try AtomicFile.write("x", to: path) }
      #expect(error?.found?.contains("socket") == true)
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK)
    }
  }

  @Test func anEmptyNameIsTold() {
    let error = #expect(throws: InputError.self) { try AtomicFile.write("x", to: "") }
    #expect(error?.description.contains("empty name") == true)
    #expect(throws: InputError.self) { try AtomicFile.write("x", to: "a\0b") }
  }

  @Test func aFolderThatCannotBeIsToldBeforehand() throws {
    try withFolder { folder in
      try AtomicFile.write("x", to: folder + "/file")
      for path in [folder, folder + "/", folder + "/new/", folder + "/file/below"] {
        #expect(throws: InputError.self, "\(path)") { try FilePlace(path).checkFile() }
      }
      #expect(throws: InputError.self) { try FilePlace(folder + "/file").checkFolder() }
      try FilePlace(folder + "/new/deep/file").checkFile()
      try FilePlace(folder + "/new/deep/").checkFolder()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
    }
  }

  @Test func namesOfOnePlaceAreTheSame() throws {
    try withFolder { folder in
      try AtomicFile.write("x", to: folder + "/a/file")
      #expect(symlink("a", folder + "/b") == 0)
      #expect(link(folder + "/a/file", folder + "/hard") == 0)
      func identity(_ name: String) throws -> FilePlace.Identity { try FilePlace("\(folder)/\(name)").identity }
      for name in ["b/file", "./a//file", "a/../b/file", "hard"] { #expect(try identity(name) == identity("a/file")) }
      for name in ["b/new", "a/./new", "b/../a/new"] { #expect(try identity(name) == identity("a/new")) }
      #expect(try identity("a/new/deep") == identity("b/new//deep"))
      #expect(try identity("a/new") != identity("new"))
      let here = try FilePlace("windhover-no-such-file").identity
      #expect(try here == FilePlace("./windhover-no-such-file").identity)
      #expect(
        try here == FilePlace(FileManager.default.currentDirectoryPath + "/windhover-no-such-file").identity)
      #expect(try here != FilePlace("windhover-no-such-file/deep").identity)
    }
  }

  @Test func aLockHasOneHolderAtATime() throws {
    try withFolder { folder in
      let output = folder + "/made/model"
      let lock = try #require(try FileLock.beside(output))
      #expect(FileLock.holder(of: output + ".lock") == Int(getpid()))
      let error = #expect(throws: InputError.self) { try FileLock.beside(output) }
      #expect(error?.description.contains("process \(getpid())") == true)
      #expect(symlink("made/model", folder + "/link") == 0)
      #expect(throws: InputError.self) { try FileLock.beside(folder + "/link") }
      lock.release()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/made") == [])
      try #require(try FileLock.beside(output)).release()
    }
  }

  @Test func aLockTakesNoOnesFile() throws {
    try withFolder { folder in
      try AtomicFile.write("versions of things", to: folder + "/m.lock")
      #expect(throws: InputError.self) { try FileLock.beside(folder + "/m") }
      #expect(try text(folder + "/m.lock") == "versions of things")
      // What a killed run left is taken over.
      try AtomicFile.write("1\n", to: folder + "/m.lock")
      try #require(try FileLock.beside(folder + "/m")).release()
    }
  }

  @Test(
    "the folder above a path, of names of one character too",
    arguments: [
      ("a", "."), ("\u{E9}", "."), ("", "."), (".", "."), ("/", "/"), ("//", "/"), ("/a", "/"), ("a/b", "a"),
      ("a/b/", "a"),
      ("a//b", "a"), ("/a/b", "/a"), ("./a", "."), ("\u{65E5}/\u{672C}", "\u{65E5}"), ("ab", "."),
    ])
  func parents(_ path: String, _ folder: String) {
    #expect(FilePlace.parent(path) == folder)
  }

  @Test("a new file may have a name of one character")
  func shortNames() throws {
    for name in ["\u{E9}", "\u{65E5}", "~"] {
      let place = try FilePlace(name)
      try place.checkFile()
      #expect(place.kind == .missing)
    }
  }
}
