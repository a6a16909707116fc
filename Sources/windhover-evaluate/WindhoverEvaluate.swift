import CommandLineOptions

@main struct WindhoverEvaluate {
  static func main() {
    Program(
      name: "windhover-evaluate", summary: "score detectors against truth, and compare them", version: "0.1.0",
      commands: [ScoreCommand.command, CompareCommand.command]
    ).main()
  }
}
