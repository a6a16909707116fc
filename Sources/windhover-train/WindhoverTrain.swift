import CommandLineOptions
import Windhover

@main struct WindhoverTrain {
  static func main() {
    Program(
      name: "windhover-train", summary: "train detectors from data sets",
      commands: [HOGCommand.command, CascadeCommand.command, CalibrateCommand.command, LandmarksCommand.command]
    ).main()
  }
}
