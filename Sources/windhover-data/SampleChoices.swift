import CommandLineOptions
import DatasetReaders
import Detection
import Execution
import Experiments
import Geometry
import Imaging

/// What the options of `windhover-data samples` ask for.
struct SampleChoices {
  private let options: ParsedOptions
  private let sources: [AnnotatedSource]
  private let backgrounds: [AnnotatedSource]
  private let usesPictures: Bool

  /// - Throws: `UsageError` where options contradict each other.
  init(_ options: ParsedOptions) throws {
    self.options = options
    usesPictures = options.isGiven("--picture")
    func refuse(_ names: [String], _ reason: String) throws {
      if let name = names.first(where: { options.isGiven($0) }) { throw UsageError("\(name): \(reason)") }
    }
    if usesPictures {
      if let operand = options.operands.first {
        throw UsageError("\(operand): samples are made of data sets or of pictures, not of both at once")
      }
      try refuse(
        ["--copies", "--targets", "--objects", "--largest-enlargement", "--least-visible"],
        "is for the objects of data sets; of pictures --count tells how many samples are made")
    } else {
      try refuse(["--scenes"], "needs pictures: --picture FILE")
      try refuse(
        ["--background", "--background-level", "--transparent", "--tolerance", "--whole"],
        "is for pictures: give --picture FILE")
      if options.operands.isEmpty { throw UsageError("names of data sets, or --picture FILE, are missing") }
    }
    if options.flag("--scenes") {
      try refuse(
        ["--background-level", "--whole", "--context", "--fit", "--shift", "--scale", "--sheet-count"],
        "does nothing with --scenes")
      if !options.isGiven("--background") { throw UsageError("--scenes needs photos: --background DATASET") }
    } else {
      try refuse(["--scene-objects", "--largest-scale", "--scene-format"], "is for --scenes")
    }
    if options.isGiven("--background"), options.isGiven("--background-level") {
      throw UsageError("--background and --background-level contradict: one of them is laid under")
    }
    if options.isGiven("--tolerance"), !options.isGiven("--transparent") {
      throw UsageError("--tolerance is that of --transparent COLOUR")
    }
    let targets = options.text("--targets")
    if let targets { _ = try AnnotationFilter.parse(targets) }
    sources = try options.operands.map { AnnotatedSource(data: try .parse($0), targets: targets) }
    backgrounds = try options.list("--background").map { AnnotatedSource(data: try .parse($0)) }
  }

  func samples() throws -> SampleJob {
    let material: SampleJob.Material =
      usesPictures
      ? .pictures(try pictures())
      : .objects(sources, labels: options.isGiven("--objects") ? options.list("--objects") : nil)
    return SampleJob(
      material, options: try sampling(), windowSize: try window(),
      count: try options.integer("--count", in: 1...Int(Int32.max)))
  }

  func scenes() throws -> SceneJob {
    var sampling = try sampling()
    sampling.windowSize = try window() ?? SampleJob.defaultWindow
    var job = SceneJob(try pictures(), options: sampling)
    if let count = try options.integer("--count", in: 1...99_999) { job.count = count }
    job.objects = try options.integer("--scene-objects", in: 0...1000) ?? 1
    job.largestScale = try options.number("--largest-scale", in: 1...10_000)
    job.format = options.text("--scene-format") == "jpg" ? .jpeg : .png
    return job
  }

  private func pictures() throws -> SamplePictures {
    var pictures = SamplePictures(paths: options.list("--picture"), backgrounds: backgrounds)
    pictures.transparent = try transparent()
    pictures.tolerance = try options.integer("--tolerance", in: 0...255) ?? 80
    pictures.level = UInt8(try options.integer("--background-level", in: 0...255) ?? 128)
    pictures.showsWhole = options.flag("--whole")
    return pictures
  }

  private func transparent() throws -> RGBColor? {
    guard let text = options.text("--transparent") else { return nil }
    let values = text.split(separator: ",", omittingEmptySubsequences: false).map { UInt8($0) }
    switch (values.count, values.compactMap { $0 }.count) {
    case (1, 1): return RGBColor(red: values[0]!, green: values[0]!, blue: values[0]!)
    case (3, 3): return RGBColor(red: values[0]!, green: values[1]!, blue: values[2]!)
    default:
      throw UsageError("--transparent: found \"\(text)\", expected a grey or red,green,blue, each of 0 to 255")
    }
  }

  private func window() throws -> PixelSize? {
    guard let text = options.text("--window") else { return nil }
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1], (1...1024).contains(width),
      (1...1024).contains(height)
    else { throw UsageError("--window: found \"\(text)\", expected WIDTHxHEIGHT of 1 to 1024, for example 24x24") }
    return PixelSize(width: width, height: height)
  }

  private func sampling() throws -> PositiveSampleOptions {
    var result = PositiveSampleOptions(windowSize: SampleJob.defaultWindow)
    result.fit = options.text("--fit").flatMap(PositiveSampleOptions.Fit.init) ?? (usesPictures ? .cover : .area)
    result.context = try options.number("--context", in: 0.1...10) ?? result.context
    result.largestEnlargement = try options.number("--largest-enlargement", in: 0.1...100) ?? result.largestEnlargement
    result.leastVisibleShare = try options.number("--least-visible", in: 0...1) ?? result.leastVisibleShare
    result.mirrors = options.flag("--mirror")
    result.copies = try options.integer("--copies", in: 0...10_000) ?? 0
    // Pictures are turned by the limits of opencv_createsamples: 1.1 and 0.5 radians, 40 levels. They are shifted and scaled
    // too, as it does not: a cascade would learn their exact places, and miss what lies between the steps of a scan. Scenes
    // draw places and sizes of their own.
    result.jitterShift = try options.number("--shift", in: 0...1) ?? 0.05
    result.jitterScale = try options.number("--scale", in: 0...1) ?? 0.1
    result.jitterRotation = try options.number("--turn", in: 0...180) ?? (usesPictures ? 29 : 5)
    result.jitterTiltX = try options.number("--tilt-x", in: 0...75) ?? (usesPictures ? 63 : 0)
    result.jitterTiltY = try options.number("--tilt-y", in: 0...75) ?? (usesPictures ? 63 : 0)
    result.jitterIntensity = try options.number("--intensity", in: 0...255) ?? (usesPictures ? 40 : 0)
    result.inversion = options.text("--invert").flatMap(PositiveSampleOptions.Inversion.init) ?? .never
    result.seed = try options.seed("--seed") ?? 1
    return result
  }
}
