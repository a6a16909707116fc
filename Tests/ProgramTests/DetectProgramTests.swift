import Execution
import Foundation
import Testing

@testable import DatasetReaders

/// The built windhover-detect, as a user runs it.
struct DetectProgramTests {
  private let folder = ProgramFolder()

  private func writePicture(_ name: String) throws { try folder.writePicture(name, width: 48, height: 40) }

  private func detect(_ arguments: String...) throws -> ChildProcess.Result {
    try folder.run("detect", ["objects"] + arguments)
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built"))
  func aMissingListEntryIsNamedAndTheOthersAreDone() throws {
    try writePicture("first.pgm")
    try writePicture("last.pgm")
    try folder.write("first.pgm\nmissing.pgm\nlast.pgm\n", to: "list.txt")
    let result = try detect("list:\(folder.path)/list.txt")
    #expect(result.status == 1)
    #expect(result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } } == ["first.pgm", "last.pgm"])
    #expect(result.errors.contains("list.txt:2") && result.errors.contains("missing.pgm"))
    #expect(result.errors.contains("1 of 3 pictures could not be done"))
    // One word tells how bad it is, not two.
    #expect(result.errors.contains("warning: ") && !result.errors.contains("error: "))
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func aPictureThatIsNamedTwiceIsDoneOnce() throws
  {
    try writePicture("first.pgm")
    try writePicture("last.pgm")
    let (first, last) = ("\(folder.path)/first.pgm", "\(folder.path)/last.pgm")
    let result = try detect("--json", first, last, first, last, first)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.split(separator: "\n").count == 2)
    #expect(result.errors.contains("done once: 3 of 5 pictures"))
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func aListOfNothingThatIsThereFails() throws {
    try folder.write("missing.pgm\n", to: "list.txt")
    let result = try detect("list:\(folder.path)/list.txt", "--output", "\(folder.path)/out.txt")
    #expect(result.status == 1)
    #expect(result.errors.contains("missing.pgm"))
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func drawingsKeepTheFoldersOfTheirPictures()
    throws
  {
    for name in ["photos/a/x.pgm", "photos/b/x.pgm", "photos/b/x.ppm", "photos/y.pgm"] { try writePicture(name) }
    let result = try detect("\(folder.path)/photos", "--draw", "\(folder.path)/drawn")
    #expect(result.status == 0, "\(result.errors)")
    for name in ["a/x.png", "b/x.png", "b/x-2.png", "y.png"] {
      #expect(FileManager.default.fileExists(atPath: "\(folder.path)/drawn/\(name)"), "\(name)")
    }
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built"), arguments: ["text", "csv"])
  func smallScoresKeepTheirDigits(format: String) throws {
    try writePicture("photo.pgm")
    try folder.writeCascade("all.xml", width: 6, height: 8)
    let result = try detect("\(folder.path)/photo.pgm", "--model", "\(folder.path)/all.xml", "--format", format)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains(format == "csv" ? ",1e-05,,object" : "score 1e-05  object"), "\(result.output)")
  }
}
