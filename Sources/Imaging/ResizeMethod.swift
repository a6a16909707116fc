/// How an image is brought to another size.
public enum ResizeMethod: String, Hashable, Codable, Sendable, CaseIterable {
  /// Linear interpolation between the two nearest pixels an axis, pixel centres at half coordinates, borders replicated:
  /// OpenCV's `INTER_LINEAR`. Does not smooth: detail finer than the target grid aliases.
  case bilinear
  /// The exact mean of the source area under each target pixel: OpenCV's `INTER_AREA` where the image shrinks. Where it
  /// grows, each source pixel is a flat square.
  case area
}
