/// Uniform local binary patterns of 8 neighbours: which of a pixel's neighbours are at least as bright as itself.
///
/// Bit `k` of a code belongs to the neighbour `k` eighths of a turn from the x axis towards the y axis, which points
/// down: right, lower right, below, lower left, left, upper left, above, upper right. A pattern is uniform where going
/// once around meets at most two changes between set and unset bits; the 58 uniform patterns have a bin each, in the
/// order of their codes, and all others share the last.
///
/// **Differences from the paper:** neighbours on the diagonals are the pixels there, not values interpolated on a circle.
///
/// Reference: T. Ojala, M. Pietikäinen, T. Mäenpää, "Multiresolution gray-scale and rotation invariant texture
/// classification with local binary patterns", PAMI 2002.
public enum UniformPatterns {
  /// Bins: 58 uniform patterns and the rest.
  public static let binCount = 59

  /// The bin of each of the 256 codes.
  public static let bins: [UInt8] = {
    var next: UInt8 = 0
    return (0..<256).map { code in
      guard isUniform(UInt8(code)) else { return UInt8(binCount - 1) }
      defer { next += 1 }
      return next
    }
  }()

  /// For each bin, the bin that holds its patterns when an image is mirrored left to right.
  public static let mirroredBinOrder: [Int] = {
    var order = Array(0..<binCount)
    for code in 0..<256 { order[Int(bins[code])] = Int(bins[Int(mirrored(UInt8(code)))]) }
    return order
  }()

  static func isUniform(_ code: UInt8) -> Bool {
    (code ^ (code << 1 | code >> 7)).nonzeroBitCount <= 2
  }

  /// The code after right and left have changed places.
  static func mirrored(_ code: UInt8) -> UInt8 {
    (0..<8).reduce(0) { $0 | (code >> UInt8($1) & 1) << UInt8((12 - $1) % 8) }
  }
}
