import CommandLineOptions
import Foundation
import Windhover

/// `windhover-detect landmarks`: points, pose and confidence of faces.
enum LandmarksCommand {
  static let command = Command(
    CommandSpecification(
      name: "landmarks", summary: "Find the landmarks of faces.",
      discussion: """
        PATH is a picture, a folder or a data set. Faces are where --box says (one picture), where a results file says
        (--boxes), or where our detector finds them with a confidence of 0.5 and more. Output has one entry a picture, in order:

          text   one line a face: picture, box (x y width height), confidence, head pose, points (x,y ...)
          json   one JSON object a line: {"image", "width", "height", "faces": [{"box", "points": [[x, y], ...], "layout",
                 "confidence", "pose": {"roll", "yaw", "pitch", ...}}]}
          csv    a header, then one line a point

        Coordinates are pixels of the upright picture from its top left corner: the first pixel reaches from 0 to 1 and its
        centre is 0.5, 0.5. dlib counts from that centre and rounds: its points are ours less 0.5, to whole pixels. 300-W's
        .pts files (--pts) count it as 1: ours and 0.5. Points are numbered from 0. Roll is positive clockwise, yaw to the
        picture's right, pitch downward, in degrees. What cannot be told is - in text, null in JSON, empty in CSV: the
        confidence of a model that has learnt none, the pose of other points than a face's 68 and of points that no head
        could show. What the points are: windhover-detect model NAME.
        """,
      operands: .oneOrMore("PATH"),
      options: [
        .value(
          "--model", "NAME|FILE", short: "-m", help: "A landmark model: a name, or a .safetensors or .dat file.",
          default: "landmarks"),
        .value("--detector", "NAME|FILE", help: "The face detector.", default: "face"),
        .value("--boxes", "FILE", help: "Face boxes from a results file (JSON lines)."),
        .list("--box", "X,Y,W,H", help: "A face box in pixels."),
        .value("--layout", "NAME", help: "Points to give.", choices: LandmarkLayout.all.map(\.name)),
        .value("--starts", "N", help: "Starts a face, whose median is taken.", default: "1"),
        .value("--confidence", "P", help: "Least confidence of a fit, 0 to 1 (models that have learnt it)."),
        .value(
          "--format", "FORMAT", short: "-f", help: "What to write.", default: "text", choices: ["text", "json", "csv"]),
        .flag("--json", help: "The same as --format json."),
        .value("--output", "FILE", short: "-o", help: "Write there, whole or not at all, not to standard output.")
          .written(),
        .value(
          "--pts", "DIR",
          help:
            "Also write each face's points as 300-W's .pts (pixels counted from 1) into this folder: NAME.pts, or NAME_1.pts and on where a picture has several."
        ).written(.folder),
        .value(
          "--draw", "DIR",
          help:
            "Also write each picture with its landmarks drawn, as PNG, into this folder; folders within PATH are kept."
        ).written(.folder),
        .value(
          "--outlines", "HOW", help: "How groups of points are drawn.", default: "layout",
          choices: ["layout", "open", "closed"]),
        .value("--max-pixels", "N", help: "Refuse larger pictures.", default: "100000000"),
        .threads,
      ],
      examples: [
        (
          "windhover-detect landmarks photo.jpg --draw out",
          "Landmarks of all faces, and a picture of them."
        ),
        (
          "windhover-detect landmarks -m shape_predictor_68_face_landmarks.dat --box 80,60,150,150 photo.jpg",
          "dlib's predictor on a given box."
        ),
        ("windhover-detect landmarks --json list:photos.txt > faces.jsonl", "Points for another program."),
      ]),
    run: run)

  private static func run(_ options: ParsedOptions, _ context: CommandContext) throws {
    let executor = try options.executor()
    let output = options.text("--output")
    let format = try format(options)
    let model = try LandmarkRun.model(ModelCatalog.path(of: options.requiredText("--model")))
    let run = LandmarkRun(
      model: model, starts: try options.integer("--starts", in: 1...64) ?? 1, executor: executor)
    let layout = options.text("--layout").flatMap(LandmarkLayout.named)
    let least = try options.number("--confidence", in: 0...1)
    if least != nil, model.confidence == nil { throw UsageError("--confidence: the model has learnt none") }
    let outlines = options.requiredText("--outlines")
    if options.isGiven("--outlines"), !options.isGiven("--draw") { throw UsageError("--outlines needs --draw") }
    let isClosed: Bool? = outlines == "layout" ? nil : outlines == "closed"
    let given = try options.list("--box").map(box)
    let (pictures, faults) = try Picture.list(options.operands, context)
    let drawings = options.text("--draw").map { Picture.drawingPaths(pictures, folder: $0) }
    let pointFiles = options.text("--pts").map { Picture.drawingPaths(pictures, folder: $0, suffix: "pts") }
    var outputs = context.outputs
    for path in drawings ?? [] { try outputs.file("--draw", path) }
    for path in pointFiles ?? [] { try outputs.file("--pts", path) }
    if !given.isEmpty && (pictures.count != 1 || options.isGiven("--boxes")) {
      throw UsageError("--box is for one picture, and not with --boxes")
    }
    let find: (String, ByteImage) throws -> [Box]
    if !given.isEmpty {
      find = { _, _ in given }
    } else if let path = options.text("--boxes") {
      let file = try ResultsFile.read(path, executor: executor)
      let byName = Dictionary(file.images.map { ($0.image, $0) }, uniquingKeysWith: { a, _ in a })
      let unnamed = pictures.filter { byName[$0.name] == nil }
      if unnamed.count == pictures.count {
        throw InputError(
          source: path, field: "image", problem: "no line is about a picture that is given",
          found: "names such as \"\(file.images[0].image)\"",
          expected: "names such as \"\(pictures.first?.name ?? "")\"")
      }
      if let first = unnamed.first {
        context.progress.receive(
          .warning("\(path): no line for \(unnamed.count) of \(pictures.count) pictures, for example \(first.name)"))
      }
      find = { name, image in
        guard let line = byName[name] else { return [] }
        try LandmarkFaceSet.expect(line, of: image, source: path)
        return line.detections.map(\.box).filter { box in
          guard let problem = LandmarkRun.fault(of: box, in: image.size) else { return true }
          context.progress.receive(
            .warning("\(path): a box of \(name) \(problem): \(box.words); left out"))
          return false
        }
      }
    } else {
      let detector = try ModelCatalog.detector(options.requiredText("--detector"))
      find = { _, image in
        // As windhover-detect objects leaves unsure boxes out.
        detector.detect(in: image, options: detector.scanOptions, executor: executor)
          .filter { ($0.confidence ?? 1) >= 0.5 }.map(\.box)
      }
    }
    let read = try Picture.readOptions(options)
    var text = format.header
    if output == nil { try StandardOutput.write(text) }
    var failures = faults
    var written: Set<String> = []
    for (number, picture) in pictures.enumerated() {
      try context.cancellation.check()
      do {
        let image = try picture.source.read(options: read)
        var result = try run.landmarks(
          of: image, name: picture.name, boxes: try find(picture.name, image), layout: layout)
        if let least { result.faces.removeAll { ($0.confidence ?? 0) < least } }
        let lines = try format.lines(result)
        if output != nil { text += lines } else { try StandardOutput.write(lines) }
        if let path = pointFiles?[number] {
          for (index, face) in result.faces.enumerated() {
            let own = result.faces.count == 1 ? path : "\(path.dropLast(4))_\(index + 1).pts"
            guard written.insert(own).inserted else {
              throw InputError(
                source: own, problem: "holds a face of another picture of this run", found: "a face of \(picture.name)",
                expected: "pictures whose names do not differ by _1, _2 alone",
                hint: "do such pictures in runs of their own")
            }
            // How many faces there are was not known before.
            try FileUse.ofProgram.willReplace(FilePlace(own), option: "--pts")
            try AtomicFile.write(LandmarkFormat.pts(face), to: own)
          }
        }
        if let drawings {
          let canvas = try Canvas(image.rgb(), scale: Picture.drawingScale(image))
          canvas.draw(result, layout: layout ?? run.layout, isClosed: isClosed)
          try ImageFile.write(canvas.image(), to: drawings[number])
        }
      } catch  where error is InputError || error is OverwriteError {
        failures += 1
        context.progress.receive(.warning("\(error)"))
      }
    }
    if let output { try AtomicFile.write(text, to: output) }
    if failures > 0 {
      throw InputError(source: "pictures", problem: "some could not be done", found: "\(failures) of \(pictures.count)")
    }
  }

  private static func format(_ options: ParsedOptions) throws -> LandmarkFormat {
    let asked = LandmarkFormat(rawValue: options.requiredText("--format")) ?? .text
    guard options.flag("--json") else { return asked }
    if options.isGiven("--format"), asked != .json { throw UsageError("--json and --format \(asked) contradict") }
    return .json
  }

  private static func box(_ text: String) throws -> Box {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 4, let x = parts[0], let y = parts[1], let width = parts[2], let height = parts[3],
      case let box = Box(x: x, y: y, width: width, height: height), box.isWithinLimit, !box.isEmpty
    else { throw UsageError("--box: found \"\(text)\", expected X,Y,WIDTH,HEIGHT in pixels") }
    guard min(box.width, box.height) >= LandmarkRun.leastBoxSide else {
      throw UsageError(
        "--box: found \"\(text)\", expected sides of \(Int(LandmarkRun.leastBoxSide)) pixels and more (X,Y,WIDTH,HEIGHT)"
      )
    }
    return box
  }
}
