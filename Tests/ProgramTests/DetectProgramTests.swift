import Execution
import Foundation
import Testing

@testable import DatasetReaders

/// The built windhover-detect, as a user runs it.
struct DetectProgramTests {
  private static let program = (InstalledFiles.programFolder() ?? "") + "/windhover-detect"
  private static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program) }

  private let folder = NSTemporaryDirectory() + "windhover-detect-\(UUID().uuidString)"

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ text: String, to name: String) throws {
    try AtomicFile.write(text, to: "\(folder)/\(name)")
  }

  private func writePicture(_ name: String) throws {
    let values = (0..<48 * 40).map { String($0 * 7 % 251) }.joined(separator: " ")
    try write("P2\n48 40\n255\n\(values)\n", to: name)
  }

  private func detect(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      Self.program, ["objects"] + arguments, scratch: folder, environment: ProcessInfo.processInfo.environment,
      cancellation: Cancellation())
  }

  @Test(.enabled(if: isBuilt, "the program is built")) func aMissingListEntryIsNamedAndTheOthersAreDone() throws {
    defer { remove() }
    try writePicture("first.pgm")
    try writePicture("last.pgm")
    try write("first.pgm\nmissing.pgm\nlast.pgm\n", to: "list.txt")
    let result = try detect("list:\(folder)/list.txt")
    #expect(result.status == 1)
    #expect(result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } } == ["first.pgm", "last.pgm"])
    #expect(result.errors.contains("list.txt:2") && result.errors.contains("missing.pgm"))
    #expect(result.errors.contains("1 of 3 pictures could not be done"))
    // One word tells how bad it is, not two.
    #expect(result.errors.contains("warning: ") && !result.errors.contains("error: "))
  }

  @Test(.enabled(if: isBuilt, "the program is built")) func aPictureThatIsNamedTwiceIsDoneOnce() throws {
    defer { remove() }
    try writePicture("first.pgm")
    try writePicture("last.pgm")
    let (first, last) = ("\(folder)/first.pgm", "\(folder)/last.pgm")
    let result = try detect("--json", first, last, first, last, first)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.split(separator: "\n").count == 2)
    #expect(result.errors.contains("done once: 3 of 5 pictures"))
  }

  @Test(.enabled(if: isBuilt, "the program is built")) func aListOfNothingThatIsThereFails() throws {
    defer { remove() }
    try write("missing.pgm\n", to: "list.txt")
    let result = try detect("list:\(folder)/list.txt", "--output", "\(folder)/out.txt")
    #expect(result.status == 1)
    #expect(result.errors.contains("missing.pgm"))
  }

  @Test(.enabled(if: isBuilt, "the program is built")) func drawingsKeepTheFoldersOfTheirPictures() throws {
    defer { remove() }
    for name in ["photos/a/x.pgm", "photos/b/x.pgm", "photos/b/x.ppm", "photos/y.pgm"] { try writePicture(name) }
    let result = try detect("\(folder)/photos", "--draw", "\(folder)/drawn")
    #expect(result.status == 0, "\(result.errors)")
    for name in ["a/x.png", "b/x.png", "b/x-2.png", "y.png"] {
      #expect(FileManager.default.fileExists(atPath: "\(folder)/drawn/\(name)"), "\(name)")
    }
  }

  @Test(.enabled(if: isBuilt, "the program is built"), arguments: ["text", "csv"])
  func smallScoresKeepTheirDigits(format: String) throws {
    defer { remove() }
    try writePicture("photo.pgm")
    // Every window passes, by the 1e-5 that is taken off a stage's threshold.
    try write(
      """
      <?xml version="1.0"?>
      <opencv_storage>
      <cascade><stageType>BOOST</stageType><featureType>HAAR</featureType><height>8</height><width>6</width>
      <featureParams><maxCatCount>0</maxCatCount></featureParams>
      <stageNum>1</stageNum>
      <stages><_><stageThreshold>0.5</stageThreshold>
      <weakClassifiers><_><internalNodes>0 -1 0 1.25</internalNodes><leafValues>0.5 0.5</leafValues></_></weakClassifiers></_></stages>
      <features><_><rects><_>0 1 6 4 -1.</_><_>2 1 2 4 3.</_></rects></_></features></cascade>
      </opencv_storage>
      """, to: "all.xml")
    let result = try detect("\(folder)/photo.pgm", "--model", "\(folder)/all.xml", "--format", format)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains(format == "csv" ? ",1e-05,,object" : "score 1e-05  object"), "\(result.output)")
  }
}
