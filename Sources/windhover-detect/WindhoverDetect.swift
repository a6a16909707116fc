import CommandLineOptions
import Windhover

@main struct WindhoverDetect {
  static func main() {
    Program(
      name: "windhover-detect", summary: "find objects in pictures",
      commands: [ObjectsCommand.command, LandmarksCommand.command, ModelCommand.command]
    ).main()
  }
}
