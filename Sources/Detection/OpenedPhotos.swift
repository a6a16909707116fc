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
        let image = try source.image(at: index)
        result.size = image.size
        result.digest = OpenedPhotos.digest(of: image, annotations: source, at: index)
        let count = image.width * image.height
        if used.add(count, ordering: .relaxed).newValue <= memory {
          result.grey = image.grey()
        } else {
          used.subtract(count, ordering: .relaxed)
        }
        if count == 0 {
          result.failure = .init(
            origin: source.origin(at: index),
            error: InputError(source: source.name(at: index), problem: "has no pixels"))
        }
      } catch let error as InputError {
        result.failure = .init(origin: source.origin(at: index), error: error)
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
    kept = Mutex(opened.map(\.grey))
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
    of image: ByteImage, annotations source: any TrainingImageSource, at index: Int
  ) -> String {
    var hash = ContentHash()
    hash.add(source.name(at: index))
    for annotation in source.annotations(at: index) {
      let box = annotation.box
      hash.add("\(box.x) \(box.y) \(box.width) \(box.height) \(annotation.isIgnored) \(annotation.label)")
    }
    hash.add("\(source.copies(at: index) ?? -1) \(source.allowsNegatives(at: index))")
    hash.add("\(image.width) \(image.height) \(image.channelCount)")
    hash.add(image.pixels)
    return hash.digest
  }
}

/// Photos that a training cannot read: all of them, not the first alone.
public struct UnreadablePhotos: Error, Sendable, CustomStringConvertible {
  public struct Failure: Sendable, CustomStringConvertible {
    /// The file and line that name the photo (`background.txt:12`), where they are known.
    public let origin: String?
    public let error: InputError

    public init(origin: String?, error: InputError) {
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
