import Execution
import Foundation
import Testing

@testable import DatasetReaders

/// Command lines by which an output would take the place of something that is read, as a user gives them.
struct OverwriteProgramTests {
  private let folder = ProgramFolder()

  /// Two photos in lists and with labels of all kinds, a cascade that finds something everywhere, and results.
  private func fill() throws {
    for (name, shift) in [("photo.ppm", 7), ("scene.ppm", 11)] {
      try folder.writePicture(name, width: 90, height: 80, step: shift)
      let points = (0..<68).map { "\(20 + $0 % 9 * 4) \(20 + $0 / 9 * 4)\n" }.joined()
      try folder.write("version: 1\nn_points: 68\n{\n\(points)}\n", to: "\(name.dropLast(4)).pts")
    }
    try folder.write("photo.ppm 2 4 4 24 24 30 30 24 24\n", to: "info.txt")
    try folder.write("scene.ppm\n", to: "list.txt")
    try folder.write("scene.ppm\n", to: "split.txt")
    try folder.write(
      "{\"positives\": [\"info:\(folder.path)/info.txt\"], \"negatives\": [\"bg:\(folder.path)/list.txt\"]}",
      to: "job.json")
    try folder.write(
      "<opencv_storage>\n<camera_matrix type_id=\"opencv-matrix\"/>\n</opencv_storage>\n", to: "camera.xml")
    let box = "{\"label\": \"face\", \"box\": [20, 15, 40, 40], \"score\": 1}"
    try folder.write(
      "{\"image\": \"photo.ppm\", \"width\": 90, \"height\": 80, \"detections\": [\(box), \(box)]}\n", to: "two.jsonl")
    try folder.write(
      "{\"image\": \"\(folder.path)/photo.ppm\", \"width\": 90, \"height\": 80, \"detections\": [{\"label\": \"face\", "
        + "\"box\": [4, 4, 24, 24], \"score\": 1}]}\n", to: "boxes.jsonl")
    try folder.writeCascade("all.xml", width: 24, height: 24)
    // One sample of 2 x 2: a count, four values, nothing, and a byte before the values.
    try AtomicFile.write(
      Data([1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0] + [9, 0, 8, 0, 7, 0, 6, 0]), to: "\(folder.path)/a.vec")
    let models = try #require(InstalledFiles.folders(named: "models", checkoutPath: "Sources/Windhover/Models").first)
    try FileManager.default.copyItem(
      atPath: "\(models)/face-lbp-fast.safetensors", toPath: "\(folder.path)/m.safetensors")
    // A picture with a drawing's name, labels and a detector with a checkpoint's, an experiment, and other names of files.
    try FileManager.default.copyItem(atPath: "\(folder.path)/photo.ppm", toPath: "\(folder.path)/x.png")
    try FileManager.default.copyItem(atPath: "\(folder.path)/info.txt", toPath: "\(folder.path)/m.checkpoint")
    try FileManager.default.copyItem(atPath: "\(folder.path)/m.safetensors", toPath: "\(folder.path)/d.checkpoint")
    try folder.write(
      "{\"title\": \"T\", \"purpose\": \"P\", \"model\": \"\(folder.path)/all.xml\", \"boxes\": [{\"name\": \"config\", "
        + "\"data\": [\"info:\(folder.path)/info.txt\"]}]}", to: "config.json")
    try folder.write("x.png\n", to: "drawn.txt")
    try FileManager.default.createDirectory(atPath: "\(folder.path)/faces", withIntermediateDirectories: false)
    for (name, target) in [
      ("link.json", "photo.ppm"), ("odd.vec", "info.txt"), ("link.safetensors", "all.xml"),
      ("faces/photo_1.pts", "../scene.pts"),
    ] { #expect(symlink(target, "\(folder.path)/\(name)") == 0) }
  }

  /// What the folder holds, by name.
  private func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in
        FileManager.default.contents(atPath: "\(folder.path)/\(name)").map { (name, $0) }
      })
  }

  /// `@` stands for the folder; what follows ` < ` is given as standard input.
  private func run(_ line: String) throws -> ChildProcess.Result {
    let parts = line.replacing("@", with: folder.path).split(separator: " < ").map(String.init)
    let words = parts[0].split(separator: " ").map(String.init)
    return try folder.run(words[0], Array(words.dropFirst()), input: parts.count > 1 ? parts[1] : nil)
  }

  @Test(
    .enabled(if: ProgramFolder.areBuilt, "the programs are built"),
    arguments: [
      ("--report", "train cascade -p info:@/info.txt -n bg:@/list.txt -o @/new.xml --report @/photo.ppm"),
      ("--report", "train cascade -p info:@/info.txt -n bg:@/list.txt -o @/new.xml --report @/scene.ppm"),
      (
        "--report",
        "train cascade -p info:@/info.txt -n bg:@/list.txt -o @/new.xml --leave-out-faults --report @/link.json"
      ),
      ("--report", "train hog -p info:@/info.txt -n bg:@/list.txt -o @/new.safetensors --report @/scene.ppm"),
      ("--report", "train hog --config @/job.json -o @/new.safetensors --report @/job.json"),
      ("--report", "train hog --config @/job.json -o @/new.safetensors --report @/info.txt"),
      ("the checkpoint of --output", "train landmarks -d ibug:@ --detector @/d.checkpoint -o @/d --restart"),
      ("--json", "evaluate stages -m @/all.xml -p info:@/info.txt -n bg:@/list.txt --json @/scene.ppm"),
      ("--json", "evaluate stages -m @/all.xml -p info:@/info.txt -n bg:@/list.txt --json @/all.xml"),
      ("--json", "evaluate score @/boxes.jsonl -t info:@/info.txt --json @/boxes.jsonl"),
      ("--html", "evaluate score @/boxes.jsonl -t info:@/info.txt --html @/photo.ppm"),
      ("--results", "evaluate run -m @/all.xml -t ibug:@?split=@/split.txt --results @/split.txt"),
      ("--html", "evaluate landmarks landmarks -d ibug:@ --html @/photo.pts"),
      ("--sheet", "data samples --picture @/photo.ppm --background bg:@/list.txt --sheet @/scene.ppm"),
      ("--sheet", "data samples --picture @/photo.ppm --sheet @/photo.ppm"),
      ("--output", "data samples info:@/info.txt --window 24x24 -o @/odd.vec"),
      ("--pts", "detect landmarks ibug:@ --box 20,15,40,40 --pts @"),
      ("--pts", "detect landmarks ibug:@?split=@/split.txt --box 20,15,40,40 --pts @"),
      ("--json", "evaluate score - -t info:@/info.txt --json @/boxes.jsonl < @/boxes.jsonl"),
      ("--output", "detect landmarks @/photo.ppm --boxes - -o @/boxes.jsonl < @/boxes.jsonl"),
      ("--output", "experiment run @ -o @"),
      ("--output", "detect landmarks @/photo.ppm --detector @/all.xml -o @/all.xml"),
      ("--output", "detect landmarks @/photo.ppm --boxes @/boxes.jsonl -o @/boxes.jsonl"),
      ("--output", "detect objects @/photo.ppm -m @/all.xml -o @/all.xml"),
      ("--output", "detect objects @/photo.ppm @/scene.ppm -m @/all.xml -o @/scene.ppm"),
      ("--draw", "detect objects list:@/drawn.txt -m @/all.xml --draw @"),
      ("--export", "detect model @/all.xml --export @/all.xml"),
      ("--export", "detect model @/m.safetensors --export @/m.safetensors"),
      ("--output", "data samples vec:@/a.vec -o @/a.vec"),
    ] as [(String, String)])
  func anInputIsNotOverwritten(option: String, line: String) throws {
    try fill()
    let before = try contents()
    let result = try run(line)
    #expect(result.status == 2, "\(result.status): \(result.errors)\(result.output)")
    #expect(result.errors.contains("\(option) would overwrite a file that is read: "), "\(result.errors)")
    #expect(try contents() == before)
  }

  /// How many faces a picture has is known when they are found: the other pictures are done.
  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func pointsThatWouldOverwriteLabelsAreLeftOut()
    throws
  {
    try fill()
    let before = try contents()
    let result = try run("detect landmarks ibug:@ --boxes @/two.jsonl --pts @/faces -o @/out.txt")
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errors.contains("--pts would overwrite a file that is read: "), "\(result.errors)")
    var after = try contents()
    #expect(after.removeValue(forKey: "out.txt")?.isEmpty == false)
    #expect(after == before)
  }

  /// `-` is standard output where the help says so, and a file's name elsewhere.
  @Test(
    .enabled(if: ProgramFolder.areBuilt, "the programs are built"),
    arguments: [
      "train hog -p info:@/info.txt -n bg:@/list.txt -o - --report -",
      "evaluate run -m @/all.xml -t info:@/info.txt --results - --html -",
    ])
  func oneNameIsNotGivenToTwoOutputs(line: String) throws {
    try fill()
    let result = try run(line)
    #expect(result.status == 2 && result.errors.contains("name one file: -"), "\(result.errors)")
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func aModelIsWrittenAgainUnderAnyName() throws {
    try fill()
    for name in ["new.xml", "new.XML", "new.dat", "new"] {
      for _ in 0..<2 {
        let result = try run("detect model @/all.xml --export @/\(name)")
        #expect(result.status == 0, "\(name): \(result.errors)")
      }
    }
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func whatIsNoModelIsNotReplacedByOne() throws {
    try fill()
    let before = try contents()
    for line in [
      "train cascade -p info:@/info.txt -n bg:@/list.txt -o @/camera.xml",
      "detect model @/all.xml --export @/camera.xml",
      "train calibrate @/all.xml -p info:@/info.txt -o @/link.safetensors",
      "train hog -p info:@/m.checkpoint -n bg:@/list.txt -o @/m --restart",
      "train hog --config @/m.checkpoint -o @/m",
    ] {
      let result = try run(line)
      #expect(
        result.status == 2 && result.errors.contains("would overwrite a file of another kind"), "\(result.errors)"
      )
    }
    #expect(try contents() == before)
  }

  @Test(.enabled(if: ProgramFolder.areBuilt, "the programs are built")) func whatIsNotReadIsReplaced() throws {
    try fill()
    try folder.write("old", to: "out.json")
    for line in [
      "detect objects @/photo.ppm -m @/all.xml -o @/out.json",
      "evaluate stages -m @/all.xml -p info:@/info.txt -n bg:@/list.txt --windows 100 --json @/out.json",
      "evaluate score @/boxes.jsonl -t info:@/info.txt --leave-out-unknown --missing-as-empty --json @/out.json",
    ] {
      let before = try contents()["out.json"]
      let result = try run(line)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try contents()["out.json"] != before)
    }
  }
}
