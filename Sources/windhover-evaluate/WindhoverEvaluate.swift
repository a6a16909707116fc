import CommandLineOptions
import Windhover

@main struct WindhoverEvaluate {
  static func main() {
    Program(
      name: "windhover-evaluate", summary: "score detectors against truth, and compare them",
      commands: [
        RunCommand.command, ScoreCommand.command, CompareCommand.command, StagesCommand.command,
        LandmarksCommand.command,
      ]
    ).main()
  }
}
