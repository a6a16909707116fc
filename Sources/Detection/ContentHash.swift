/// A fast 64-bit hash by which changed training data is noticed: FNV-1a over 8-byte words, finished by a mix of its bits.
///
/// It guards against mistakes, not against intent; files that travel are checked by SHA-256.
struct ContentHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ text: String) { add(Array(text.utf8)) }

  mutating func add(_ bytes: [UInt8]) {
    mix(UInt64(bytes.count))
    bytes.withUnsafeBytes { raw in
      let words = raw.count / 8
      for index in 0..<words {
        mix(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)))
      }
      var rest: UInt64 = 0
      for index in words * 8..<raw.count { rest = rest << 8 | UInt64(raw[index]) }
      mix(rest)
    }
  }

  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0x0000_0100_0000_01B3
    // FNV alone never carries high bits down: words that differ only there would meet again.
    state ^= state >> 29
  }

  var value: UInt64 { state }

  /// 16 hexadecimal digits.
  var digest: String {
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
