import Foundation
import Testing

@testable import Execution

#if canImport(Glibc)
  import Glibc
#endif

struct FileUseTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "windhover-use-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["input", "other"] { try AtomicFile.write(name, to: "\(folder)/\(name)") }
    #expect(symlink("input", folder + "/link") == 0)
    #expect(link(folder + "/input", folder + "/hard") == 0)
    try body(folder)
  }

  private func begun() -> FileUse {
    let use = FileUse()
    use.begin()
    return use
  }

  @Test(
    "no file is both, whichever is told first, under whatever name", arguments: ["input", "./input", "link", "hard"])
  func whatIsReadIsNotReplaced(name: String) throws {
    try withFolder { folder in
      let (input, output) = (folder + "/input", "\(folder)/\(name)")
      for readsFirst in [true, false] {
        let use = begun()
        func read() throws { try use.willRead([folder + "/other", "nowhere", folder, input]) }
        func replace() throws { try use.willReplace(FilePlace(output), option: "--report") }
        try readsFirst ? read() : replace()
        let error = #expect(throws: OverwriteError.self) { try readsFirst ? replace() : read() }
        #expect(error?.description.hasPrefix("--report would overwrite a file that is read: \(output)") == true)
        // Whoever caught it does not get to write.
        #expect(throws: OverwriteError.self) { try use.checkReplacing(FilePlace(input)) }
      }
    }
  }

  @Test func otherFilesAreReplaced() throws {
    try withFolder { folder in
      let use = begun()
      try use.willReplace(FilePlace(folder + "/new"), option: "--json")
      try use.willRead([folder + "/input", folder + "/new"])
      try use.willReplace(FilePlace(folder + "/other"), option: "--html")
      try use.willRead([folder + "/input", folder + "/link"])
      try use.checkReplacing(FilePlace(folder + "/other"))
      try use.checkReplacing(FilePlace(folder + "/new"))
    }
  }

  @Test func whatNobodyAnnouncedIsNotReplacedEither() throws {
    try withFolder { folder in
      let use = begun()
      try use.willRead([folder + "/input", folder + "/other"])
      let error = #expect(throws: OverwriteError.self) { try use.checkReplacing(FilePlace(folder + "/hard")) }
      #expect(error?.description.hasPrefix("an output would overwrite a file that is read: \(folder)/hard is ") == true)
      // Made anew of itself.
      try use.willReplace(FilePlace(folder + "/hard"), option: "--output", mayBeRead: true)
      try use.checkReplacing(FilePlace(folder + "/hard"))
      // A file that took the number of one that is gone.
      #expect(throws: OverwriteError.self) { try use.checkReplacing(FilePlace(folder + "/other")) }
      #expect(rename(folder + "/other", folder + "/third") == 0)
      try use.checkReplacing(FilePlace(folder + "/third"))
    }
  }

  @Test("an output that was replaced has left its number to another file", arguments: [false, true])
  func whatIsReplacedIsAnotherFile(mayBeRead: Bool) throws {
    try withFolder { folder in
      let use = begun()
      try use.willReplace(FilePlace(folder + "/other"), option: "--json", mayBeRead: mayBeRead)
      #expect(rename(folder + "/other", folder + "/third") == 0)
      try AtomicFile.write("anew", to: folder + "/other")
      // Neither what has the number now nor what the program itself wrote.
      try use.willRead([folder + "/third", folder + "/other"])
      // That the output might be read says nothing of the other file.
      let error = #expect(throws: OverwriteError.self) { try use.checkReplacing(FilePlace(folder + "/third")) }
      #expect(error?.description.hasPrefix("an output would overwrite") == true)
    }
  }

  @Test func whatIsReadIsNotDeleted() throws {
    try withFolder { folder in
      let use = begun()
      try use.willRead([folder + "/input"])
      for name in ["input", "link", "hard"] {
        #expect(throws: OverwriteError.self) { try AtomicFile.remove("\(folder)/\(name)", uses: use) }
      }
      try AtomicFile.remove(folder + "/other", uses: use)
      try AtomicFile.remove(folder + "/other", uses: use)
      #expect(throws: InputError.self) { try AtomicFile.remove(folder, uses: use) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["hard", "input", "link"])
      // Without account; a link itself.
      try AtomicFile.remove(folder + "/link", uses: FileUse())
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["hard", "input"])
    }
  }

  /// A list of one picture that is called 12 looks like a lock that was left behind.
  @Test func whatIsReadIsNoLock() throws {
    try withFolder { folder in
      let (path, use) = (folder + "/m.lock", begun())
      try AtomicFile.write("12\n", to: path)
      let lock = try #require(try FileLock.attempt(path, uses: use))
      try use.willRead([path])
      lock.release()
      #expect(FileBytes.isFile(path))
      try AtomicFile.write("12\n", to: path)
      try use.willRead([path])
      #expect(throws: OverwriteError.self) { try FileLock.attempt(path, uses: use) }
      #expect(try FileBytes.read(path, limit: 100) == Array("12\n".utf8))
    }
  }

  @Test func aLibraryMayWriteOverWhatItHasRead() throws {
    try withFolder { folder in
      let use = FileUse()
      try use.willRead([folder + "/input"])
      try use.willReplace(FilePlace(folder + "/input"), option: "--output")
      try use.checkReplacing(FilePlace(folder + "/input"))
    }
  }
}
