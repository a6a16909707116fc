import CommandLineOptions
import Windhover

@main struct WindhoverDetect {
  static func main() {
    Program(
      name: "windhover-detect", summary: "find objects in pictures", version: windhoverVersion,
      commands: [ObjectsCommand.command, LandmarksCommand.command]
    ).main()
  }
}
