extension Box {
  /// The common part of two boxes, or `nil` where they share no area.
  public func intersection(_ other: Box) -> Box? {
    let left = max(x, other.x)
    let top = max(y, other.y)
    let common = Box(
      x: left, y: top, width: min(maxX, other.maxX) - left, height: min(maxY, other.maxY) - top)
    return common.isEmpty ? nil : common
  }

  /// Area of the common part in square pixels; zero where there is none.
  public func intersectionArea(_ other: Box) -> Double {
    let w = min(maxX, other.maxX) - max(x, other.x)
    let h = min(maxY, other.maxY) - max(y, other.y)
    return w > 0 && h > 0 ? w * h : 0
  }

  /// Intersection over union, in 0...1; zero where either box is empty.
  public func intersectionOverUnion(_ other: Box) -> Double {
    let common = intersectionArea(other)
    return common > 0 ? common / (area + other.area - common) : 0
  }

  /// Intersection over the smaller box's area, in 0...1; zero where either box is empty.
  public func intersectionOverSmaller(_ other: Box) -> Double {
    let common = intersectionArea(other)
    return common > 0 ? common / min(area, other.area) : 0
  }

  /// Share of this box's own area that the other covers, in 0...1; zero where either is empty.
  public func coveredShare(by other: Box) -> Double {
    let common = intersectionArea(other)
    return common > 0 ? common / area : 0
  }

  /// The smallest box that holds both.
  public func union(_ other: Box) -> Box {
    let left = min(x, other.x)
    let top = min(y, other.y)
    return Box(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
  }

  /// Whether the other box lies wholly in this one, borders included.
  public func contains(_ other: Box) -> Bool {
    other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY
  }
}
