import Foundation
import Windhover

/// Writes pictures with their detections drawn into a folder.
struct DetectionDrawing {
  private let folder: String
  /// Where the drawing of each picture goes.
  let paths: [String]

  init(folder: String, pictures: [Picture]) {
    self.folder = folder
    var taken: Set<String> = []
    paths = pictures.map { "\(folder)/\(DetectionDrawing.fileName(for: $0.name, &taken))" }
  }

  /// - Throws: `InputError` where the folder cannot be made.
  func makeFolder() throws {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw InputError(source: folder, problem: "cannot be made", expected: "a folder that may be written")
    }
  }

  /// - Parameter index: the picture's number, from 0.
  func draw(_ index: Int, _ result: ImageDetections, on image: ByteImage) throws {
    guard image.width > 0, image.height > 0 else { return }
    let canvas = try Canvas(image.rgb(), scale: DetectionDrawing.scale(image))
    canvas.draw(result.detections)
    try ImageFile.write(canvas.image(), to: paths[index])
  }

  /// Small pictures are drawn larger, so that captions can be read.
  private static func scale(_ image: ByteImage) -> Double {
    max(1, min(4, (640 / Double(max(image.width, image.height))).rounded(.up)))
  }

  /// The picture's own name, with "-2", "-3" where several have the same.
  private static func fileName(for name: String, _ taken: inout Set<String>) -> String {
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
