import Execution

/// A seeded order of `0..<count` in which no number comes twice and none is left out, without a table: any place of the
/// order is computed alone.
///
/// A Feistel network over the least power of two that holds `count` numbers; places that fall outside are walked on from
/// until they fall inside (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). Not for cryptography.
struct IndexPermutation: Sendable {
  let count: Int
  private let lowBits: UInt64
  private let lowMask: UInt64
  private let highMask: UInt64
  private let keys: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  /// - Precondition: `count` is not negative and less than 2^62.
  init(count: Int, seed: UInt64) {
    precondition(count >= 0 && count < 1 << 62)
    self.count = count
    let bits = max(2, Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
    lowBits = UInt64((bits + 1) / 2)
    lowMask = (1 << lowBits) - 1
    highMask = (1 << (UInt64(bits) - lowBits)) - 1
    var random = RandomStream(seed: seed, stream: 0x7065_726D)
    keys = (random.next(), random.next(), random.next(), random.next(), random.next(), random.next())
  }

  /// The number at a place of the order.
  ///
  /// - Precondition: `place` is in `0..<count`.
  /// - Complexity: less than two walks through the network on average.
  func callAsFunction(_ place: Int) -> Int {
    var value = UInt64(place)
    repeat { value = mixed(value) } while value >= UInt64(count)
    return Int(value)
  }

  @inline(__always)
  private func mixed(_ value: UInt64) -> UInt64 {
    var low = value & lowMask
    var high = value >> lowBits
    high ^= IndexPermutation.scramble(low ^ keys.0) & highMask
    low ^= IndexPermutation.scramble(high ^ keys.1) & lowMask
    high ^= IndexPermutation.scramble(low ^ keys.2) & highMask
    low ^= IndexPermutation.scramble(high ^ keys.3) & lowMask
    high ^= IndexPermutation.scramble(low ^ keys.4) & highMask
    low ^= IndexPermutation.scramble(high ^ keys.5) & lowMask
    return high << lowBits | low
  }

  /// The finisher of SplitMix64, cut to one multiplication: enough where six rounds follow one another.
  @inline(__always)
  private static func scramble(_ value: UInt64) -> UInt64 {
    let product = (value ^ value >> 32) &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 29
  }
}
