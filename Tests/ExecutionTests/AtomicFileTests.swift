import Execution
import Foundation
import Testing

struct AtomicFileTests {
  @Test func replacesTheWholeFileAndLeavesNothingBeside() throws {
    let folder = NSTemporaryDirectory() + "windhover-atomic-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/deep/file.txt"
    try AtomicFile.write("first, a long one", to: path)
    try AtomicFile.write("second", to: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "second")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/deep") == ["file.txt"])
  }

  @Test func aFolderInTheWayIsNamed() throws {
    let folder = NSTemporaryDirectory() + "windhover-atomic-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect { try AtomicFile.write("x", to: folder) } throws: { error in
      "\(error)".contains(folder) && "\(error)".contains("a folder")
    }
  }
}
