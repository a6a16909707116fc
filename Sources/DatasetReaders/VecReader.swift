import Execution
import Geometry

/// OpenCV's packed positive samples, as `opencv_createsamples` writes them: see `VecFile` for the layout.
///
/// `vec:FILE` reads square windows; others need `?width=W`. The samples are named `faces.vec#0`, `faces.vec#1`, …, and each
/// has one annotation that covers it whole. The file knows no labels: `?label=face` gives one (`object` otherwise). It knows
/// no photos either: each sample is its own group, though samples of one photo may be among them.
///
/// A file that was cut gives its whole samples and a count mismatch.
enum VecReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    let file = try VecFile(path: request.path, width: try request.positiveCount("width"))
    if file.sampleCount != file.declaredCount || file.strayByteCount > 0 {
      builder.report(
        .countMismatch, .kept, file: request.path,
        "\(counted(file.declaredCount, "sample")) announced, \(counted(file.sampleCount, "whole sample")) and "
          + "\(counted(file.strayByteCount, "byte")) more found")
    }
    let annotation = Annotation(box: Box(file.sampleSize), label: request.label(default: "object"))
    let stem = fileName(of: request.path)
    for index in 0..<file.sampleCount {
      builder.add(
        AnnotatedImage(name: "\(stem)#\(index)", path: "\(request.path)#\(index)", annotations: [annotation]),
        source: .vecSample(file: file, index: index))
    }
  }
}
