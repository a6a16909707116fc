import Execution
import Foundation

@testable import DatasetReaders

/// A folder of a test's own, and the built programs run as a user runs them.
final class ProgramFolder: Sendable {
  let path = NSTemporaryDirectory() + "windhover-program-\(UUID().uuidString)"

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private static let programs = (InstalledFiles.programFolder() ?? "") + "/windhover-"

  /// Whether a test build has made the programs, too.
  static let areBuilt = ["train", "evaluate", "detect", "data", "experiment"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: programs + $0)
  }

  /// - Parameters:
  ///   - program: its name behind "windhover-".
  ///   - input: a file that is its standard input.
  func run(_ program: String, _ arguments: [String], input: String? = nil) throws -> ChildProcess.Result {
    var words = [ProgramFolder.programs + program] + arguments
    if let input { words = ["/bin/sh", "-c", "exec \"$@\" < \"$0\"", input] + words }
    return try ChildProcess.run(
      words[0], Array(words.dropFirst()), scratch: path,
      environment: ProcessInfo.processInfo.environment,
      cancellation: Cancellation())
  }

  func write(_ text: String, to name: String) throws {
    try AtomicFile.write(text, to: "\(path)/\(name)")
  }

  /// A grey picture of a pattern, whatever its suffix.
  func writePicture(_ name: String, width: Int, height: Int, step: Int = 7) throws {
    let values = (0..<width * height).map { String($0 * step % 251) }.joined(separator: " ")
    try write("P2\n\(width) \(height)\n255\n\(values)\n", to: name)
  }

  /// OpenCV's file of a cascade that every window passes, by the 1e-5 that is taken off a stage's threshold.
  func writeCascade(_ name: String, width: Int, height: Int) throws {
    try write(
      """
      <?xml version="1.0"?>
      <opencv_storage>
      <cascade><stageType>BOOST</stageType><featureType>HAAR</featureType><height>\(height)</height><width>\(width)</width>
      <featureParams><maxCatCount>0</maxCatCount></featureParams>
      <stageNum>1</stageNum>
      <stages><_><stageThreshold>0.5</stageThreshold>
      <weakClassifiers><_><internalNodes>0 -1 0 1.25</internalNodes><leafValues>0.5 0.5</leafValues></_></weakClassifiers></_></stages>
      <features><_><rects><_>0 1 6 4 -1.</_><_>2 1 2 4 3.</_></rects></_></features></cascade>
      </opencv_storage>
      """, to: name)
  }
}
