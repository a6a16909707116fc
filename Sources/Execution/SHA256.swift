/// SHA-256 (FIPS 180-4): checksums of data sets, models and downloads.
public struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// Bytes that do not fill a block yet: fewer than 64.
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  private static let blockSize = 64

  public init() {}

  /// Adds bytes. May be called any number of times.
  ///
  /// - Complexity: O(bytes). Contiguous bytes are not copied; others are once.
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    // The closure sees plain memory, so that this is fast from other modules too, where generic code is not specialised.
    if bytes.withContiguousStorageIfAvailable({ add($0) }) == nil {
      Array(bytes).withUnsafeBufferPointer { add($0) }
    }
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    length += UInt64(bytes.count)
    var rest = bytes[...]
    if !pending.isEmpty {
      let missing = rest.prefix(SHA256.blockSize - pending.count)
      pending += missing
      rest = rest.dropFirst(missing.count)
      guard pending.count == SHA256.blockSize else { return }
      pending.withUnsafeBufferPointer { SHA256.mix($0.baseAddress!, blockCount: 1, into: &state) }
      pending.removeAll(keepingCapacity: true)
    }
    let blockCount = rest.count / SHA256.blockSize
    if blockCount > 0 {
      SHA256.mix(bytes.baseAddress! + rest.startIndex, blockCount: blockCount, into: &state)
      rest = rest.dropFirst(blockCount * SHA256.blockSize)
    }
    pending += rest
  }

  /// The digest of all bytes so far, as 64 lower-case hexadecimal digits.
  public func hexDigest() -> String {
    var copy = self
    let bits = length * 8
    // A one bit, zeros up to the last 8 bytes of a block, and the length in bits.
    let zeroCount = (2 * SHA256.blockSize - 9 - pending.count) % SHA256.blockSize
    copy.update(
      [0x80] + Array(repeating: 0, count: zeroCount)
        + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) })
    return copy.state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// The digest of one run of bytes.
  public static func hexDigest(of bytes: some Sequence<UInt8>) -> String {
    var hash = SHA256()
    hash.update(bytes)
    return hash.hexDigest()
  }

  @inline(__always)
  private static func rotate(_ value: UInt32, _ by: UInt32) -> UInt32 {
    (value &>> by) | (value &<< (32 &- by))
  }

  private static func mix(_ bytes: UnsafePointer<UInt8>, blockCount: Int, into state: inout [UInt32]) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      roundConstants.withUnsafeBufferPointer { constants in
        state.withUnsafeMutableBufferPointer { state in
          for block in 0..<blockCount {
            expand(bytes + block * blockSize, into: words.baseAddress!)
            mix(words.baseAddress!, constants.baseAddress!, into: state.baseAddress!)
          }
        }
      }
    }
  }

  /// The 64 words that a block gives.
  @inline(never)
  private static func expand(_ block: UnsafePointer<UInt8>, into words: UnsafeMutablePointer<UInt32>) {
    for i in 0..<16 {
      words[i] = UInt32(bigEndian: UnsafeRawPointer(block).loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self))
    }
    for i in 16..<64 {
      let early = words[i &- 15]
      let late = words[i &- 2]
      let s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early &>> 3)
      let s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late &>> 10)
      words[i] = words[i &- 16] &+ s0 &+ words[i &- 7] &+ s1
    }
  }

  @inline(never)
  private static func mix(
    _ words: UnsafePointer<UInt32>, _ constants: UnsafePointer<UInt32>, into state: UnsafeMutablePointer<UInt32>
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for i in 0..<64 {
      let s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      let first = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ constants[i] &+ words[i]
      let s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      let second = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = d &+ first
      d = c
      c = b
      b = a
      a = first &+ second
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
