import Execution
import Foundation
import Geometry

extension ResultsFile {
  /// One line, without its newline. A detection without a confidence has `"confidence": null`.
  ///
  /// Numbers are written so that reading gives the same Double.
  public static func line(_ image: ImageDetections) -> String {
    let detections = image.detections.map { detection in
      JSONValue.object([
        "box": .array([
          .number(detection.box.x), .number(detection.box.y), .number(detection.box.width),
          .number(detection.box.height),
        ]),
        "score": .number(detection.score), "confidence": .number(detection.confidence),
        "label": .string(detection.label),
      ])
    }
    return JSONValue.object([
      "image": .string(image.image), "width": .integer(image.width), "height": .integer(image.height),
      "detections": .array(detections),
    ]).line
  }

  /// Replaces the file at `path` with one line an image, in the order given.
  /// - Throws: `InputError` where the file cannot be written.
  public static func write(_ images: [ImageDetections], to path: String) throws {
    var data = Data()
    for image in images {
      data.append(contentsOf: Array(line(image).utf8))
      data.append(0x0A)
    }
    try AtomicFile.write(data, to: path)
  }
}
