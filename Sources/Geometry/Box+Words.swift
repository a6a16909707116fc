extension Box {
  /// The box as messages give it, to hundredths of a pixel: "[12.5, 40, 33.33, 33.33]", in the order of `x, y, width, height`.
  public var words: String {
    "[" + [x, y, width, height].map(Box.short).joined(separator: ", ") + "]"
  }

  private static func short(_ value: Double) -> String {
    guard abs(value) <= magnitudeLimit else { return "\(value)" }
    let hundredths = (value * 100).rounded() / 100
    return hundredths == hundredths.rounded() ? "\(Int(hundredths))" : "\(hundredths)"
  }
}
