import CommandLineOptions
import Execution
import Synchronization
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

  /// What cannot change a file is not in the record of how it was made, however it is written; all else is, as given.
  @Test(
    arguments: [
      (["x"], "p work x"), (["--threads", "5", "x"], "p work x"), (["x", "--threads=2"], "p work x"),
      (["--name", "a b", "--threads", "1", "-o", "f"], "p work --name 'a b' -o f"),
      (["--again", "--name=--threads", "x"], "p work --name=--threads x"),
      (["--keep", "--threads", "3", "--", "--threads", "4"], "p work --keep -- --threads 4"),
    ] as [([String], String)])
  func recordedCommandLine(arguments: [String], expected: String) {
    let recorded = Mutex("")
    let specification = CommandSpecification(
      name: "work", summary: "Works.", operands: .any("WORDS"),
      options: [
        .value("--name", "NAME", help: "A name."), .value("--output", "FILE", short: "-o", help: "A file."),
        .flag("--keep", help: "Keeps."), .flag("--again", help: "Begins anew.").unrecorded(), .threads,
      ])
    let program = Program(
      name: "p", summary: "Tests.",
      commands: [Command(specification) { _, context in recorded.withLock { $0 = context.recordedCommandLine } }])
    #expect(program.run(["work"] + arguments) == 0)
    #expect(recorded.withLock { $0 } == expected)
  }
}
