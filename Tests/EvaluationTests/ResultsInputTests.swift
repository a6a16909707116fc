import Execution
import Foundation
import Testing

@testable import Evaluation

#if canImport(Glibc)
  import Glibc
#endif

struct ResultsInputTests {
  @Test func aPipeByNameIsNoRegularFileAndDoesNotHang() throws {
    let pipe = NSTemporaryDirectory() + "windhover-results-\(UUID().uuidString)"
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    for path in [pipe, "/dev/null"] {
      let error = #expect(throws: InputError.self) { try ResultsFile.read(path) }
      #expect(error?.description.contains("not a regular file") == true)
      #expect(error?.source == path)
    }
  }

  @Test func anInputThatCannotBeReadIsAnError() throws {
    let folder = open("/", O_RDONLY)
    defer { close(folder) }
    for descriptor in [folder, -1] {
      let error = #expect(throws: InputError.self) { try ResultsFile.bytes(of: descriptor, name: "standard input") }
      #expect(error?.source == "standard input")
    }
  }

  @Test func allOfAPipeIsRead() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let text = Array("{\"image\"".utf8)
    #expect(write(ends[1], text, text.count) == text.count)
    close(ends[1])
    defer { close(ends[0]) }
    #expect(try ResultsFile.bytes(of: ends[0], name: "standard input") == Data(text))
  }
}
