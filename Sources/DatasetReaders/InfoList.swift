import Geometry

/// Writes OpenCV's list of images with their objects, which `info:FILE` reads.
public enum InfoList {
  /// One line an image: its name, the number of boxes, and left, top, width and height of each in whole pixels.
  ///
  /// - Precondition: names have neither line ends nor, as OpenCV reads them, blanks.
  public static func text(_ images: [(name: String, boxes: [Box])]) -> String {
    images.map { image in
      precondition(!image.name.contains { $0.isWhitespace }, "OpenCV reads names up to a blank")
      let numbers = image.boxes.flatMap { [$0.x, $0.y, $0.width, $0.height] }.map { String(Int($0.rounded())) }
      return ([image.name, String(image.boxes.count)] + numbers).joined(separator: " ") + "\n"
    }.joined()
  }
}
