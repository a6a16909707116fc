import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

/// Cascade trainings from files, end to end.
@Suite("Cascade training jobs")
struct CascadeTrainingJobTests {
  private final class Folder {
    let path = NSTemporaryDirectory() + "windhover-cascade-job-\(UUID().uuidString)"

    init() throws {
      try FileManager.default.createDirectory(atPath: path + "/photos", withIntermediateDirectories: true)
      for index in 0..<3 {
        try ImageFile.write(
          noiseImage(width: 70, height: 60, channelCount: 1, seed: UInt64(index)),
          to: path + "/photos/\(index).png")
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Samples with a bright right half.
    func samples(_ name: String, _ size: PixelSize) throws -> DatasetReference {
      let file = path + "/" + name
      try VecFile.write(count: 40, size: size, to: file) { output in
        for sample in 0..<40 {
          try output.append(
            (0..<size.width * size.height).map { UInt8(($0 % size.width < size.width / 2 ? 20 : 180) + sample) })
        }
      }
      return try .parse("vec:\(file)")
    }

    func job(_ positives: DatasetReference, _ window: PixelSize) throws -> CascadeTrainingJob {
      var job = CascadeTrainingJob(
        positives: [AnnotatedSource(data: positives)],
        negatives: [AnnotatedSource(data: try .parse("folder:\(path)/photos"))])
      job.options.windowSize = window
      job.options.positiveCount = 30
      job.options.negativeCount = 60
      job.options.stageCount = 2
      job.options.memory = 64
      return job
    }
  }

  private let record = RunRecord.now(command: "train it")

  @Test("Packed samples of as many values as the window are read in its shape, and the model says so")
  func packedSamplesTakeTheWindowsShape() throws {
    let folder = try Folder()
    let wide = PixelSize(width: 15, height: 10)
    let job = try folder.job(try folder.samples("wide.vec", wide), wide)
    let model = try job.run(record: record, executor: .serial).model
    #expect(try CascadeDetector(modelFile: model).windowSize == wide)
    #expect(model.provenance.dataSets.first?.name == "vec:\(folder.path)/wide.vec?width=15")
  }

  @Test("Packed samples of another shape than the window's are refused, whatever is said of their width")
  func otherShapesAreRefused() throws {
    let folder = try Folder()
    let square = try folder.samples("square.vec", PixelSize(width: 12, height: 12))
    for (reference, found) in [
      (square, "12 x 12"), (try DatasetReference.parse("\(square)?width=16"), "16 x 9"),
    ] {
      let error = try #require(throws: InputError.self) {
        try folder.job(reference, PixelSize(width: 15, height: 10)).trained(executor: .serial)
      }
      #expect(error.problem == "has samples of another shape than the window's" && error.found == found)
    }
    // The same shape in another size is brought to the window.
    let small = try folder.job(square, PixelSize(width: 8, height: 8))
    #expect(try small.trained(executor: .serial).detector.windowSize == PixelSize(width: 8, height: 8))
  }

  @Test("Windows of a measure: in range, and only where there is one")
  func validationWindows() throws {
    let folder = try Folder()
    let size = PixelSize(width: 12, height: 12)
    var job = try folder.job(try folder.samples("a.vec", size), size)
    job.validationWindows = 100
    let error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
    #expect(error.field == "validationWindows" && error.problem == "means nothing without validation sets")
    job.validationPositives = job.positives
    job.validationNegatives = job.negatives
    for count in [-1, 0, 1_000_000_001] {
      job.validationWindows = count
      let error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
      #expect(error.field == "validationWindows" && error.found == "\(count)")
    }
    // What a file leaves out stays out of what is written.
    let text = try StrictJSON.text(try folder.job(try folder.samples("b.vec", size), size))
    #expect(!text.contains("validationWindows"))
  }

  @Test("A measure on what is trained on is refused, however it is named, copied or packed")
  func sharedValidation() throws {
    let folder = try Folder()
    let files = FileManager.default
    let size = PixelSize(width: 12, height: 12)
    let samples = try folder.samples("a.vec", size)
    var job = try folder.job(samples, size)
    for name in ["held", "linked", "copied"] {
      try files.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
    }
    try ImageFile.write(
      noiseImage(width: 70, height: 60, channelCount: 1, seed: 50), to: folder.path + "/held/other.png")
    try files.createSymbolicLink(
      atPath: folder.path + "/linked/l.png", withDestinationPath: folder.path + "/photos/1.png")
    try files.copyItem(atPath: folder.path + "/photos/2.png", toPath: folder.path + "/copied/c.png")
    try files.copyItem(atPath: folder.path + "/a.vec", toPath: folder.path + "/copy.vec")
    // Each sample by itself, of other values.
    try VecFile.write(count: 3, size: size, to: folder.path + "/held.vec") { output in
      for sample in 0..<3 { try output.append((0..<144).map { UInt8($0 + sample) }) }
    }
    func source(_ text: String) throws -> [AnnotatedSource] { [AnnotatedSource(data: try .parse(text))] }
    let held = try source("folder:\(folder.path)/held")
    let heldSamples = try source("vec:\(folder.path)/held.vec")
    for (positives, negatives) in [
      (job.positives, held), (try source("vec:\(folder.path)/copy.vec"), held),
      (heldSamples, job.negatives), (heldSamples, try source("folder:\(folder.path)/./photos")),
      (heldSamples, try source("folder:\(folder.path)/linked")),
      (heldSamples, held + (try source("folder:\(folder.path)/copied"))),
    ] {
      job.validationPositives = positives
      job.validationNegatives = negatives
      let error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
      #expect(error.problem.contains("shows the same as one of the"))
      #expect(error.source.contains(folder.path) && (error.found ?? "").contains(folder.path))
    }
    job.validationPositives = heldSamples
    job.validationNegatives = held
    #expect(try job.trained(executor: .serial).report.validation?.positives == 3)
  }

  @Test("The same photo by several names counts once, with a warning; a sample that is there again is told")
  func repeatedPhotos() throws {
    let folder = try Folder()
    let size = PixelSize(width: 12, height: 12)
    var job = try folder.job(try folder.samples("a.vec", size), size)
    let count = try job.trained(executor: .serial).report.windowsAvailable
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link.png", withDestinationPath: folder.path + "/photos/0.png")
    try AtomicFile.write("photos/0.png\n./photos/0.png\nlink.png\nphotos/../photos/1.png\n", to: folder.path + "/l.txt")
    job.negatives.append(AnnotatedSource(data: try .parse("list:\(folder.path)/l.txt")))
    job.negatives.append(job.negatives[0])
    let progress = RecordedProgress()
    #expect(try job.trained(executor: .serial, progress: progress).report.windowsAvailable == count)
    let warning = try #require(progress.warnings.first { $0.hasPrefix("negatives: the same pixels") })
    #expect(warning.contains("counts twice: 7 (") && warning.contains("\(folder.path)/l.txt:1: "))
    job.positives.append(job.positives[0])
    let other = RecordedProgress()
    _ = try job.trained(executor: .serial, progress: other)
    #expect(other.warnings.contains { $0.hasPrefix("positives: the same pixels") && $0.contains("40 of 80") })
  }

  @Test("A photo that was cut short is told by file and line, and gives no negatives")
  func cutPhoto() throws {
    let folder = try Folder()
    let size = PixelSize(width: 12, height: 12)
    var job = try folder.job(try folder.samples("a.vec", size), size)
    let count = try job.trained(executor: .serial).report.windowsAvailable
    let whole = try ImageFile.encodeJPEG(noiseImage(width: 70, height: 60, channelCount: 1, seed: 9), quality: 90)
    try Data(whole.prefix(whole.count / 2)).write(to: URL(fileURLWithPath: folder.path + "/cut.jpg"))
    try AtomicFile.write("cut.jpg\n", to: folder.path + "/l.txt")
    job.negatives.append(AnnotatedSource(data: try .parse("list:\(folder.path)/l.txt")))
    let progress = RecordedProgress()
    #expect(try job.trained(executor: .serial, progress: progress).report.windowsAvailable == count)
    #expect(
      progress.warnings.contains {
        $0.hasPrefix("\(folder.path)/l.txt:1: cut.jpg is damaged or cut short: rows from about ")
      })
    job.negatives.removeFirst()
    let error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
    #expect(error.found?.contains("1 that are damaged or were cut short") ?? false)
  }

  @Test(
    "What cannot be done is refused: context of packed samples, no label, and too little memory before data is read")
  func refusedOptions() throws {
    let folder = try Folder()
    let size = PixelSize(width: 12, height: 12)
    let plain = try folder.job(try folder.samples("a.vec", size), size)
    var job = plain
    job.sampling.context = 1.2
    var error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
    #expect(error.problem.contains("cannot be grown") && error.source == "\(folder.path)/a.vec")
    job = plain
    job.options.label = " "
    error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
    #expect(error.field == "label")
    job = plain
    job.positives = [AnnotatedSource(data: try .parse("vec:\(folder.path)/missing.vec"))]
    job.options.windowSize = PixelSize(width: 255, height: 255)
    for (features, count) in [(CascadeTrainerOptions.Features.lbp, 116_532_025), (.haarBasic, 0)] {
      job.options.features = features
      error = try #require(throws: InputError.self) { try job.trained(executor: .serial) }
      #expect(error.field == "memory" && (error.hint ?? "").contains("smaller window"))
      #expect(error.expected?.hasPrefix("at least ") ?? false)
      if count > 0 { #expect(error.expected?.contains("\(count) features") ?? false) }
    }
  }

  @Test("A wrong scan is told before the training, and a right one is the model's")
  func scansAreChecked() throws {
    let folder = try Folder()
    let window = PixelSize(width: 12, height: 12)
    var job = try folder.job(try folder.samples("square.vec", window), window)
    for (scan, field) in [
      (JSONTree.object(["threshold": .text("abc")]), "threshold"), (.object(["nope": .whole(1)]), "nope"),
      (.object(["padding": .whole(1)]), "padding"),
    ] {
      job.scan = scan
      let progress = RecordedProgress()
      let error = try #require(throws: InputError.self) { try job.trained(executor: .serial, progress: progress) }
      #expect(error.source == "scan" && error.field == field)
      #expect(progress.advances.isEmpty)
    }
    // A number that the family's own check refuses, too.
    job.scan = .object(["scaleFactor": .number(0.5)])
    #expect(throws: InputError.self) { try job.trained(executor: .serial) }
    job.scan = .object([
      "threshold": .number(-2.5), "upsampling": .text("byTwo"),
      "suppression": .object(["method": .text("greedy"), "overlap": .number(0.2)]),
    ])
    // The model keeps it, and scans by it when nothing else is asked for; what is not named is the family's own.
    let model = try job.run(record: record, executor: .serial).model
    let detector = try CascadeDetector(modelFile: model)
    #expect(detector.scanOptions.threshold == -2.5 && detector.scanOptions.upsampling == .byTwo)
    #expect(detector.scanOptions.suppression == .greedy(GreedySuppression(overlap: 0.2, accumulation: 1)))
    #expect(detector.scanOptions.scaleFactor == ScanOptions.cascade.scaleFactor)
    let image = try ImageFile.read("\(folder.path)/photos/0.png").image
    #expect(detector.detect(in: image) == detector.detect(in: image, options: detector.scanOptions))
  }

  @Test(
    "What a list names and is missing, and samples that were cut off, are refused by file and line, unless left out")
  func losses() throws {
    let folder = try Folder()
    let size = PixelSize(width: 12, height: 12)
    let samples = try folder.samples("a.vec", size)
    let plain = try folder.job(samples, size)
    try AtomicFile.write("photos/0.png\nphotos/nope.png\r\nphotos/1.png \nodd.gif\n", to: folder.path + "/l.txt")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder.path + "/odd.gif"))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.vec"))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: folder.path + "/cut.vec"))
    for (role, reference, places) in [
      ("negatives", "list:\(folder.path)/l.txt", ["l.txt:2: error: image \"", "l.txt:4: error: image \""]),
      ("positives", "vec:\(folder.path)/cut.vec", ["cut.vec: error: 40 samples announced, 19 whole samples"]),
    ] {
      for roles in [role, "validation"] {
        var job = plain
        let sources = [AnnotatedSource(data: try .parse(reference))]
        if roles == "validation" {
          job.validationPositives = plain.positives
          job.validationNegatives = plain.negatives
        }
        switch (roles, role) {
        case ("negatives", _): job.negatives = sources
        case ("positives", _): job.positives = sources
        case (_, "negatives"): job.validationNegatives = sources
        default: job.validationPositives = sources
        }
        let progress = RecordedProgress()
        let error = try #require(throws: DatasetLosses.self) { try job.trained(executor: .serial, progress: progress) }
        #expect(error.problems.count == places.count && error.description.contains("--leave-out-faults"))
        for place in places { #expect(error.description.contains(place), "\(error)") }
        guard roles != "validation" else { continue }
        job.leavesOutFaults = true
        let told = RecordedProgress()
        _ = try job.trained(executor: .serial, progress: told)
        for place in places { #expect(told.warnings.contains { $0.contains(place) }) }
      }
    }
    // A photo that is there and is none.
    try AtomicFile.write("no photo", to: folder.path + "/photos/x.png")
    var job = plain
    #expect(throws: UnreadablePhotos.self) { try job.trained(executor: .serial) }
    job.leavesOutFaults = true
    let told = RecordedProgress()
    _ = try job.trained(executor: .serial, progress: told)
    #expect(told.warnings.contains { $0.contains("x.png") && $0.hasSuffix("[left out]") })
    #expect(try StrictJSON.text(job).contains("\"leavesOutFaults\" : true"))
    #expect(try !StrictJSON.text(plain).contains("leavesOutFaults"))
  }

  @Test("A copy of an annotated photo among the negatives, without its labels, keeps clear of the objects and is told")
  func copyOfAPositive() throws {
    let folder = try Folder()
    let size = PixelSize(width: 12, height: 12)
    try AtomicFile.write("photos/0.png 2 4 4 20 20 36 30 18 18\n", to: folder.path + "/info.txt")
    var job = try folder.job(try .parse("info:\(folder.path)/info.txt"), size)
    job.negatives = job.positives
    let count = try job.trained(executor: .serial).report.windowsAvailable
    try FileManager.default.copyItem(atPath: folder.path + "/photos/0.png", toPath: folder.path + "/copy.png")
    try AtomicFile.write("copy.png\n", to: folder.path + "/l.txt")
    job.negatives = [AnnotatedSource(data: try .parse("list:\(folder.path)/l.txt"))]
    let progress = RecordedProgress()
    #expect(try job.trained(executor: .serial, progress: progress).report.windowsAvailable == count)
    #expect(
      progress.warnings.contains {
        $0.contains("l.txt:1: copy.png as ") && $0.contains("photos/0.png") && $0.contains("keep clear")
      })
  }

  @Test("Objects too few for a stage get as many copies as fill it, and it is told; --copies is heeded")
  func copiesOfFewObjects() throws {
    let folder = try Folder()
    let size = PixelSize(width: 12, height: 12)
    var job = try folder.job(try folder.samples("a.vec", size), size)
    job.options.stageCount = 1
    // 40 samples for 30 a stage are enough; for 90 they want 2 copies each, with mirror images 1.
    for (wanted, mirrors, copies, count) in [
      (30, nil, nil, 40), (90, nil, nil, 120), (81, true, nil, 120), (90, nil, 0, 40), (90, nil, 4, 200),
      (100_000, nil, nil, 40 * 101),
    ] as [(Int, Bool?, Int?, Int)] {
      job.options.positiveCount = wanted
      job.options.memory = 512
      job.sampling.mirrors = mirrors
      job.sampling.copies = copies
      let progress = RecordedProgress()
      let report = try job.trained(executor: .serial, progress: progress).report
      #expect(report.positivesAvailable == count, "\(wanted), \(String(describing: copies))")
      let isTold = progress.notes.contains { $0.contains("jittered copies of each make \(count)") }
      #expect(isTold == (copies == nil && wanted > 80))
    }
  }

  @Test("A configuration need not name its family, and keeps the largest seed")
  func configurations() throws {
    let folder = try Folder()
    let path = folder.path + "/job.json"
    let start = #"{"positives": ["folder:a"], "negatives": ["folder:b"]"#
    try AtomicFile.write(start + #", "options": {"seed": 18446744073709551615}}"#, to: path)
    #expect(try TrainingChoice.read(CascadeTrainingJob.self, path: path).options.seed == .max)
    try AtomicFile.write(start + #", "family": "hog"}"#, to: path)
    let error = try #require(throws: InputError.self) { try TrainingChoice.read(CascadeTrainingJob.self, path: path) }
    #expect(error.field == "family" && error.expected == "\"cascade\"")
  }
}
