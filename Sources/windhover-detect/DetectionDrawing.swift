import Foundation
import Windhover

/// Writes pictures with their detections drawn into a folder.
struct DetectionDrawing {
  private let folder: String
  /// Where the drawing of each picture goes.
  let paths: [String]

  init(folder: String, pictures: [Picture]) {
    self.folder = folder
    paths = Picture.drawingPaths(pictures, folder: folder)
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
    let canvas = try Canvas(image.rgb(), scale: Picture.drawingScale(image))
    canvas.draw(result.detections)
    try ImageFile.write(canvas.image(), to: paths[index])
  }
}
