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

  @Test func partsFollowEachOtherAndEachIsMadeOnce() throws {
    let path = NSTemporaryDirectory() + "windhover-atomic-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var made = 0
    let parts = sequence(state: 0) { (state: inout Int) -> Data? in
      state += 1
      made += 1
      return state > 4 ? nil : Data(repeating: UInt8(state), count: state == 3 ? 0 : state * 100_000)
    }
    try AtomicFile.write(parts, to: path)
    let expected = [1, 2, 4].map { Data(repeating: UInt8($0), count: $0 * 100_000) }.reduce(Data(), +)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == expected)
    #expect(made == 5)
    try AtomicFile.write([Data](), to: path)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
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
