import Execution
import Geometry
import Imaging

/// All windows of a set of photos that may be a cascade's negatives, each once, in a seeded order.
///
/// The lattice is that of `NegativeWindowOptions`: photos without objects give all their windows, annotated ones those that
/// keep clear of the objects. A photo that is there again, under whatever name, is one photo: its windows are counted once and
/// keep clear of what is annotated in any of its entries, those among the positives too. One that is damaged or was cut short
/// gives none: its grey rows are no photo. How
/// many windows there are is known before any is looked at. The order is a random one over all of
/// them (`IndexPermutation`): any stretch of it spreads over photos, sizes and places as the windows themselves do. A place
/// in the order is one number: that is all a checkpoint keeps.
///
/// **Levels** are made from the grey photo as OpenCV's detection makes them (linear interpolation, to the byte), so that a
/// window looks in training as it looks in a scan.
public struct NegativeWindows: Sendable {
  public let options: NegativeWindowOptions
  /// How many different windows there are.
  public let count: Int
  /// What the photos give.
  public let summary: Summary
  let photos: OpenedPhotos
  let positives: PositiveSampleOptions?
  /// For each photo its first window's number, and `count` at the end.
  let starts: [Int]
  /// Windows of each level of each photo, one photo after the other.
  let levelCounts: [Int]
  /// Where each photo's levels begin in `levelCounts`.
  let levelStarts: [Int]
  /// Of photos that are there several times, by the first: what is annotated in any of them.
  private let joinedAnnotations: [Int: [Annotation]]
  /// Photos that show the same as ones of the positives with objects that are not annotated here, and those photos.
  private let borrowing: [(own: String, other: String)]
  let order: IndexPermutation
  /// See `guide(_:)`.
  let guide: [Int32]
  let guideShift: Int

  public struct Summary: Hashable, Sendable, Codable {
    public var photos = 0
    /// Photos that no negatives may be taken from.
    public var barredPhotos = 0
    /// Photos smaller than the window.
    public var smallPhotos = 0
    /// Photos of which no window is within the smallest and the largest that are asked for.
    public var limitedPhotos = 0
    /// Photos without a window that keeps clear of the objects.
    public var crowdedPhotos = 0
    /// Photos that show the same as earlier ones.
    public var repeatedPhotos = 0
    /// Photos that are damaged or were cut short.
    public var damagedPhotos = 0
    public var largestPhoto: PixelSize?
  }

  /// Counts the windows.
  ///
  /// - Parameters:
  ///   - photos: photos with and without objects; those for which `allowsNegatives` is false give none.
  ///   - positives: how an object's window is cut from its box, which negatives keep clear of; `nil` takes the box.
  ///   - objects: photos of the positives: where one shows the same as a photo here, what is annotated in it counts here too.
  /// - Throws: `InputError` where an option cannot be used. No window at all is no error here: see `requireWindows`.
  /// - Complexity: no photo is opened; O(rows of windows * objects) for annotated ones.
  public init(
    _ photos: OpenedPhotos, options: NegativeWindowOptions, positives: PositiveSampleOptions? = nil,
    objects: OpenedPhotos? = nil, executor: ParallelExecutor = ParallelExecutor()
  ) throws {
    try options.validate()
    try positives?.validate()
    var joined: [Int: [Annotation]] = [:]
    var barred = (0..<photos.count).map { !photos.source.allowsNegatives(at: $0) }
    for (photo, first) in photos.firstAlike.enumerated() where first != photo {
      joined[first, default: photos.source.annotations(at: first)] += photos.source.annotations(at: photo)
      if barred[photo] { barred[first] = true }
    }
    var borrowing: [(own: String, other: String)] = []
    if let objects {
      for (photo, others) in photos.alike(in: objects).sorted(by: { $0.key < $1.key }) {
        let first = photos.firstAlike[photo]
        if others.contains(where: { !objects.source.allowsNegatives(at: $0) }) { barred[first] = true }
        for other in others {
          let known = joined[first] ?? photos.source.annotations(at: first)
          let unknown = objects.source.annotations(at: other).filter { annotation in
            !known.contains { $0.box == annotation.box }
          }
          guard !unknown.isEmpty else { continue }
          joined[first] = known + unknown
          borrowing.append((photos.source.place(at: photo), objects.source.place(at: other)))
        }
      }
    }
    self.borrowing = borrowing
    let (isBarred, annotations) = (barred, joined)
    let counts = executor.map(photos.count) { photo -> [Int] in
      guard photos.firstAlike[photo] == photo, photos.damage[photo] == nil, !isBarred[photo] else { return [] }
      return NegativeWindows.levels(
        photos.sizes[photo], annotations[photo] ?? photos.source.annotations(at: photo), options, positives
      ).map(\.count)
    }
    joinedAnnotations = joined
    var summary = Summary()
    summary.photos = photos.count
    var starts = [0]
    var levelStarts = [0]
    for photo in counts.indices {
      let total = counts[photo].reduce(0, +)
      starts.append(starts[photo] + total)
      levelStarts.append(levelStarts[photo] + counts[photo].count)
      let size = photos.sizes[photo]
      if photos.firstAlike[photo] != photo {
        summary.repeatedPhotos += 1
        continue
      }
      if isBarred[photo] {
        summary.barredPhotos += 1
        continue
      }
      if photos.damage[photo] != nil {
        summary.damagedPhotos += 1
        continue
      }
      if size.width * size.height > (summary.largestPhoto.map { $0.width * $0.height } ?? 0) {
        summary.largestPhoto = size
      }
      if size.width < options.windowSize.width || size.height < options.windowSize.height {
        summary.smallPhotos += 1
      } else if counts[photo].isEmpty {
        summary.limitedPhotos += 1
      } else if total == 0 {
        summary.crowdedPhotos += 1
      }
    }
    self.options = options
    self.photos = photos
    self.positives = positives
    self.summary = summary
    self.starts = starts
    self.levelStarts = levelStarts
    levelCounts = counts.flatMap { $0 }
    count = starts[photos.count]
    order = IndexPermutation(count: count, seed: options.seed)
    (guide, guideShift) = NegativeWindows.guide(starts)
  }

  /// The levels of a photo that gives windows.
  func levels(of photo: Int) -> [LevelWindows] {
    NegativeWindows.levels(
      photos.sizes[photo], joinedAnnotations[photo] ?? photos.source.annotations(at: photo), options, positives)
  }

  private static func levels(
    _ size: PixelSize, _ annotations: [Annotation], _ options: NegativeWindowOptions,
    _ positives: PositiveSampleOptions?
  ) -> [LevelWindows] {
    options.levels(of: size).map { level in
      LevelWindows(level, options: options, annotations: annotations) { positives?.region(of: $0) ?? $0 }
    }
  }

  /// Tells photos that give no windows though nobody said so (those that are there again, and those that are damaged or were
  /// cut short), and those that keep clear of objects that are annotated among the positives alone.
  ///
  /// - Parameter source: what the photos are to the work.
  public func tellLeftOut(source: String = "negatives", to progress: any ProgressSink) {
    if let (count, names) = photos.repeats(among: 0..<photos.count) {
      progress.receive(
        .warning(
          "\(source): the same pixels as an earlier photo, left out so that no window counts twice: \(count) (\(names))"
        ))
    }
    if summary.damagedPhotos > 0 {
      progress.receive(
        .warning(
          "\(source): damaged or cut short, left out so that grey or coarse parts are not learnt from: "
            + "\(summary.damagedPhotos), named above"))
    }
    if !borrowing.isEmpty {
      var names = borrowing.prefix(3).map { "\($0.own) as \($0.other)" }
      if borrowing.count > 3 { names.append("and \(borrowing.count - 3) more") }
      progress.receive(
        .warning(
          "\(source): the same pixels as photos of the positives, whose objects are not annotated here; windows keep clear "
            + "of them: \(borrowing.count) (\(names.joined(separator: ", ")))"))
    }
  }

  /// - Parameter source: what the photos are to the work.
  /// - Throws: `InputError` that says why there is no window, where there is none.
  public func requireWindows(source: String = "negatives") throws {
    guard count == 0 else { return }
    let window = "\(options.windowSize.width) x \(options.windowSize.height)"
    var found = "\(summary.photos) photos"
    if summary.smallPhotos > 0 { found += ", \(summary.smallPhotos) of them smaller than the window" }
    if summary.limitedPhotos > 0 {
      found += ", \(summary.limitedPhotos) without a window \(options.limitWords)"
    }
    if summary.crowdedPhotos > 0 { found += ", \(summary.crowdedPhotos) without a place clear of objects" }
    if summary.barredPhotos > 0 { found += ", \(summary.barredPhotos) that negatives may not be taken from" }
    if summary.damagedPhotos > 0 { found += ", \(summary.damagedPhotos) that are damaged or were cut short" }
    if summary.repeatedPhotos > 0 { found += ", \(summary.repeatedPhotos) the same as others" }
    if let largest = summary.largestPhoto { found += " (the largest is \(largest.width) x \(largest.height))" }
    throw InputError(
      source: source, problem: "there are no windows of \(window)", found: found,
      expected: "photos larger than the window, with places without objects",
      hint: summary.limitedPhotos > 0
        ? "change the limits of windows, or give larger photos" : "give larger photos, or take a smaller window")
  }
}

/// A window of a unit.
public struct NegativeWindow: Hashable, Sendable {
  /// Its left column and top row in the unit's image.
  public var x: Int
  public var y: Int
  /// Its place in the order of all windows.
  public var order: Int
  /// Its level of the photo, and its left column and top row there.
  public var place: Place

  public struct Place: Hashable, Sendable {
    public var level: Int32
    public var x: Int32
    public var y: Int32
  }
}

/// Windows that are looked at together: they lie in one image, of which integral images are built once.
public struct NegativeUnit: Sendable {
  /// The photo's index.
  public let photo: Int
  /// Grey: a whole level of the photo, or windows cut from its levels, one below the other, where they are so few that whole
  /// levels would be a waste.
  public let image: ByteImage
  /// In rising order of their place in the photo.
  public let windows: [NegativeWindow]
}
