import Execution
import Foundation
import Testing

@testable import DatasetReaders

/// `windhover-detect landmarks`, as a user runs it.
struct DetectLandmarksProgramTests {
  private let folder = ProgramFolder()

  private func writePicture(_ name: String) throws { try folder.writePicture(name, width: 90, height: 80) }

  private func landmarks(_ arguments: String...) throws -> ChildProcess.Result {
    try folder.run("detect", ["landmarks"] + arguments)
  }

  private struct Line: Decodable {
    struct Face: Decodable {
      var points: [[Double]]
      var layout: String
      var pose: [String: Double]?
    }
    var faces: [Face]
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func boxesOfAPictureOfAnotherSizeAreRefused()
    throws
  {
    try writePicture("a.pgm")
    let photo = "\(folder.path)/a.pgm"
    for (size, status) in [("90, \"height\": 80", 0), ("180, \"height\": 160", 1)] as [(String, Int32)] {
      try AtomicFile.write(
        "{\"image\": \"\(photo)\", \"width\": \(size), \"detections\": [{\"label\": \"face\", \"box\": [20, 15, 40, 40], "
          + "\"score\": 1}]}\n", to: "\(folder.path)/boxes.jsonl")
      let result = try landmarks("--json", "--boxes", "\(folder.path)/boxes.jsonl", photo)
      #expect(result.status == status, "\(result.errors)")
      #expect(
        result.errors.contains("of another size than the picture: found 180 x 160, expected 90 x 80") == (status == 1))
      #expect(result.output.isEmpty == (status == 1))
    }
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func facesDoNotTakeOneAnothersPointFiles()
    throws
  {
    try writePicture("a.pgm")
    try writePicture("a_1.pgm")
    func line(_ name: String, _ count: Int) -> String {
      let boxes = (0..<count).map { "{\"label\": \"face\", \"box\": [\(20 + 5 * $0), 15, 40, 40], \"score\": 1}" }
      return "{\"image\": \"\(folder.path)/\(name)\", \"width\": 90, \"height\": 80, \"detections\": ["
        + boxes.joined(separator: ", ") + "]}\n"
    }
    try AtomicFile.write(line("a.pgm", 2) + line("a_1.pgm", 1), to: "\(folder.path)/boxes.jsonl")
    let result = try landmarks(
      "--boxes", "\(folder.path)/boxes.jsonl", "--pts", "\(folder.path)/pts", "\(folder.path)/a.pgm",
      "\(folder.path)/a_1.pgm")
    #expect(
      result.status == 1 && result.errors.contains("a_1.pts: holds a face of another picture"), "\(result.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/pts").sorted()
    #expect(files == ["a_1.pts", "a_2.pts"])
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func theFormatsHaveTheSamePoints() throws {
    try writePicture("a, b.pgm")
    let photo = "\(folder.path)/a, b.pgm"
    let json = try landmarks("--json", "--box", "20,15,40,40", "--pts", "\(folder.path)/pts", photo)
    #expect(json.status == 0, "\(json.errors)")
    let face = try #require(try JSONDecoder().decode(Line.self, from: Data(json.output.utf8)).faces.first)
    #expect(face.points.count == 68 && face.layout == "ibug68")
    let csv = try landmarks("--format", "csv", "--box", "20,15,40,40", photo).output.split(separator: "\n")
    #expect(csv[0] == "image,face,box_x,box_y,box_width,box_height,confidence,roll,yaw,pitch,layout,point,x,y")
    #expect(csv.count == 69)
    for (k, point) in face.points.enumerated() {
      let expected = String(format: ",ibug68,%d,%.2f,%.2f", k, point[0], point[1])
      #expect(
        csv[k + 1].hasPrefix("\"\(photo)\",1,20.00,15.00,40.00,40.00,") && csv[k + 1].hasSuffix(expected),
        "\(csv[k + 1])")
    }
    let text = try landmarks("--box", "20,15,40,40", photo).output
    #expect(text.hasPrefix("\(photo): 20.0 15.0 40.0 40.0  confidence ") && text.contains("  roll "))
    #expect(text.hasSuffix(String(format: " %.1f,%.1f\n", face.points[67][0], face.points[67][1])))
    // Pixels counted from 1: our 0.5 is their 1.
    let pts = try String(contentsOfFile: "\(folder.path)/pts/a, b.pts", encoding: .utf8)
    let body = face.points.map { String(format: "%.2f %.2f\n", $0[0] + 0.5, $0[1] + 0.5) }.joined()
    #expect(pts == "version: 1\nn_points: 68\n{\n\(body)}\n")
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func eachOfSeveralFacesHasAFileOfPoints() throws
  {
    try writePicture("photo.pgm")
    let result = try landmarks(
      "--box", "20,15,40,40", "--box", "10,5,60,60", "--pts", "\(folder.path)/pts", "\(folder.path)/photo.pgm")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/pts").sorted() == [
        "photo_1.pts", "photo_2.pts",
      ])
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func wrongUsesAreRefused() throws {
    try writePicture("photo.pgm")
    let photo = "\(folder.path)/photo.pgm"
    let tiny = try landmarks("--box", "0,0,1e-9,1e-9", photo)
    #expect(tiny.status == 2 && tiny.errors.contains("sides of 4 pixels and more"), "\(tiny.errors)")
    #expect(try landmarks("--json", "--format", "csv", "--box", "20,15,40,40", photo).status == 2)
  }

  /// A model whose points all lie at one spot, as dlib would write it, has no pose: `-`, null, nothing between commas.
  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func whatDeterminesNoPoseIsUndefinedAndNotZero()
    throws
  {
    try writePicture("photo.pgm")
    // Version 1, a mean shape of 68 equal points (0.5 is 1 times 2 to the -1), no levels, no anchors, no offsets.
    var bytes: [UInt8] = [1, 1, 0x81, 136, 0x81, 1]
    for _ in 0..<136 { bytes += [1, 1, 0x81, 1] }
    bytes += [1, 0, 1, 0, 1, 0]
    try AtomicFile.write(Data(bytes), to: "\(folder.path)/spot.dat")
    func run(_ format: String) throws -> String {
      let result = try landmarks(
        "--model", "\(folder.path)/spot.dat", "--box", "20,15,41,41", "--format", format, "\(folder.path)/photo.pgm")
      #expect(result.status == 0, "\(result.errors)")
      return result.output
    }
    let json = try run("json")
    let face = try #require(try JSONDecoder().decode(Line.self, from: Data(json.utf8)).faces.first)
    #expect(face.pose == nil && face.points.allSatisfy { $0 == [40.5, 35.5] }, "\(json)")
    #expect(json.contains("\"pose\":null") && json.contains("\"confidence\":null"))
    #expect(try run("text").contains("  confidence -  roll - yaw - pitch -  points 40.5,35.5 "))
    #expect(try run("csv").split(separator: "\n")[1].hasSuffix(",20.00,15.00,41.00,41.00,,,,,ibug68,0,40.50,35.50"))
  }
}
