import Foundation
import Windhover

/// Writes pictures with their detections drawn into a folder.
final class DetectionDrawing {
  private let folder: String
  private var taken: Set<String> = []

  /// - Throws: `InputError` where the folder cannot be made.
  init(folder: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw InputError(source: folder, problem: "cannot be made", expected: "a folder that may be written")
    }
    self.folder = folder
  }

  func draw(_ result: ImageDetections, on image: ByteImage) throws {
    guard image.width > 0, image.height > 0 else { return }
    let canvas = try Canvas(image.rgb(), scale: DetectionDrawing.scale(image))
    canvas.draw(result.detections)
    try ImageFile.write(canvas.image(), to: "\(folder)/\(fileName(for: result.image))")
  }

  /// Small pictures are drawn larger, so that captions can be read.
  private static func scale(_ image: ByteImage) -> Double {
    max(1, min(4, (640 / Double(max(image.width, image.height))).rounded(.up)))
  }

  /// The picture's own name, with "-2", "-3" where several have the same.
  private func fileName(for name: String) -> String {
    let base = ((name as NSString).lastPathComponent as NSString).deletingPathExtension
    var candidate = "\(base).png"
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(base)-\(number).png"
      number += 1
    }
    return candidate
  }
}
