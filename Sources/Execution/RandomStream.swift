import Foundation

/// A seeded stream of random numbers: xoshiro256** (Blackman and Vigna 2018), its state filled by SplitMix64.
///
/// The same seed and stream number give the same numbers on every machine and in every version. Independent pieces of
/// work take streams of their own (`init(seed:stream:)` with the piece's index), so that results do not depend on the
/// order in which threads get to them. Not for cryptography.
public struct RandomStream: RandomNumberGenerator, Sendable {
  private var s0: UInt64
  private var s1: UInt64
  private var s2: UInt64
  private var s3: UInt64

  public init(seed: UInt64, stream: UInt64 = 0) {
    var mixer = SplitMix64(state: seed ^ (SplitMix64(state: stream &+ 0x632B_E59B_D9B4_E019).peek()))
    s0 = mixer.next()
    s1 = mixer.next()
    s2 = mixer.next()
    s3 = mixer.next()
  }

  public mutating func next() -> UInt64 {
    let result = RandomStream.rotate(s1 &* 5, 7) &* 9
    let t = s1 << 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = RandomStream.rotate(s3, 45)
    return result
  }

  private static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 {
    (value << by) | (value >> (64 - by))
  }

  /// A number in `[0, 1)` with 53 random bits.
  public mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// A number in `[low, high)`.
  public mutating func uniform(in range: Range<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// A whole number in `0..<bound`, without bias (Lemire 2019).
  public mutating func index(below bound: Int) -> Int {
    precondition(bound > 0)
    let limit = UInt64(bound)
    var product = next().multipliedFullWidth(by: limit)
    if product.low < limit {
      let threshold = (0 &- limit) % limit
      while product.low < threshold { product = next().multipliedFullWidth(by: limit) }
    }
    return Int(product.high)
  }

  /// A number of the standard normal distribution (Box and Muller 1958; one of the pair).
  public mutating func gaussian() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * Double.pi * uniform())
  }

  /// Shuffles in place (Fisher and Yates). The standard library's own `shuffle` promises no fixed order between versions.
  public mutating func shuffle<Element>(_ elements: inout [Element]) {
    for last in stride(from: elements.count - 1, to: 0, by: -1) {
      elements.swapAt(last, index(below: last + 1))
    }
  }

  /// `count` different numbers of `0..<population` in rising order (selection sampling, Knuth 3.4.2 S).
  public mutating func sample(_ count: Int, of population: Int) -> [Int] {
    precondition(count >= 0 && count <= population)
    var chosen: [Int] = []
    chosen.reserveCapacity(count)
    var candidate = 0
    while chosen.count < count {
      if uniform() * Double(population - candidate) < Double(count - chosen.count) { chosen.append(candidate) }
      candidate += 1
    }
    return chosen
  }
}

/// The generator that fills another's state (Steele, Lea and Flood 2014).
private struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  func peek() -> UInt64 {
    var copy = self
    return copy.next()
  }
}
