import Execution
import Foundation
import Testing

struct InstalledFilesTests {
  @Test func theCheckoutIsFound() throws {
    let folder = try #require(InstalledFiles.folders(named: "no-such-thing", checkoutPath: "Sources/Execution").last)
    #expect(FileManager.default.fileExists(atPath: folder + "/InstalledFiles.swift"))
    #expect(InstalledFiles.folders(named: "no-such-thing", checkoutPath: "no-such-thing").isEmpty)
  }

  @Test func theProgramHasAFolder() throws {
    let folder = try #require(InstalledFiles.programFolder())
    #expect(folder.hasPrefix("/"))
  }
}
