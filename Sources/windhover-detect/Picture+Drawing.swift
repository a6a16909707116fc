import Foundation
import Windhover

extension Picture {
  /// Where the drawing (or another output) of each picture goes: below `folder`, in the folders that the picture lies in.
  ///
  /// Steps upward in a name are left out. Where two pictures have one place, later ones get "-2", "-3".
  static func drawingPaths(_ pictures: [Picture], folder: String, suffix: String = "png") -> [String] {
    var taken: Set<String> = []
    return pictures.map { picture in
      let parts = (picture.relativePath as NSString).deletingPathExtension.split(separator: "/")
      let base = parts.filter { $0 != "." && $0 != ".." }.joined(separator: "/")
      var candidate = "\(base).\(suffix)"
      var number = 2
      while !taken.insert(candidate).inserted {
        candidate = "\(base)-\(number).\(suffix)"
        number += 1
      }
      return "\(folder)/\(candidate)"
    }
  }

  /// Small pictures are drawn larger, so that captions can be read.
  static func drawingScale(_ image: ByteImage) -> Double {
    max(1, min(4, (640 / Double(max(image.width, image.height))).rounded(.up)))
  }
}
