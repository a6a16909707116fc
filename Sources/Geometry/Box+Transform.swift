extension Box {
  /// The box in an image that was resized by `factor` (both axes alike).
  public func scaled(by factor: Double) -> Box {
    Box(x: x * factor, y: y * factor, width: width * factor, height: height * factor)
  }

  /// The box in an image that was resized by a factor an axis.
  public func scaled(x factorX: Double, y factorY: Double) -> Box {
    Box(x: x * factorX, y: y * factorY, width: width * factorX, height: height * factorY)
  }

  public func translated(x dx: Double, y dy: Double) -> Box {
    Box(x: x + dx, y: y + dy, width: width, height: height)
  }

  /// The box grown about its centre: 1 leaves it, 2 doubles both sides.
  public func resized(by factor: Double) -> Box {
    Box(center: center, width: width * factor, height: height * factor)
  }

  /// The box in the image's mirror, left and right exchanged.
  public func mirrored(imageWidth: Double) -> Box {
    Box(x: imageWidth - maxX, y: y, width: width, height: height)
  }
}
