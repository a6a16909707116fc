import DatasetReaders
import Evaluation
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import Testing

@testable import Experiments

@Suite("Landmarks from data sets")
struct LandmarkFaceSetTests {
  /// A folder of pictures with a dark triangle on light ground, and .pts files of its corners.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString)").path

    init(count: Int) throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for index in 0..<count {
        var random = RandomStream(seed: 5, stream: UInt64(index))
        let (x, y) = (20 + 8 * random.uniform(), 20 + 8 * random.uniform())
        let corners = [Point(x: x, y: y), Point(x: x + 24, y: y + 2), Point(x: x + 11, y: y + 22)]
        var image = ByteImage(width: 64, height: 64, channelCount: 1, filledWith: 200)
        for row in 0..<64 {
          for column in 0..<64 {
            let at = Point(x: Double(column) + 0.5, y: Double(row) + 0.5)
            if corners.contains(where: { $0.distance(to: at) < 5 }) { image.pixels[row * 64 + column] = 30 }
          }
        }
        try ImageFile.write(image, to: "\(path)/\(index).png")
        let lines = corners.map { "\($0.x + 0.5) \($0.y + 0.5)" }.joined(separator: "\n")
        try AtomicFile.write("version: 1\nn_points: 3\n{\n\(lines)\n}\n", to: "\(path)/\(index).pts")
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// - Note: the pictures are gone with the folder: hold it while they are read.
    func dataset() throws -> Dataset { try Dataset.load(DatasetReference.parse("ibug:\(path)?scale=1.4")) }
  }

  private static var options: ShapePredictorOptions {
    var options = ShapePredictorOptions()
    options.levels = 2
    options.trees = 20
    options.depth = 2
    options.poolSize = 60
    options.oversampling = 5
    return options
  }

  @Test("names of points are put in natural order")
  func naturalOrder() {
    let sorted = ["10", "9", "01", "1", "p2", "p10", "p1", "0", "00"].sorted(by: LandmarkFaceSet.naturallyPrecedes)
    #expect(sorted == ["0", "00", "1", "01", "9", "10", "p1", "p2", "p10"])
  }

  @Test("a detector's boxes are matched, their spread measured, and missed faces get the usual box")
  func boxes() throws {
    let folder = try Folder(count: 6)
    let dataset = try folder.dataset()
    var lines = Self.lines(dataset) { box in
      Box(x: box.x + 0.1 * box.width, y: box.y - 0.1 * box.height, width: box.width, height: box.height)
    }
    lines[5].detections.removeFirst()
    let set = try LandmarkFaceSet.load(
      dataset, boxes: .results(.init(source: "boxes", lines)), largestBox: nil, margin: nil, executor: .serial)
    let spread = try #require(set.spread)
    #expect(spread.found == 5 && spread.missed == 1)
    #expect(abs(spread.shiftX - 0.1) < 1e-9 && abs(spread.shiftY + 0.1) < 1e-9 && abs(spread.scale - 1) < 1e-9)
    #expect(spread.shiftXDeviation < 1e-9)
    for (face, image) in zip(set.faces, dataset.images) {
      let box = image.annotations[0].box
      #expect(abs(face.box.x - box.x - 0.1 * box.width) < 1e-6, "\(face.name)")
    }
    #expect(set.pointNames == ["0", "1", "2"])
    #expect(set.problems.count == 1 && set.problems[0].contains("boxes: boxes on 5 of 6 faces"))
  }

  /// A line for each image with its face's box as `place` turns it, and a small box elsewhere.
  private static func lines(_ dataset: Dataset, _ place: (Box) -> Box) -> [ImageDetections] {
    dataset.images.map { image in
      ImageDetections(
        image: image.name, width: 64, height: 64,
        detections: [
          Detection(box: place(image.annotations[0].box), score: 1, label: "face"),
          Detection(box: Box(x: 0, y: 0, width: 5, height: 5), score: 2, label: "face"),
        ])
    }
  }

  private static func load(_ dataset: Dataset, _ lines: [ImageDetections]) throws -> LandmarkFaceSet {
    try LandmarkFaceSet.load(
      dataset, boxes: .results(.init(source: "boxes", lines)), largestBox: nil, margin: nil, executor: .serial)
  }

  private static func error(_ body: () throws -> LandmarkFaceSet) -> String {
    do {
      _ = try body()
      return "no error"
    } catch { return "\(error)" }
  }

  @Test("joined and repeated sets find the lines of their own image names; what fits two pictures is an error")
  func joinedSets() throws {
    let folders = [try Folder(count: 3), try Folder(count: 4)]
    defer { withExtendedLifetime(folders) {} }
    let (first, second) = (try folders[0].dataset(), try folders[1].dataset())
    let lines = Self.lines(first) { $0.translated(x: 1.5, y: 0) }
    let twice = Dataset.joined([first, first])
    #expect(twice.images[0].name != first.images[0].name)
    let set = try Self.load(twice, lines)
    #expect(set.spread?.found == 6 && set.spread?.missed == 0 && set.problems.isEmpty)
    for (face, image) in zip(set.faces, twice.images) {
      #expect(abs(face.box.x - image.annotations[0].box.x - 1.5) < 1e-9, "\(face.name)")
    }
    // Joined once more: still the first set's own names.
    #expect(try Self.load(Dataset.joined([twice, twice]), lines).spread?.found == 12)
    // "0.png" is in both folders.
    let both = Dataset.joined([first, second])
    #expect(Self.error { try Self.load(both, lines) }.contains("a name fits pictures of two sets: found \"0.png\""))
    let full = Self.lines(both) { $0.translated(x: 1.5, y: 0) }
    #expect(try Self.load(both, full).spread?.found == 7)
  }

  @Test("a results file about none of the images, or of another size, is an error; about some, it is counted")
  func unmatchedLines() throws {
    let folder = try Folder(count: 4)
    defer { withExtendedLifetime(folder) {} }
    let dataset = try folder.dataset()
    let lines = Self.lines(dataset) { $0 }
    var others = lines
    for index in others.indices { others[index].image = "photos/\(index).png" }
    let error = Self.error { try Self.load(dataset, others) }
    #expect(error.contains("photos/0.png") && error.contains("expected names such as \"0.png\""))
    let some = try Self.load(dataset, Array(lines.prefix(3)))
    #expect(some.problems.contains { $0 == "boxes: no line for 1 of 4 images, for example 3.png" })
    #expect(some.problems.contains { $0.contains("boxes on 3 of 4 faces") })
    var resized = lines
    resized[1].width = 128
    #expect(Self.error { try Self.load(dataset, resized) }.contains("found 128 x 64, expected 64 x 64"))
    var elsewhere = lines
    for index in elsewhere.indices { elsewhere[index].detections.removeFirst() }
    #expect(Self.error { try Self.load(dataset, elsewhere) }.contains("no box lies on a labelled face"))
    let detector = LandmarkFaceSet.Boxes.detector("blind") { _ in [] }
    #expect(
      Self.error {
        try LandmarkFaceSet.load(dataset, boxes: detector, largestBox: nil, margin: nil, executor: .serial)
      }.contains("blind: no box lies on a labelled face"))
  }

  @Test("boxes are looked for where the detector's usually lie")
  func matchingRule() throws {
    let folder = try Folder(count: 8)
    defer { withExtendedLifetime(folder) {} }
    let dataset = try folder.dataset()
    // Half as wide, a quarter of a side up: they overlap the labelled boxes by a quarter at most, and yet are right.
    func small(_ box: Box) -> Box {
      Box(
        center: Point(x: box.center.x, y: box.center.y - 0.25 * box.height), width: 0.5 * box.width,
        height: 0.5 * box.height)
    }
    var lines = Self.lines(dataset, small)
    let whole = try #require(try Self.load(dataset, lines).spread)
    #expect(whole.found == 8 && abs(whole.scale - 0.5) < 1e-9 && abs(whole.shiftY + 0.25) < 1e-9)
    // One in the opposite half overlaps the labelled box as much as the others do, but not where they lie.
    let label = dataset.images[7].annotations[0].box
    lines[7].detections[0].box.y += 0.5 * label.height
    let set = try Self.load(dataset, lines)
    #expect(set.spread?.found == 7 && set.spread?.missed == 1)
    let given = set.faces[7].box
    let usual = small(label)
    for (a, b) in [(given.x, usual.x), (given.y, usual.y), (given.width, usual.width)] { #expect(abs(a - b) < 1e-6) }
  }

  @Test("moved boxes: what each kind leaves, how far they go, the same for any number of threads")
  func perturbations() throws {
    let wanted = LandmarkRun.Perturbations(sizes: [0.1, 0.2], draws: 3, seed: 7)
    let box = Box(x: 10, y: 20, width: 40, height: 30)
    var seen: Set<Box> = []
    for face in 0..<50 {
      for draw in 0..<3 {
        let both = wanted.box(box, face: face, draw: draw, size: 0.2, kind: .both)
        let shift = wanted.box(box, face: face, draw: draw, size: 0.2, kind: .shift)
        let scale = wanted.box(box, face: face, draw: draw, size: 0.2, kind: .scale)
        let half = wanted.box(box, face: face, draw: draw, size: 0.1, kind: .shift)
        seen.insert(both)
        #expect(shift.width == box.width && shift.height == box.height)
        #expect(abs(shift.center.x - box.center.x) <= 8 && abs(shift.center.y - box.center.y) <= 6)
        #expect(abs(half.center.x - box.center.x - 0.5 * (shift.center.x - box.center.x)) < 1e-9)
        #expect(scale.center.distance(to: box.center) < 1e-9 && abs(scale.width / 40 - 1) <= 0.2)
        #expect(abs(scale.width / 40 - scale.height / 30) < 1e-9)
        #expect(both.width == scale.width && both.center.distance(to: shift.center) < 1e-9)
      }
    }
    #expect(seen.count == 150)
    let folder = try Folder(count: 12)
    defer { withExtendedLifetime(folder) {} }
    let dataset = try folder.dataset()
    let model = try LandmarkTrainingJob(training: dataset, boxes: .annotated, options: Self.options).run(
      record: Provenance(command: "test", dataSets: [], seed: 0), checkpoint: nil, executor: .serial,
      progress: SilentProgress(), cancellation: nil)
    let reports = try [1, 3].map { threads in
      try LandmarkRun(model: model, executor: ParallelExecutor(threadCount: threads)).report(
        dataset, boxes: .annotated, perturbations: wanted)
    }
    #expect(reports[0].json == reports[1].json)
    #expect(reports[0].perturbations.map(\.kind) == [.both, .both, .shift, .shift, .scale, .scale])
    #expect(reports[0].perturbations.allSatisfy { $0.means.count == 3 && Set($0.means).count == 3 })
    // The means by hand: fit every drawn box.
    let run = LandmarkRun(model: model, executor: .serial)
    var sum = 0.0
    for (index, image) in dataset.images.enumerated() {
      let face = image.annotations[0]
      let moved = wanted.box(face.box, face: index, draw: 1, size: 0.2, kind: .shift)
      let fit = try #require(run.model.fit(try dataset.image(at: index), box: moved))
      let truth = face.landmarks.map(\.point)
      sum +=
        try #require(
          LandmarkMeasure([.init(name: "", truth: truth, found: fit.points)], normalizer: .boxDiagonal).mean) / 12
    }
    #expect(abs(sum - (try #require(reports[0].perturbations[3].means[1]))) < 1e-12)
  }

  @Test("labels that no picture has are told and left out: absurd numbers, boxes outside, points far away")
  func absurdLabels() throws {
    let folder = try Folder(count: 5)
    defer { withExtendedLifetime(folder) {} }
    func line(_ index: Int, _ box: String, _ x: String) -> String {
      "{\"path\": \"\(index).png\", \"annotations\": [{\"box\": \(box), \"label\": \"face\", \"landmarks\": "
        + "[{\"name\": \"0\", \"point\": {\"x\": \(x), \"y\": 30}}]}]}"
    }
    try AtomicFile.write(
      [
        line(0, "[1e300, 0, 5, 5]", "30"), line(1, "[10, 10, 30, 30]", "1e300"), line(2, "[200, 10, 30, 30]", "210"),
        line(3, "[10, 10, 30, 30]", "5000"), line(4, "[10, 10, 30, 30]", "30"),
      ].joined(separator: "\n") + "\n", to: folder.path + "/faces.jsonl")
    let dataset = try Dataset.load(DatasetReference.parse("jsonl:\(folder.path)/faces.jsonl"))
    #expect(dataset.problems.count { $0.message.contains("beyond 10^9 pixels") || $0.message.contains("10^9") } == 2)
    let set = try LandmarkFaceSet.load(dataset, boxes: .annotated, largestBox: nil, margin: nil, executor: .serial)
    #expect(set.faces.map(\.name) == ["4.png"])
    #expect(set.problems.contains { $0.contains("2.png: left out, for its box lies outside the picture of 64 x 64") })
    #expect(set.problems.contains { $0.contains("3.png: left out, for its point 0 lies more than 20 sides") })
  }

  @Test("faces that come to more memory than there is end the reading", arguments: [1, 3])
  func memory(_ threads: Int) throws {
    let folder = try Folder(count: 5)
    let dataset = try folder.dataset()
    func load(_ memory: Int) throws -> LandmarkFaceSet {
      try LandmarkFaceSet.load(
        dataset, boxes: .annotated, largestBox: nil, margin: nil, executor: ParallelExecutor(threadCount: threads),
        memory: memory)
    }
    // Whole photos of 64 x 64.
    #expect(try load(5 * 64 * 64).faces.count == 5)
    let error = #expect(throws: InputError.self) { try load(5 * 64 * 64 - 1) }
    #expect(error?.problem.contains("more memory") == true)
  }

  @Test("faces that are measured may take what those that are learnt from leave", arguments: [false, true])
  func memoryOfBoth(isMirrored: Bool) throws {
    let (folder, other) = (try Folder(count: 2), try Folder(count: 5))
    defer { withExtendedLifetime(other) {} }
    try AtomicFile.write(
      """
      [{"name": "triangle", "summary": "s", "sides": "image", "pointCount": 3, "mirror": [1, 0, 2], "groups": [
        {"name": "rim", "points": [0, 1, 2], "isClosed": true}]}]
      """, to: folder.path + "/triangle.json")
    var job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: Self.options)
    job.validation = try other.dataset()
    job.layout = try LandmarkLayout.find(folder.path + "/triangle.json", pointCount: 3)
    job.isMirrored = isMirrored
    (job.largestBox, job.margin) = (nil, nil)
    func run() throws -> LandmarkModel {
      try job.run(
        record: Provenance(command: "test", dataSets: [], seed: 0), checkpoint: nil, executor: .serial,
        progress: SilentProgress(), cancellation: nil)
    }
    // Whole photos of 64 x 64.
    job.memory = ((isMirrored ? 4 : 2) + 5) * 64 * 64
    _ = try run()
    job.memory -= 1
    let error = #expect(throws: InputError.self) { try run() }
    #expect(error?.problem.contains("more memory") == true)
  }

  @Test("a job trains, keeps a checkpoint that other options refuse, and the model is measured")
  func job() throws {
    let folder = try Folder(count: 30)
    let dataset = try folder.dataset()
    let checkpoint = folder.path + "/model.checkpoint"
    var job = LandmarkTrainingJob(training: dataset, boxes: .annotated, options: Self.options)
    let record = Provenance(command: "test", dataSets: [], seed: 0)
    let model = try job.run(
      record: record, checkpoint: checkpoint, executor: .serial, progress: SilentProgress(), cancellation: nil)
    #expect(model.provenance.dataSets.first?.imageCount == 30)
    let stored = try LandmarkCheckpoint(path: checkpoint)
    #expect(stored.model.predictor.levels.count == 2)
    job.options.trees = 21
    #expect(throws: InputError.self) {
      try job.run(
        record: record, checkpoint: checkpoint, executor: .serial, progress: SilentProgress(), cancellation: nil)
    }
    let run = LandmarkRun(model: model, executor: .serial)
    let report = try run.report(
      dataset, boxes: .annotated, perturbations: .init(sizes: [0.1], kinds: [.both], draws: 2))
    #expect(report.boxes.isEmpty)
    #expect(report.measures.map(\.name) == ["box diagonal", "face size"])
    #expect(try #require(report.measures[0].measure.mean) < 0.05)
    #expect(report.perturbations.count == 1 && report.perturbations[0].mean != nil)
    let image = try dataset.image(at: 0)
    let found = try run.landmarks(of: image, name: "0.png", boxes: [dataset.images[0].annotations[0].box])
    #expect(found.faces.count == 1 && found.faces[0].points.count == 3 && found.faces[0].pose == nil)
    #expect(throws: InputError.self) {
      try run.landmarks(of: image, name: "0.png", boxes: [], layout: LandmarkLayout.named("key6"))
    }
  }

  @Test("what cannot be mirrored or has no landmarks is told")
  func refusals() throws {
    let folder = try Folder(count: 3)
    var job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: Self.options)
    job.isMirrored = true
    let record = Provenance(command: "test", dataSets: [], seed: 0)
    #expect(throws: InputError.self) {
      try job.run(record: record, checkpoint: nil, executor: .serial, progress: SilentProgress(), cancellation: nil)
    }
    let plain = try Dataset.load(DatasetReference.parse("folder:\(folder.path)"))
    #expect(throws: InputError.self) {
      try LandmarkFaceSet.load(plain, boxes: .annotated, largestBox: nil, margin: nil, executor: .serial)
    }
  }
}
