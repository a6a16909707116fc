import Execution
import Geometry
import Imaging

/// Where a cascade's positive samples come from: grey windows of one size, any of them at any time.
///
/// The same index gives the same pixels, on whatever thread.
public protocol PositiveSamples: Sendable {
  /// The size of every sample: that of the cascade's window.
  var windowSize: PixelSize { get }

  /// How many different samples there are; their indices are `0..<count`.
  var count: Int { get }

  /// One sample: `windowSize.height * windowSize.width` grey values, row after row.
  func sample(at index: Int) throws -> ByteImage

  /// Where a sample comes from, for messages and contact sheets.
  func name(at index: Int) -> String

  /// Several samples one after the other, each `windowSize.width * windowSize.height` bytes.
  ///
  /// The default asks for one after another on all threads; a source that opens photos opens each once instead.
  func samples(at indices: [Int], executor: ParallelExecutor) throws -> [UInt8]
}

extension PositiveSamples {
  public func samples(at indices: [Int], executor: ParallelExecutor) throws -> [UInt8] {
    let length = windowSize.width * windowSize.height
    return try PositiveSampleBlock.fill(count: indices.count, length: length) { block in
      try executor.forEach(indices.count) { number in
        block.put(try self.sample(at: indices[number]), number, length)
      }
    }
  }
}

/// Samples that several threads write one after the other into one array.
enum PositiveSampleBlock {
  struct Target: Sendable {
    let buffer: DisjointBuffer<UInt8>

    func put(_ image: ByteImage, _ number: Int, _ length: Int) {
      precondition(
        image.pixels.count == length && (number + 1) * length <= buffer.count, "a sample of the window's size")
      image.pixels.withUnsafeBufferPointer {
        (buffer.base + number * length).update(from: $0.baseAddress!, count: length)
      }
    }
  }

  static func fill(count: Int, length: Int, _ body: (Target) throws -> Void) rethrows -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count * length) { buffer, filled in
      buffer.initialize(repeating: 0)
      try body(Target(buffer: DisjointBuffer(buffer)))
      filled = count * length
    }
  }
}
