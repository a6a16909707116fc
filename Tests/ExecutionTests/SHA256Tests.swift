import Execution
import Testing

/// Digests published with FIPS 180-4 (the NIST example values).
struct SHA256Tests {
  @Test func publishedDigests() {
    #expect(
      SHA256.hexDigest(of: "abc".utf8) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(SHA256.hexDigest(of: "".utf8) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      SHA256.hexDigest(of: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }

  @Test func publishedDigestOfAMillionBytes() {
    #expect(
      SHA256.hexDigest(of: Array(repeating: UInt8(ascii: "a"), count: 1_000_000))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  /// Blocks are 64 bytes: every way to part 200 bytes in two crosses blocks at every place, and lengths about 55 and 63
  /// need one padding block or two.
  @Test func bytesMayComeInAnyParts() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: 37 &* $0 &+ 11) }
    let whole = SHA256.hexDigest(of: bytes)
    for split in 0...bytes.count {
      var hash = SHA256()
      hash.update(bytes[..<split])
      hash.update(bytes[split...])
      #expect(hash.hexDigest() == whole, "parted at \(split)")
      // Bytes that are not contiguous in memory, one at a time.
      var single = SHA256()
      for byte in bytes[..<split] { single.update(CollectionOfOne(byte)) }
      #expect(single.hexDigest() == SHA256.hexDigest(of: bytes[..<split].lazy.map { $0 }), "\(split) bytes")
    }
  }

  /// By `printf 'a%.0s' $(seq N) | sha256sum` (GNU coreutils 9.1): lengths at which the padding changes.
  @Test(arguments: [
    (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
    (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
    (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
    (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
    (120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
    (128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"),
  ])
  func digestsAtBlockEdges(count: Int, digest: String) {
    #expect(SHA256.hexDigest(of: Array(repeating: UInt8(ascii: "a"), count: count)) == digest)
  }
}
