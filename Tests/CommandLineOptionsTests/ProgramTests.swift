import CommandLineOptions
import Execution
import Testing

struct ProgramTests {
  struct Failure: Error {}

  let program = Program(
    name: "test-program", summary: "Tests.", version: "1",
    commands: [
      Command(CommandSpecification(name: "work", summary: "Works.")) { _, _ in },
      Command(CommandSpecification(name: "fail", summary: "Fails.")) { _, _ in throw Failure() },
      Command(CommandSpecification(name: "stop", summary: "Stops.")) { _, _ in throw CancelledError() },
    ])

  @Test(
    arguments: [
      (["work"], 0), (["fail"], 1), (["stop"], 130), (["work", "extra"], 2), (["work", "--nothing"], 2), (["other"], 2),
      ([], 2), (["--version"], 0), (["--help"], 0), (["work", "--help"], 0), (["help", "work"], 0),
      (["help", "no"], 2),
    ] as [([String], Int32)])
  func exitStatus(arguments: [String], status: Int32) {
    #expect(program.run(arguments) == status)
  }
}
