import Execution
import Geometry
import Imaging
import Synchronization

/// Photos of which each has been opened once: their sizes are known, all of them can be read, and grey copies of as many as
/// a memory limit allows are kept.
///
/// A training that opens its photos only when it comes to them fails after hours on the one that is broken. Here all
/// failures are found, and told together, before anything else is done.
public final class OpenedPhotos: Sendable {
  public let source: any TrainingImageSource
  /// The upright size of each photo, in pixels.
  public let sizes: [PixelSize]
  /// A digest of names, annotations and pixels of all photos, by which a resumed training knows its data.
  public let checksum: String
  /// For each photo the first one that shows the same pixels: itself, but for one that is there again, be it under another
  /// name, as a link or as a copy.
  public let firstAlike: [Int]
  /// Photos whose files are damaged or were cut short, with what was found.
  public let damage: [Int: String]
  /// Of each photo's size and pixels.
  private let pixelDigests: [UInt64]
  private let kept: Mutex<[ByteImage?]>

  /// Opens every photo, on all threads.
  ///
  /// - Parameters:
  ///   - memory: bytes that grey copies may take: one a pixel. Photos beyond it are read again when they are needed.
  ///   - phase: what progress calls the work.
  /// - Throws: `UnreadablePhotos` with every failure, in the source's order; `CancelledError`.
  /// - Complexity: one read of each photo.
  public init(
    _ source: any TrainingImageSource, memory: Int = 256 << 20, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation(),
    phase: String = "opening photos"
  ) throws {
    precondition(memory >= 0)
    struct Opened: Sendable {
      var size = PixelSize(width: 0, height: 0)
      var digest = ""
      var pixels: UInt64 = 0
      var damage: String?
      var grey: ByteImage?
      var failure: UnreadablePhotos.Failure?
    }
    let used = Atomic<Int>(0)
    let done = Mutex(0)
    progress.receive(.began(phase: phase, total: source.count))
    let opened = try executor.map(source.count) { index -> Opened in
      try cancellation.check()
      var result = Opened()
      do {
        let photo = try source.photo(at: index)
        let image = photo.image
        result.size = image.size
        result.damage = photo.damage
        var hash = ContentHash()
        hash.add("\(image.width) \(image.height) \(image.channelCount)")
        hash.add(image.pixels)
        result.pixels = hash.value
        result.digest = OpenedPhotos.digest(of: hash.digest, annotations: source, at: index)
        let count = image.width * image.height
        if used.add(count, ordering: .relaxed).newValue <= memory {
          result.grey = image.grey()
        } else {
          used.subtract(count, ordering: .relaxed)
        }
        if count == 0 {
          result.failure = .init(
            index: index, origin: source.origin(at: index),
            error: InputError(source: source.name(at: index), problem: "has no pixels"))
        }
      } catch let error as InputError {
        result.failure = .init(index: index, origin: source.origin(at: index), error: error)
      }
      done.withLock {
        $0 += 1
        progress.receive(.advanced(completed: $0))
      }
      return result
    }
    progress.receive(.ended)
    let failures = opened.compactMap(\.failure)
    guard failures.isEmpty else { throw UnreadablePhotos(failures: failures, count: source.count) }
    self.source = source
    sizes = opened.map(\.size)
    var hash = ContentHash()
    for photo in opened { hash.add(photo.digest) }
    checksum = hash.digest
    pixelDigests = opened.map(\.pixels)
    var first: [UInt64: Int] = [:]
    firstAlike = opened.indices.map { index in
      let found = first[opened[index].pixels] ?? index
      first[opened[index].pixels] = found
      return found
    }
    damage = Dictionary(
      uniqueKeysWithValues: opened.enumerated().compactMap { index, photo in photo.damage.map { (index, $0) } })
    kept = Mutex(opened.map(\.grey))
    for (index, fault) in damage.sorted(by: { $0.key < $1.key }).prefix(OpenedPhotos.shown) {
      progress.receive(.warning("\(source.place(at: index)) \(fault)"))
    }
    if damage.count > OpenedPhotos.shown {
      progress.receive(.warning("and \(damage.count - OpenedPhotos.shown) more photos are damaged or cut short"))
    }
  }

  /// Lines beyond this many are counted, not shown.
  private static let shown = 20

  /// The first photo that shows the same pixels as one of another set, and that one; `nil` where there is none.
  public func shared(with other: OpenedPhotos) -> (own: Int, other: Int)? {
    let known = Dictionary(zip(other.pixelDigests, 0..<other.count)) { first, _ in first }
    for index in 0..<count {
      if let same = known[pixelDigests[index]] { return (index, same) }
    }
    return nil
  }

  /// The photos of another set that show the same pixels, by the photo of this one.
  public func alike(in other: OpenedPhotos) -> [Int: [Int]] {
    let known = Dictionary(grouping: 0..<other.count) { other.pixelDigests[$0] }
    return Dictionary(
      uniqueKeysWithValues: (0..<count).compactMap { own in known[pixelDigests[own]].map { (own, $0) } })
  }

  /// How many of some photos show the same as earlier ones, with the first few named; `nil` where none does.
  func repeats(among indices: some Sequence<Int>, shown: Int = 3) -> (count: Int, names: String)? {
    let again = indices.filter { firstAlike[$0] != $0 }
    guard !again.isEmpty else { return nil }
    var names = again.prefix(shown).map { "\(source.place(at: $0)) as \(source.place(at: firstAlike[$0]))" }
    if again.count > shown { names.append("and \(again.count - shown) more") }
    return (again.count, names.joined(separator: ", "))
  }

  public var count: Int { sizes.count }

  /// The photo in grey, upright.
  ///
  /// - Throws: `InputError` where it cannot be read any more, or has another size than when it was opened.
  public func grey(at index: Int) throws -> ByteImage {
    if let image = kept.withLock({ $0[index] }) { return image }
    let image = try source.image(at: index)
    guard image.size == sizes[index] else {
      throw InputError(
        source: source.name(at: index), problem: "has changed since it was opened",
        found: "\(image.width) x \(image.height)", expected: "\(sizes[index].width) x \(sizes[index].height)")
    }
    return image.grey()
  }

  private static func digest(
    of pixels: String, annotations source: any TrainingImageSource, at index: Int
  ) -> String {
    var hash = ContentHash()
    hash.add(source.name(at: index))
    for annotation in source.annotations(at: index) {
      let box = annotation.box
      hash.add("\(box.x) \(box.y) \(box.width) \(box.height) \(annotation.isIgnored) \(annotation.label)")
    }
    hash.add("\(source.copies(at: index) ?? -1) \(source.allowsNegatives(at: index))")
    hash.add(pixels)
    return hash.digest
  }
}

/// Photos that a training cannot read: all of them, not the first alone.
public struct UnreadablePhotos: Error, Sendable, CustomStringConvertible {
  public struct Failure: Sendable, CustomStringConvertible {
    /// The photo's place in its source.
    public let index: Int
    /// The line that names the photo, where it is known.
    public let origin: FileLine?
    public let error: InputError

    public init(index: Int, origin: FileLine?, error: InputError) {
      self.index = index
      self.origin = origin
      self.error = error
    }

    public var description: String { origin.map { "\($0): \(error)" } ?? "\(error)" }
  }

  /// In the order of the photos.
  public let failures: [Failure]
  /// How many photos there are.
  public let count: Int

  public init(failures: [Failure], count: Int) {
    self.failures = failures
    self.count = count
  }

  /// Lines beyond this many are counted, not shown.
  private static let shown = 50

  /// A line for each failure, and one that counts them.
  public var description: String {
    var lines = ["\(failures.count) of \(count) photos cannot be read; mend them or leave them out:"]
    lines += failures.prefix(UnreadablePhotos.shown).map { "  \($0)" }
    if failures.count > UnreadablePhotos.shown { lines.append("  and \(failures.count - UnreadablePhotos.shown) more") }
    return lines.joined(separator: "\n")
  }
}
