import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

@Suite("Landmark training jobs")
struct LandmarkTrainingJobTests {
  private static var small: ShapePredictorOptions {
    var options = ShapePredictorOptions()
    options.levels = 3
    options.trees = 15
    options.depth = 2
    options.poolSize = 50
    options.oversampling = 4
    return options
  }

  private static func run(
    _ job: LandmarkTrainingJob, checkpoint: String? = nil, threads: Int = 1,
    progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation? = nil
  ) throws -> LandmarkModel {
    try job.run(
      record: Provenance(command: "test", dataSets: [], seed: 0), checkpoint: checkpoint,
      executor: ParallelExecutor(threadCount: threads), progress: progress, cancellation: cancellation)
  }

  private static func error(_ job: () throws -> LandmarkModel) -> InputError? {
    do {
      _ = try job()
      return nil
    } catch { return error as? InputError }
  }

  @Test(
    "parts named 0...10 and 00...10, in the order of letters in the file, are taken in natural order and the order is told",
    arguments: [(0...10).map(String.init), ["00"] + (1...10).map { $0 < 10 ? "0\($0)" : "\($0)" }])
  func naturalOrder(names: [String]) throws {
    let folder = try SpotFolder()
    let letters = names.indices.sorted { names[$0] < names[$1] }
    try folder.write(count: 25, names: names, order: letters)
    let notes = RecordedProgress()
    let model = try Self.run(
      LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: Self.small), progress: notes)
    // The mean shape goes around the circle, point after point.
    let mean = model.predictor.meanShape
    for k in 0..<11 {
      let angle = atan2(Double(mean[2 * k + 1]) - 0.5, Double(mean[2 * k]) - 0.5)
      let expected = 2 * Double.pi * Double(k) / 11
      #expect(cos(angle - expected) > 0.9, "point \(k) lies at \(angle)")
    }
    #expect(notes.told.contains(names[0] == "0" ? "points 0 to 10 in natural order" : "0=00 1=01 2=02"))
    #expect(!names.contains("00") || notes.told.contains("9=09 10=10"))
  }

  @Test("parts that a box lacks are absent: told, and not learnt from")
  func absentParts() throws {
    let folder = try SpotFolder()
    try folder.write(count: 30, names: ["a", "b", "c", "d"], absent: { $0 % 3 == 0 ? 2 : nil })
    let dataset = try folder.dataset()
    #expect(dataset.problems.contains { $0.message.contains("10 boxes lack some of the file's 4 parts") })
    let notes = RecordedProgress()
    let job = LandmarkTrainingJob(training: dataset, boxes: .annotated, options: Self.small)
    let model = try Self.run(job, progress: notes)
    #expect(notes.told.contains("labelled absent, so not learnt from there: c in 10 faces"))
    // Not an average with anything: point c is where the faces that have it have it.
    let whole = try SpotFolder()
    try whole.write(count: 30, names: ["a", "b", "c", "d"])
    let other = try Self.run(
      LandmarkTrainingJob(training: try whole.dataset(), boxes: .annotated, options: Self.small))
    for k in 0..<8 { #expect(abs(model.predictor.meanShape[k] - other.predictor.meanShape[k]) < 0.03) }
    let report = try LandmarkRun(model: model, executor: .serial).report(dataset, boxes: .annotated)
    #expect(report.points.map(\.errors.count) == [30, 30, 20, 30])
  }

  @Test("one face, one point, boxes half outside, pictures of one colour and equal points go through")
  func smallSets() throws {
    for (count, names, shift) in [(1, ["a", "b", "c"], 0.0), (25, ["a"], 0), (12, ["a", "b"], -30)] {
      let folder = try SpotFolder()
      try folder.write(count: count, names: names, shift: shift)
      for leaves in [ShapePredictorOptions.Leaves.boosted, .globalRegression] {
        var options = Self.small
        options.leaves = leaves
        options.localTrees = 3
        options.localDepth = 2
        options.localPool = 20
        options.regressionWidth = 4
        let dataset = try folder.dataset()
        let job = LandmarkTrainingJob(training: dataset, boxes: .annotated, options: options)
        let model = try Self.run(job)
        let read = try LandmarkModel(ModelFile(bytes: try model.modelFile().bytes(), name: "test"))
        let report = try LandmarkRun(model: read, executor: .serial).report(
          dataset, boxes: .annotated, perturbations: .init(sizes: [0.1], draws: 2))
        #expect(report.points[0].errors.count == (names.count == 1 ? 0 : count))
        let found = try LandmarkRun(model: read, executor: .serial).landmarks(
          of: try dataset.image(at: 0), name: "0", boxes: [dataset.images[0].annotations[0].box])
        #expect(found.faces.count == 1 && found.faces[0].points.allSatisfy { $0.allSatisfy(\.isFinite) })
      }
    }
    let folder = try SpotFolder()
    try AtomicFile.write(
      "<dataset><images><image file='g.png'><box left='5' top='5' width='20' height='20'>"
        + (0..<4).map { "<part name='\($0)' x='12' y='12'/>" }.joined() + "</box></image></images></dataset>",
      to: folder.path + "/faces.xml")
    try ImageFile.write(ByteImage(width: 30, height: 30, channelCount: 3, filledWith: 77), to: folder.path + "/g.png")
    let dataset = try folder.dataset()
    let model = try Self.run(LandmarkTrainingJob(training: dataset, boxes: .annotated, options: Self.small))
    let found = try LandmarkRun(model: model, executor: .serial).landmarks(
      of: try dataset.image(at: 0), name: "g", boxes: [dataset.images[0].annotations[0].box])
    for point in found.faces[0].points { #expect(abs(point[0] - 12.5) < 0.1 && abs(point[1] - 12.5) < 0.1) }
  }

  @Test("many faces in pictures of one colour make a model without a confidence, and a warning")
  func oneColour() throws {
    let folder = try SpotFolder()
    let boxes = (0..<24).map { index in
      let parts = [(12, 12), (20, 12), (16, 18), (13, 22)].enumerated().map { k, point in
        "<part name='\(k)' x='\(point.0 + (index + k) % 2)' y='\(point.1 + (index + 2 * k) % 3 % 2)'/>"
      }
      return "<box left='\(5 + index % 3)' top='\(5 + index % 2)' width='20' height='20'>\(parts.joined())</box>"
    }
    try AtomicFile.write(
      "<dataset><images>" + boxes.indices.map { "<image file='g\($0).png'>\(boxes[$0])</image>" }.joined()
        + "</images></dataset>", to: folder.path + "/faces.xml")
    for index in boxes.indices {
      let grey = ByteImage(width: 40, height: 40, channelCount: 3, filledWith: UInt8(70 + index))
      try ImageFile.write(grey, to: folder.path + "/g\(index).png")
    }
    let notes = RecordedProgress()
    let model = try Self.run(
      LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: Self.small), progress: notes)
    #expect(model.confidence == nil && notes.told.contains("no confidence is learnt"))
  }

  @Test("a model keeps its layout whole; files of before have its name alone; a layout of other points is refused")
  func wholeLayout() throws {
    let folder = try SpotFolder()
    try folder.write(count: 25, names: ["a", "b", "c", "d"])
    try AtomicFile.write(
      """
      [{"name": "kite", "summary": "s", "sides": "image", "pointCount": 4, "mirror": [2, 1, 0, 3], "groups": [
        {"name": "rim", "points": [0, 1, 2, 3], "isClosed": true}, {"name": "tail", "points": [3], "isClosed": false}]}]
      """, to: folder.path + "/kite.json")
    var job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: Self.small)
    job.layout = try LandmarkLayout.find(folder.path + "/kite.json", pointCount: 4)
    job.isMirrored = true
    let model = try Self.run(job)
    let path = folder.path + "/model.safetensors"
    try model.write(to: path)
    // Nothing but the model is needed from here on.
    try FileManager.default.removeItem(atPath: folder.path + "/kite.json")
    let read = try LandmarkModel(path: path)
    #expect(read.layout == job.layout && read.predictor.layout == "kite")
    #expect(LandmarkRun(model: read, executor: .serial).layout?.groups.map(\.isClosed) == [true, false])
    let stored = try ModelFormats.read(path)
    #expect(stored.description.contains("layout kite: rim, tail"))
    #expect(try stored.picture() != nil)
    var file = try model.modelFile()
    let options = file.options
    #expect(options.contains("\"wholeLayout\""))
    var tree = try #require(JSONSerialization.jsonObject(with: Data(options.utf8)) as? [String: Any])
    let whole = try #require(tree["wholeLayout"] as? [String: Any])
    func rewritten() throws -> LandmarkModel {
      file.options = String(decoding: try JSONSerialization.data(withJSONObject: tree), as: UTF8.self)
      return try LandmarkModel(ModelFile(bytes: try file.bytes(), name: "test"))
    }
    tree["wholeLayout"] = nil
    #expect(try rewritten().layout == nil)
    for (key, value) in [("pointCount", 5), ("mirror", [0, 2, 1, 1])] as [(String, Any)] {
      tree["wholeLayout"] = whole.merging([key: value]) { $1 }
      #expect(throws: InputError.self, "\(key)") { try rewritten() }
    }
  }

  @Test("a mirror map that does not undo itself is refused before training, and so is a layout of other points")
  func badLayouts() throws {
    let folder = try SpotFolder()
    try AtomicFile.write(
      "[{\"name\": \"odd\", \"summary\": \"\", \"sides\": \"image\", \"pointCount\": 3, \"mirror\": [1, 2, 0], \"groups\": []}]",
      to: folder.path + "/odd.json")
    #expect {
      try LandmarkLayout.find(folder.path + "/odd.json", pointCount: 3)
    } throws: { "\($0)".contains("does not undo itself: found 0 goes to 1, which goes to 2") }
    #expect(throws: InputError.self) { try LandmarkLayout.find("ibug68", pointCount: 3) }
  }

  @Test("an experiment trains and measures landmarks, the same on any number of threads, and its figures make tables")
  func experiment() throws {
    let folder = try SpotFolder()
    try folder.write(count: 30, names: ["a", "b", "c"])
    let text = """
      {"title": "T", "purpose": "P", "train": {"family": "landmarks", "preset": "dlib", "data": ["imglab:\(folder.path)/faces.xml"],
       "options": {"levels": 2, "trees": 10, "depth": 2, "poolSize": 40, "oversampling": 3}}, "landmarks": [{"name": "held",
       "data": [{"data": "imglab:\(folder.path)/faces.xml", "limit": 12}], "perturb": [0.1], "draws": 2}]}
      """
    func configuration(_ text: String) throws -> ExperimentConfiguration {
      try StrictJSON.decode(ExperimentConfiguration.self, from: Data(text.utf8), source: "config.json")
    }
    var results: [ExperimentResult] = []
    for threads in [1, 3] {
      let output = "\(folder.path)/out\(threads)"
      let (result, report) = try ExperimentRunner(
        configuration: configuration(text), output: output, record: RunRecord(command: "test"),
        executor: ParallelExecutor(threadCount: threads)
      ).run()
      results.append(result)
      for name in ["model.safetensors", "training.json", "result.json", "report.md", "held.html", "held.json"] {
        #expect(FileManager.default.fileExists(atPath: "\(output)/\(name)"), "\(name)")
      }
      #expect(report.contains("| held: errors normalised by | mean % | median % | area to 0.08 | failed % |"))
      #expect(report.contains("| held: boxes moved by up to | mean % | growth % |"))
    }
    #expect(results[0].figures == results[1].figures && results[0].modelChecksum == results[1].modelChecksum)
    #expect(results[0].figures.first?.name == "held.box diagonal.mean %")
    try AtomicFile.write(StrictJSON.text(results[0]), to: "\(folder.path)/all/landmarks/x/expected.json")
    let table = try ExperimentTable.markdown(folder: "\(folder.path)/all")
    let mean = try #require(results[0].figures.first?.value)
    #expect(table.contains("| box diagonal | \(String(format: "%.2f", 100 * mean)) |"))
    // What makes no sense is told, not passed over.
    for (change, expected) in [
      ("\"draws\": 2", "\"drawz\": 2"), ("\"draws\": 2", "\"draws\": 0"), ("[0.1]", "[1.5]"),
      ("\"dlib\"", "\"dlob\""), ("\"trees\": 10", "\"trees\": -1"),
    ].map({ ($0.0, text.replacingOccurrences(of: $0.0, with: $0.1)) }) {
      #expect(throws: InputError.self, "\(change)") {
        try ExperimentRunner(
          configuration: configuration(expected), output: "\(folder.path)/bad", record: RunRecord(command: "test"),
          executor: .serial
        ).run()
      }
    }
    let boxes = """
      {"title": "T", "purpose": "P", "model": "\(folder.path)/out1/model.safetensors", "boxes": [{"name": "b", "data":
       ["imglab:\(folder.path)/faces.xml"]}]}
      """
    #expect {
      try ExperimentRunner(
        configuration: configuration(boxes), output: "\(folder.path)/bad", record: RunRecord(command: "test"),
        executor: .serial
      ).run()
    } throws: { "\($0)".contains("is no detector") }
  }

  @Test("a picture of 16 bits and one of colour give the points of the grey one")
  func depths() throws {
    let folder = try SpotFolder()
    try folder.write(count: 30, names: ["a", "b", "c"])
    let dataset = try folder.dataset()
    let model = try Self.run(LandmarkTrainingJob(training: dataset, boxes: .annotated, options: Self.small))
    let grey = SpotFolder.picture(SpotFolder.spots(5, count: 3))
    var sixteen = Data("P5\n56 56\n65535\n".utf8)
    for value in grey.pixels { sixteen += [value, value] }
    try AtomicFile.write(sixteen, to: folder.path + "/sixteen.pgm")
    try ImageFile.write(grey.rgb(), to: folder.path + "/colour.png")
    let run = LandmarkRun(model: model, executor: .serial)
    let boxes = [dataset.images[5].annotations[0].box]
    let expected = try run.landmarks(of: grey, name: "", boxes: boxes).faces
    for name in ["sixteen.pgm", "colour.png"] {
      let image = try ImageFile.read("\(folder.path)/\(name)").image
      #expect(try run.landmarks(of: image, name: "", boxes: boxes).faces == expected, "\(name)")
    }
  }

  @Test(
    "1, 2 and 5 threads, and a run that was stopped after each level, end with the same bytes",
    arguments: [false, true])
  func sameBytes(globally: Bool) throws {
    let folder = try SpotFolder()
    try folder.write(count: 24, names: ["a", "b", "c", "d", "e"])
    var options = Self.small
    if globally {
      options.leaves = .globalRegression
      options.localTrees = 3
      options.localDepth = 3
      options.localPool = 20
      options.regressionWidth = 6
      options.changeFrame = .shape
      options.gradients = [
        .init(resolution: 30, cell: 3, grid: 2, width: 6),
        .init(resolution: 30, cell: 3, grid: 2, width: 6, robustness: 1, alignsAnew: false),
      ]
    }
    let job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: options)
    let expected = try Self.run(job).modelFile().bytes()
    for threads in [2, 5] {
      #expect(try Self.run(job, threads: threads).modelFile().bytes() == expected, "\(threads) threads")
    }
    // Stopped as often as there are levels, each time a level further.
    struct Stop: Error {}
    let checkpoint = folder.path + "/model.checkpoint"
    let stops = options.levels + options.gradients.count
    for stop in 1..<stops {
      let cancellation = Cancellation()
      let watcher = LevelWatcher { cancellation.cancel() }
      #expect(throws: CancelledError.self, "stop \(stop)") {
        try Self.run(job, checkpoint: checkpoint, threads: 2, progress: watcher, cancellation: cancellation)
      }
      let stored = try LandmarkCheckpoint(path: checkpoint).model.predictor
      #expect(stored.levels.count + stored.gradientLevels.count == stop)
    }
    #expect(try Self.run(job, checkpoint: checkpoint).modelFile().bytes() == expected)
  }

  /// Stops a run at the first level that it ends.
  private struct LevelWatcher: ProgressSink {
    let stop: @Sendable () -> Void

    func receive(_ event: ProgressEvent) {
      if case .note(let text) = event, text.hasPrefix("level ") { stop() }
    }
  }

  @Test(
    "a checkpoint with any bit flipped or cut short is refused, and so is one of another training, naming what differs")
  func refusedCheckpoints() throws {
    let folder = try SpotFolder()
    try folder.write(count: 8, names: ["a", "b", "c"])
    let checkpoint = folder.path + "/model.checkpoint"
    var options = Self.small
    options.trees = 3
    options.poolSize = 10
    options.levels = 2
    let job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: options)
    _ = try Self.run(job, checkpoint: checkpoint)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: checkpoint)))
    let damaged = folder.path + "/damaged"
    for seed in 0..<1000 {
      var random = RandomStream(seed: UInt64(seed))
      var copy = bytes
      copy[random.index(below: copy.count)] ^= UInt8(1 << random.index(below: 8))
      try Data(copy).write(to: URL(fileURLWithPath: damaged))
      #expect(throws: InputError.self, "seed \(seed)") { try LandmarkCheckpoint(path: damaged) }
    }
    for tenth in 0...9 {
      try Data(bytes[0..<bytes.count * tenth / 10]).write(to: URL(fileURLWithPath: damaged))
      #expect(throws: InputError.self, "\(tenth) tenths") { try LandmarkCheckpoint(path: damaged) }
    }
    // One whose values alone were changed, in the middle of the leaves.
    var copy = bytes
    copy[copy.count - 200] ^= 1
    try Data(copy).write(to: URL(fileURLWithPath: checkpoint))
    let fault = Self.error { try Self.run(job, checkpoint: checkpoint) }
    #expect(fault?.field == "checksum" && fault?.hint?.contains("--restart") == true, "\(fault as Any)")

    try Data(bytes).write(to: URL(fileURLWithPath: checkpoint))
    var other = job
    other.options.shrinkage = 0.2
    #expect(Self.error { try Self.run(other, checkpoint: checkpoint) }?.field == "options.shrinkage")
    other = job
    other.options.seed = 5
    #expect(Self.error { try Self.run(other, checkpoint: checkpoint) }?.field == "options.seed")
    other = job
    other.isMirrored = true
    other.layout = try LandmarkLayout.read(
      Data(
        #"[{"name":"three","summary":"","sides":"image","pointCount":3,"mirror":[1,0,2],"groups":[]}]"#.utf8),
      name: "test")[0]
    let mirrored = Self.error { try Self.run(other, checkpoint: checkpoint) }
    #expect(mirrored?.field == "--mirror" && mirrored?.found == "without mirrored faces", "\(mirrored as Any)")
    other = job
    other.margin = 0.5
    #expect(Self.error { try Self.run(other, checkpoint: checkpoint) }?.field != nil)
    try ImageFile.write(ByteImage(width: 56, height: 56, channelCount: 1, filledWith: 9), to: folder.path + "/3.png")
    #expect(Self.error { try Self.run(job, checkpoint: checkpoint) }?.field == "data")
  }

  @Test(
    "options that cannot be are told by name",
    arguments: [
      ("shrinkage", "nan"), ("shrinkage", "inf"), ("shrinkage", "0"), ("trees", "0"), ("trees", "1e18"),
      ("levels", "99999999999999999999"), ("levels", "-1"), ("depth", "0"), ("depth", "63"), ("poolSize", "1"),
      ("oversampling", "0"), ("pixelDistance", "0"), ("ridge", "1e300"), ("ridge", "-1"),
      ("gradients[0].ridge", "1e300"),
      ("localRadiusFirst", "1e300"), ("localRadiusLast", "0"), ("regressionWidth", "-5"), ("gradients[0].cell", "4"),
      ("gradients[0].resolution", "0"), ("gradients[0].alignsAnew", "false"), ("seed", "-1"), ("start", "5"),
      ("leaves", "none"), ("trees", "true"),
    ])
  func options(name: String, value: String) throws {
    let (option, given) =
      name.hasPrefix("gradients[0].")
      ? ("gradients", "[{\"\(name.dropFirst("gradients[0].".count))\": \(value)}]") : (name, value)
    let error = Self.error {
      _ = try ShapePredictorOptions().replacing([(option, given)], source: "--set")
      throw CancelledError()
    }
    #expect(error?.field == name, "\(name)=\(value): \(error as Any)")
  }

  @Test(
    "what would take more memory than the machine has, or more pixels than can be named, is told before it is taken")
  func hugeOptions() throws {
    let folder = try SpotFolder()
    try folder.write(count: 3, names: (0..<68).map(String.init))
    var options = ShapePredictorOptions()
    options.levels = 100
    options.trees = 100_000
    options.depth = 8
    options.oversampling = 10_000
    options.poolSize = 65_535
    var job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: options)
    #expect(Self.error { try Self.run(job) }?.problem.contains("more memory") == true)
    // 80 points of 900 pixels each are more than 16 bits count.
    let many = try SpotFolder()
    try many.write(count: 2, names: (0..<80).map(String.init))
    options = .face
    options.localPool = 900
    options.levels = 1
    options.gradients = []
    options.oversampling = 2
    job = LandmarkTrainingJob(training: try many.dataset(), boxes: .annotated, options: options)
    #expect(Self.error { try Self.run(job) }?.field == "localPool")
  }
}
