import Execution
import Geometry
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Positive samples cut from annotated photos: each object, its mirror image, and jittered copies of it.
///
/// **Order.** All objects come first, then their mirror images, then the first copy of each, the second, and so on, each
/// group in a seeded order of its own, so that any beginning is a fair choice and every object is in it before any is in
/// it twice. What a sample looks like depends on its object and the number of the copy alone.
///
/// **Border.** Where a window sticks out of the photo the border pixels are repeated. **Resampling.** Each pixel of the
/// window is the mean of what it covers where the photo is shrunk, linear between pixels where it is enlarged
/// (`ByteImage.crop`). A rotated copy is interpolated linearly from the photo's smallest halving that still has a pixel for
/// each of the window's.
///
/// Which objects give none, and why, is in `leftOut`. A `.vec` file is read so too: its samples are photos of one object
/// that fills them, and come out as they are where the window has their size.
public struct AnnotatedPositives: PositiveSamples {
  /// An object that gives no sample.
  public struct LeftOut: Hashable, Sendable, CustomStringConvertible {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
      /// The box has no area, or a number in it is not finite.
      case empty
      /// Less of the box lies in the photo than `leastVisibleShare`.
      case outside
      /// The box or its window is more than a hundred times as wide or high as the photo: hardly anything but repeated
      /// borders.
      case tooLarge
      /// The window would have to be enlarged more than `largestEnlargement` times.
      case tooSmall
      /// The label is not one of those asked for.
      case otherLabel

      /// For messages, behind a number.
      public var words: String {
        switch self {
        case .empty: "without area"
        case .outside: "outside the photo"
        case .tooLarge: "far larger than the photo"
        case .tooSmall: "too small"
        case .otherLabel: "with another label"
        }
      }
    }

    public let photo: String
    /// The line that names the photo, where it is known.
    public let origin: FileLine?
    public let box: Box
    public let reason: Reason

    public var description: String {
      "\(origin.map { "\($0): " } ?? "")\(photo): box \(box.words): \(reason.words)"
    }
  }

  public let options: PositiveSampleOptions
  /// Objects that give samples. `count` is this, twice where mirror images are taken, and the copies.
  public let objectCount: Int
  public let leftOut: [LeftOut]
  let photos: OpenedPhotos
  private let objects: [Object]
  private let entries: [Entry]

  private struct Object: Sendable {
    var photo: Int32
    /// Its place among the photo's annotations.
    var annotation: Int32
    var region: Box
  }

  private struct Entry: Sendable {
    var object: Int32
    /// 0 is the object, 1 its mirror image, 2 and more a copy.
    var variant: Int32
  }

  /// - Parameters:
  ///   - labels: of the annotations that are objects; `nil` takes all that are not ignored.
  /// - Throws: `InputError` where an option cannot be used, or no object is left.
  public init(_ photos: OpenedPhotos, options: PositiveSampleOptions, labels: Set<String>? = nil) throws {
    try options.validate()
    var objects: [Object] = []
    var leftOut: [LeftOut] = []
    var copies: [Int32] = []
    for photo in 0..<photos.count {
      let number = photos.source.copies(at: photo) ?? options.copies
      for (index, annotation) in photos.source.annotations(at: photo).enumerated() where !annotation.isIgnored {
        if let reason = AnnotatedPositives.fault(annotation, in: photos.sizes[photo], options, labels) {
          leftOut.append(
            LeftOut(
              photo: photos.source.name(at: photo), origin: photos.source.origin(at: photo), box: annotation.box,
              reason: reason))
          continue
        }
        objects.append(
          Object(photo: Int32(photo), annotation: Int32(index), region: options.region(of: annotation.box)))
        copies.append(Int32(max(0, number)))
      }
    }
    guard !objects.isEmpty else {
      throw AnnotatedPositives.noObjects(photos, leftOut, options, labels)
    }
    var entries: [Entry] = []
    var random = RandomStream(seed: options.seed, stream: 0x706F_7369)
    func add(_ variant: Int, _ chosen: [Int]) {
      var order = chosen
      random.shuffle(&order)
      entries += order.map { Entry(object: Int32($0), variant: Int32(variant)) }
    }
    let all = Array(objects.indices)
    add(0, all)
    if options.mirrors { add(1, all) }
    let most = Int(copies.max() ?? 0)
    for copy in 0..<most { add(2 + copy, all.filter { copies[$0] > copy }) }
    self.photos = photos
    self.options = options
    self.objects = objects
    self.entries = entries
    self.leftOut = leftOut
    objectCount = objects.count
  }

  /// How many objects were left out for each reason, for a message: `"3 too small, 1 outside the photo"`; empty where none
  /// was.
  public static func reasons(_ leftOut: [LeftOut]) -> String {
    LeftOut.Reason.allCases.compactMap { reason in
      let count = leftOut.count { $0.reason == reason }
      return count == 0 ? nil : "\(count) \(reason.words)"
    }.joined(separator: ", ")
  }

  /// Tells photos with objects that are there again: their objects are learnt from twice.
  public func tellRepeats(source: String = "positives", to progress: any ProgressSink) {
    let used = Set(objects.map { Int($0.photo) }).sorted()
    guard let (count, names) = photos.repeats(among: used) else { return }
    progress.receive(
      .warning(
        "\(source): the same pixels as an earlier one, whose objects count again: \(count) of \(used.count) (\(names))")
    )
  }

  private static func noObjects(
    _ photos: OpenedPhotos, _ leftOut: [LeftOut], _ options: PositiveSampleOptions, _ labels: Set<String>?
  ) -> InputError {
    var error = InputError(
      source: "positive samples", problem: "there are none", found: "\(photos.count) photos without objects",
      expected: "annotated objects that are not ignored")
    guard !leftOut.isEmpty else { return error }
    error.found = "\(photos.count) photos, of whose objects none can be used: \(reasons(leftOut))"
    error.expected = nil
    if leftOut.contains(where: { $0.reason == .tooSmall }) {
      error.hint = "take a smaller window, or enlarge objects more than \(options.largestEnlargement) times"
    } else if let labels, leftOut.contains(where: { $0.reason == .otherLabel }) {
      let known = Set((0..<photos.count).flatMap { photos.source.annotations(at: $0).map(\.label) }).sorted()
      error.hint =
        "asked for \(labels.sorted().joined(separator: ", ")); there are \(known.prefix(8).joined(separator: ", "))"
    } else {
      error.hint = "the first is \(leftOut[0])"
    }
    return error
  }

  private static func fault(
    _ annotation: Annotation, in size: PixelSize, _ options: PositiveSampleOptions, _ labels: Set<String>?
  ) -> LeftOut.Reason? {
    if let labels, !labels.contains(annotation.label) { return .otherLabel }
    let box = annotation.box
    guard box.isFinite, !box.isEmpty else { return .empty }
    let visible = box.coveredShare(by: Box(size))
    guard visible > 0, visible >= options.leastVisibleShare else { return .outside }
    let region = options.region(of: box)
    for side in [box, region] {
      guard side.isFinite, side.width <= AnnotatedPositives.largestShare * Double(size.width),
        side.height <= AnnotatedPositives.largestShare * Double(size.height)
      else { return .tooLarge }
    }
    let limit = options.largestEnlargement * (1 + 1e-9)
    if Double(options.windowSize.width) > limit * region.width
      || Double(options.windowSize.height) > limit * region.height
    {
      return .tooSmall
    }
    return nil
  }

  /// Sides of a photo that a box's or a window's side may have at most.
  private static let largestShare = 100.0

  public var windowSize: PixelSize { options.windowSize }

  public var count: Int { entries.count }

  public func name(at index: Int) -> String {
    let entry = entries[index]
    let object = objects[Int(entry.object)]
    let name = "\(photos.source.name(at: Int(object.photo)))#\(object.annotation)"
    return switch entry.variant {
    case 0: name
    case 1: name + " mirrored"
    default: name + " copy \(entry.variant - 1)"
    }
  }

  /// The samples with some indices in the order of their photos, and in each of its annotations: an object, its mirror
  /// image, its copies.
  public func inFileOrder(_ indices: [Int]) -> [Int] {
    indices.sorted { a, b in
      (entries[a].object, entries[a].variant) < (entries[b].object, entries[b].variant)
    }
  }

  public func sample(at index: Int) throws -> ByteImage {
    cut(entries[index], from: try photos.grey(at: Int(objects[Int(entries[index].object)].photo)), halvings: nil)
  }

  /// Several samples one after the other: each photo is opened once a call.
  public func samples(at indices: [Int], executor: ParallelExecutor) throws -> [UInt8] {
    let length = windowSize.width * windowSize.height
    var byPhoto: [Int32: [Int]] = [:]
    for (number, index) in indices.enumerated() {
      byPhoto[objects[Int(entries[index].object)].photo, default: []].append(number)
    }
    let groups = byPhoto.sorted { $0.key < $1.key }
    return try PositiveSampleBlock.fill(count: indices.count, length: length) { block in
      try executor.forEach(groups.count) { group in
        let image = try photos.grey(at: Int(groups[group].key))
        let turns = options.jitterRotation > 0 && groups[group].value.contains { entries[indices[$0]].variant >= 2 }
        let halvings = turns ? ImageOctaves(image, smallest: windowSize) : nil
        for number in groups[group].value {
          block.put(cut(entries[indices[number]], from: image, halvings: halvings), number, length)
        }
      }
    }
  }

  private func cut(_ entry: Entry, from image: ByteImage, halvings: ImageOctaves?) -> ByteImage {
    let object = objects[Int(entry.object)]
    if entry.variant < 2 {
      let window = image.crop(object.region, to: windowSize)
      return (entry.variant == 1 ? window.mirrored() : window).toned(
        by: ToneChange(isInverted: options.inversion == .always))
    }
    // A stream for each object of each photo: a copy does not depend on what else is labelled, or asked for.
    var random = RandomStream(
      seed: options.seed ^ UInt64(entry.variant) << 32, stream: UInt64(object.photo) << 24 | UInt64(object.annotation))
    let jitter = PositiveJitter(options, using: &random)
    let region = jitter.apply(to: object.region)
    let window: ByteImage
    if jitter.isTilted {
      window = AnnotatedPositives.tilted(image, region, jitter, windowSize)
    } else if jitter.rotation == 0 {
      window = image.crop(region, to: windowSize)
    } else {
      window = (halvings ?? ImageOctaves(image, smallest: windowSize)).window(
        region, size: windowSize, rotation: jitter.rotation, pivot: region.center)
    }
    return (jitter.isMirrored ? window.mirrored() : window).toned(by: jitter.tone)
  }

  /// The window as it looks when the photo is turned in space about the region's centre.
  private static func tilted(
    _ image: ByteImage, _ region: Box, _ jitter: PositiveJitter, _ size: PixelSize
  ) -> ByteImage {
    // A turn that is within its bounds keeps all of the window on this side of the horizon, so the inverse is there.
    let seen = jitter.view(of: region).inverse ?? .identity
    let toPhoto = Homography.map(Box(size), onto: region)
      .followed(by: .translation(x: -region.center.x, y: -region.center.y))
      .followed(by: seen)
      .followed(by: .translation(x: region.center.x, y: region.center.y))
    // What the window sees, with a pixel to interpolate with: the rest of the photo need not be halved for it, nor what lies
    // so far outside that nothing but the border is seen.
    let bounds = toPhoto.bounds(of: Box(size)) ?? region.resized(by: 8)
    let near = Box(image.size).resized(by: 3)
    let part = bounds.intersection(region.resized(by: 8))?.intersection(near) ?? region.intersection(near) ?? near
    let left = Int(part.x.rounded(.down)) - 2
    let top = Int(part.y.rounded(.down)) - 2
    let cut = image.crop(
      x: left, y: top, width: Int(part.width.rounded(.up)) + 5, height: Int(part.height.rounded(.up)) + 5)
    return cut.warped(by: toPhoto.followed(by: .translation(x: -Double(left), y: -Double(top))), to: size)
  }
}
