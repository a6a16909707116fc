import CommandLineOptions
import Windhover

@main struct WindhoverExperiment {
  static func main() {
    Program(
      name: "windhover-experiment", summary: "run recorded experiments",
      commands: [RunCommand.command, TableCommand.command, QuickstartCommand.command]
    ).main()
  }
}
