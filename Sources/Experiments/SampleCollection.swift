import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging

/// Samples that are ready to be written or shown.
public struct SampleCollection: Sendable {
  public let samples: any PositiveSamples
  /// Which of them, in the order in which they are written: objects in the order of their files.
  public let indices: [Int]
  public let summary: Summary

  public struct Summary: Hashable, Codable, Sendable {
    public var samples: Int
    public var width: Int
    public var height: Int
    /// Objects that give samples.
    public var objects: Int?
    /// Samples that there are, with mirror images and copies.
    public var available: Int?
    /// Objects that give none, by the reason.
    public var leftOut: [String: Int]?
    public var pictures: Int?
    /// Different windows that pictures are laid over.
    public var backgroundWindows: Int?
    public var seed: UInt64
  }

  /// Samples that are made together.
  private static let blockSize = 1024

  /// Writes an OpenCV `.vec` file.
  /// - Throws: `InputError` for a photo that cannot be read any more and for the file; `CancelledError`.
  public func write(
    vec path: String, executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws {
    try VecFile.write(count: indices.count, size: samples.windowSize, to: path) { output in
      try forEachBlock(executor, progress, cancellation) { _, pixels in try output.append(pixels) }
    }
  }

  /// Writes a PNG for each sample into a folder, and then `info.txt`, a list of them that `info:` and OpenCV read.
  /// - Throws: as `write(vec:)`, and where there is something in the folder.
  public func write(
    folder: String, executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws {
    try EmptyFolder.check(folder)
    let size = samples.windowSize
    let length = size.width * size.height
    try forEachBlock(executor, progress, cancellation) { first, pixels in
      try executor.forEach(pixels.count / length) { number in
        let image = ByteImage(
          width: size.width, height: size.height, channelCount: 1,
          pixels: Array(pixels[number * length..<(number + 1) * length]))
        try ImageFile.write(image, to: "\(folder)/\(SampleCollection.fileName(first + number))")
      }
    }
    let list = InfoList.text(indices.indices.map { (SampleCollection.fileName($0), [Box(size)]) })
    try AtomicFile.write(list, to: "\(folder)/info.txt")
  }

  private static func fileName(_ number: Int) -> String { String(format: "sample-%06d.png", number + 1) }

  private func forEachBlock(
    _ executor: ParallelExecutor, _ progress: any ProgressSink, _ cancellation: Cancellation,
    _ body: (_ first: Int, _ pixels: [UInt8]) throws -> Void
  ) throws {
    progress.receive(.began(phase: "samples", total: indices.count))
    for begin in stride(from: 0, to: indices.count, by: SampleCollection.blockSize) {
      try cancellation.check()
      let end = min(indices.count, begin + SampleCollection.blockSize)
      try body(begin, samples.samples(at: Array(indices[begin..<end]), executor: executor))
      progress.receive(.advanced(completed: end))
    }
    progress.receive(.ended)
  }

  /// A grid of samples, spread evenly over all of them.
  ///
  /// - Parameter count: the most to show.
  /// - Throws: as `write(vec:)`, and where the sheet would be too large.
  public func sheet(count: Int, executor: ParallelExecutor = ParallelExecutor()) throws -> ByteImage {
    precondition(count >= 1)
    let shown = min(count, indices.count)
    let chosen = (0..<shown).map { $0 * indices.count / shown }
    let size = samples.windowSize
    let length = size.width * size.height
    let pixels = try samples.samples(at: chosen.map { indices[$0] }, executor: executor)
    // Small windows are enlarged by a whole number, so that their pixels can be seen.
    let factor = max(1, 96 / max(size.width, size.height))
    let cells = chosen.enumerated().map { number, place in
      let image = ByteImage(
        width: size.width, height: size.height, channelCount: 1,
        pixels: Array(pixels[number * length..<(number + 1) * length]))
      return ContactSheet.Cell(
        image: image.resized(to: PixelSize(width: size.width * factor, height: size.height * factor), method: .area),
        caption: "\(place + 1)")
    }
    return try ContactSheet.render(
      cells, cellSize: PixelSize(width: size.width * factor, height: size.height * factor),
      columns: max(1, min(16, 1600 / (size.width * factor))))
  }
}

/// A folder that many files are written into.
public enum EmptyFolder {
  /// - Throws: `InputError` where something is in it: samples of two runs would be mixed.
  public static func check(_ path: String) throws {
    try FilePlace(path).checkFolder()
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path), !names.isEmpty else { return }
    throw InputError(
      source: path, problem: "is not empty", found: "\(names.sorted()[0])\(names.count > 1 ? " and others" : "")",
      expected: "a new or an empty folder", hint: "give another name, or remove what is in it")
  }
}
