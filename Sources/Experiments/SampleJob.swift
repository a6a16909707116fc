import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging

/// What samples of a cascade's window are made from, and how: what `windhover-data samples` does.
///
/// Either objects of annotated sets (packed samples are sets too), or pictures of an object laid over backgrounds.
public struct SampleJob: Sendable {
  public enum Material: Sendable {
    /// Objects of these sets with one of these labels; `nil` takes all labels.
    case objects([AnnotatedSource], labels: [String]?)
    case pictures(SamplePictures)
  }

  public var material: Material
  /// How objects become windows. Its window's size is taken from `windowSize`.
  public var options: PositiveSampleOptions
  /// `nil` takes the size of the packed samples where all sources are such of one size, 24 x 24 otherwise.
  public var windowSize: PixelSize?
  /// How many samples; `nil` takes every one there is, and 1000 of pictures.
  public var count: Int?

  public static let defaultWindow = PixelSize(width: 24, height: 24)
  public static let defaultPictureCount = 1000

  public init(_ material: Material, options: PositiveSampleOptions, windowSize: PixelSize? = nil, count: Int? = nil) {
    self.material = material
    self.options = options
    self.windowSize = windowSize
    self.count = count
  }

  /// Opens everything that samples are made from.
  ///
  /// - Throws: `InputError` for options, sets and pictures that cannot be used, and where more samples are asked for than
  ///   there are; `UnreadablePhotos` with all photos that cannot be opened; `CancelledError`.
  public func samples(
    executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> SampleCollection {
    switch material {
    case .objects(let sources, let labels):
      return try objectSamples(sources, labels, executor, progress, cancellation)
    case .pictures(let pictures):
      var options = options
      options.windowSize = windowSize ?? SampleJob.defaultWindow
      try options.validate()
      let read = try pictures.read(executor: executor)
      let backgrounds = try pictures.windows(
        of: options, executor: executor, progress: progress, cancellation: cancellation)
      let number = count ?? SampleJob.defaultPictureCount
      let samples = try PicturePositives(
        read, count: number, backgrounds: backgrounds, level: pictures.level, options: options,
        showsWhole: pictures.showsWhole)
      return SampleCollection(
        samples: samples, indices: Array(0..<number),
        summary: .init(
          samples: number, width: options.windowSize.width, height: options.windowSize.height, pictures: read.count,
          backgroundWindows: backgrounds?.count, seed: options.seed))
    }
  }

  private func objectSamples(
    _ sources: [AnnotatedSource], _ labels: [String]?, _ executor: ParallelExecutor, _ progress: any ProgressSink,
    _ cancellation: Cancellation
  ) throws -> SampleCollection {
    let loaded = try LoadedSources(sources)
    guard let set = loaded.dataset else { throw InputError(source: "samples", problem: "no data set is named") }
    set.tellProblems(to: progress)
    var options = options
    options.windowSize = windowSize ?? SampleJob.packedSize(set) ?? SampleJob.defaultWindow
    try options.validate()
    let photos = try OpenedPhotos(
      DatasetTrainingSource(set, uses: loaded.uses), executor: executor, progress: progress, cancellation: cancellation)
    let samples = try AnnotatedPositives(photos, options: options, labels: labels.map { Set($0) })
    let number = count ?? samples.count
    guard number <= samples.count else {
      let each = options.copies + (number - samples.count + samples.objectCount - 1) / samples.objectCount
      throw InputError(
        source: set.name, problem: "has fewer samples than are asked for",
        found: "\(samples.objectCount) objects, which give \(samples.count) samples", expected: "\(number)",
        hint: "jittered copies make more: \(each) of each object are enough")
    }
    var leftOut: [String: Int] = [:]
    for object in samples.leftOut { leftOut[object.reason.rawValue, default: 0] += 1 }
    return SampleCollection(
      samples: samples, indices: samples.inFileOrder(Array(0..<number)),
      summary: .init(
        samples: number, width: options.windowSize.width, height: options.windowSize.height,
        objects: samples.objectCount, available: samples.count, leftOut: leftOut, seed: options.seed))
  }

  /// The size of packed samples, where there is nothing else and it is one.
  private static func packedSize(_ set: Dataset) -> PixelSize? {
    var size: PixelSize?
    for source in set.sources {
      guard case .vecSample(let file, _) = source, size == nil || size == file.sampleSize else { return nil }
      size = file.sampleSize
    }
    return size
  }
}

/// Pictures of an object, and what they are laid over.
public struct SamplePictures: Sendable {
  public var paths: [String]
  /// A colour that is transparent, besides what a PNG says is; `nil`: none.
  public var transparent: RGBColor?
  /// How far each channel may be from it.
  public var tolerance: Int
  /// Photos without objects, or whose objects are kept clear of.
  public var backgrounds: [AnnotatedSource]
  /// The grey that pictures are laid over where there are no backgrounds.
  public var level: UInt8
  /// Whether samples show all of the turned picture.
  public var showsWhole: Bool

  public init(paths: [String], backgrounds: [AnnotatedSource] = []) {
    self.paths = paths
    self.backgrounds = backgrounds
    transparent = nil
    tolerance = 80
    level = 128
    showsWhole = false
  }

  /// - Throws: `InputError` for a picture that cannot be read or shows nothing.
  func read(executor: ParallelExecutor) throws -> [PicturePositives.Picture] {
    guard !paths.isEmpty else { throw InputError(source: "samples", problem: "no picture is named") }
    return try executor.map(paths.count) { index in
      let path = paths[index]
      var cutOut = try CutOut(contentsOf: path)
      if let transparent {
        cutOut = cutOut.withTransparent(transparent, tolerance: tolerance)
        guard cutOut.isVisible else {
          throw InputError(
            source: path, problem: "shows nothing",
            found: "only values within \(tolerance) of the transparent colour", hint: "take a smaller tolerance")
        }
      }
      return PicturePositives.Picture(name: (path as NSString).lastPathComponent, cutOut: cutOut)
    }
  }

  /// The windows of the backgrounds; `nil` where there are none.
  func windows(
    of options: PositiveSampleOptions, executor: ParallelExecutor, progress: any ProgressSink,
    cancellation: Cancellation
  ) throws -> NegativeWindows? {
    guard let photos = try openedBackgrounds(executor, progress, cancellation) else { return nil }
    var lattice = NegativeWindowOptions(windowSize: options.windowSize)
    lattice.seed = options.seed
    let windows = try NegativeWindows(photos, options: lattice, executor: executor)
    windows.tellLeftOut(source: "backgrounds", to: progress)
    return windows
  }

  func openedBackgrounds(
    memory: Int = 256 << 20, _ executor: ParallelExecutor, _ progress: any ProgressSink, _ cancellation: Cancellation
  ) throws -> OpenedPhotos? {
    let loaded = try LoadedSources(backgrounds)
    guard let set = loaded.dataset else { return nil }
    set.tellProblems(to: progress)
    return try OpenedPhotos(
      DatasetTrainingSource(set, uses: loaded.uses), memory: memory, executor: executor, progress: progress,
      cancellation: cancellation, phase: "opening backgrounds")
  }
}
