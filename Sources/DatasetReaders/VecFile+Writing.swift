import Execution
import Foundation
import Geometry

extension VecFile {
  /// Writes samples as `opencv_createsamples` does, whole or not at all; the layout is that of `VecFile`.
  ///
  /// - Parameters:
  ///   - count: how many samples will follow: 1 to 2^31 - 1.
  ///   - size: of each sample; the file keeps only its area.
  ///   - body: appends the samples.
  /// - Throws: `InputError` where the file cannot be written, there are no samples, or a sample has more than 2^24 values;
  ///   what `body` throws. The old file then stays as it was.
  /// - Precondition: `body` appends `count` samples.
  /// - Complexity: memory of what is appended at a time, twice more.
  public static func write(
    count: Int, size: PixelSize, to path: String, _ body: (Output) throws -> Void
  ) throws {
    let valueCount = size.width * size.height
    guard count >= 1, count <= Int32.max, size.width >= 1, size.height >= 1, valueCount <= valueLimit else {
      throw InputError(
        source: path, problem: "cannot be written as a .vec file",
        found: "\(count) samples of \(size.width) x \(size.height)",
        expected: "at least one sample of at most \(valueLimit) values")
    }
    try AtomicFile.write(to: path) { file in
      var header = Data()
      for value in [Int32(count), Int32(valueCount), 0] {
        withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
      }
      try file.append(header)
      let output = Output(file: file, valueCount: valueCount, count: count)
      try body(output)
      precondition(output.written == count, "\(count) samples were announced, \(output.written) appended")
    }
  }

  /// Takes the samples of a file that is being written. Of no use when the writing is over.
  public final class Output {
    private let file: AtomicFile.Output
    private let valueCount: Int
    private let count: Int
    fileprivate private(set) var written = 0

    fileprivate init(file: AtomicFile.Output, valueCount: Int, count: Int) {
      self.file = file
      self.valueCount = valueCount
      self.count = count
    }

    /// - Parameter pixels: grey values, row by row, of any number of whole samples one after the other.
    public func append(_ pixels: [UInt8]) throws {
      precondition(pixels.count % valueCount == 0, "whole samples of \(valueCount) values expected")
      written += pixels.count / valueCount
      precondition(written <= count, "more samples than were announced")
      // A byte that is not used, then each value as two.
      let byteCount = pixels.count / valueCount * (1 + 2 * valueCount)
      let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
        filled = byteCount
        buffer.update(repeating: 0)
        for (index, value) in pixels.enumerated() { buffer[1 + index / valueCount + 2 * index] = value }
      }
      try file.append(Data(bytes))
    }
  }
}
